#define _GNU_SOURCE  // secure_getenv
#include "CPipeWire.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

// MARK: The library

#define DECLARE(result, name, parameters) result(*name) parameters;

struct pipewire_library {
    ABI_FUNCTIONS(DECLARE)
};

pipewire_library *pipewire_load(const char *soname, char *message, size_t size) {
    void *others = dlopen(soname, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    // It has thread-local data and plug-ins of its own, so it is never unloaded.
    void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        snprintf(message, size, "%s", dlerror());
        return NULL;
    }
    pipewire_library *library = calloc(1, sizeof *library);
    if (!library) return NULL;
#define RESOLVE(result, name, parameters) \
    if (!(library->name = (result(*) parameters)dlsym(handle, #name))) { \
        snprintf(message, size, "%s: no function %s", soname, #name); \
        free(library); \
        return NULL; \
    }
    ABI_FUNCTIONS(RESOLVE)
    library->pw_init(NULL, NULL);
    // It warns on standard error about what we leave out on purpose; an app that uses it too has its own wishes.
    if (!others && !secure_getenv("PIPEWIRE_DEBUG")) library->pw_log_set_level(ABI_LOG_ERROR);
    return library;
}

void pipewire_forget(pipewire_library *library) { free(library); }

const char *pipewire_version(const pipewire_library *library) { return library->pw_get_library_version(); }

// MARK: The connection

struct pipewire_connection {
    const pipewire_library *library;
    pipewire_events events;
    void *context;
    void *loop, *pw_context, *core, *registry, *timer;
    struct abi_loop *inner_loop;
    struct abi_hook core_hook, registry_hook;
    struct pipewire_node *nodes;
};

/// The method table of a proxy, and what its methods take as their object.
#define METHODS(type, object) ((const struct type *)((struct abi_interface *)(object))->cb.funcs)
#define OBJECT(object) (((struct abi_interface *)(object))->cb.data)

static void on_done(void *data, uint32_t id, int sequence) {
    pipewire_connection *connection = data;
    if (id == ABI_ID_CORE) connection->events.done(connection->context, sequence);
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    pipewire_connection *connection = data;
    bool is_fatal = id == ABI_ID_CORE && result == -EPIPE;
    connection->events.error(connection->context, is_fatal, result, message);
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct abi_dict *properties) {
    (void)version;
    pipewire_connection *connection = data;
    if (strcmp(type, ABI_TYPE_INTERFACE_NODE) != 0 || !properties) return;
    // A property is what the library calls a dictionary's item.
    connection->events.node(
        connection->context, id, (permissions & ABI_PERM_W) != 0, (const pipewire_property *)properties->items,
        properties->n_items);
}

static void on_global_remove(void *data, uint32_t id) {
    pipewire_connection *connection = data;
    connection->events.removed(connection->context, id);
}

static void on_timer(void *data, uint64_t expirations) {
    (void)expirations;
    pipewire_connection *connection = data;
    connection->events.timer(connection->context);
}

static const struct abi_core_events core_events = {.done = on_done, .error = on_error};
static const struct abi_registry_events registry_events = {.global = on_global, .global_remove = on_global_remove};

static void *properties(const pipewire_library *library, const struct abi_dict_item *items, uint32_t count) {
    struct abi_dict dict = {.n_items = count, .items = items};
    return library->pw_properties_new_dict(&dict);
}

/// A context with the one module that it takes to talk to a daemon. The usual configuration brings real-time scheduling
/// and its message bus along.
static int make_context(pipewire_connection *connection) {
    const pipewire_library *library = connection->library;
    const struct abi_dict_item bare[] = {{"config.name", "null"}, {"support.dbus", "false"}};
    if (!(connection->loop = library->pw_thread_loop_new("pipewire", NULL))) return errno;
    connection->inner_loop = library->pw_thread_loop_get_loop(connection->loop);
    connection->pw_context = library->pw_context_new(connection->inner_loop, properties(library, bare, 2), 0);
    if (!connection->pw_context) return errno;
    if (!library->pw_context_load_module(connection->pw_context, "libpipewire-module-protocol-native", NULL, NULL))
        return ELIBACC;
    struct abi_interface *utils = connection->inner_loop->utils;
    connection->timer = METHODS(abi_loop_utils_methods, utils)->add_timer(OBJECT(utils), on_timer, connection);
    return connection->timer ? 0 : ENOMEM;
}

static int connect_core(pipewire_connection *connection, const char *remote) {
    const pipewire_library *library = connection->library;
    const struct abi_dict_item named[] = {{"remote.name", remote}};
    void *core = library->pw_context_connect(connection->pw_context, properties(library, named, remote ? 1 : 0), 0);
    if (!core) return errno;
    connection->core = core;
    const struct abi_core_methods *methods = METHODS(abi_core_methods, core);
    methods->add_listener(OBJECT(core), &connection->core_hook, &core_events, connection);
    void *registry = methods->get_registry(OBJECT(core), ABI_VERSION_REGISTRY, 0);
    if (!registry) return errno;
    connection->registry = registry;
    METHODS(abi_registry_methods, registry)
        ->add_listener(OBJECT(registry), &connection->registry_hook, &registry_events, connection);
    return 0;
}

pipewire_connection *pipewire_open(
    const pipewire_library *library, const char *remote, const pipewire_events *events, void *context, int *error) {
    pipewire_connection *connection = calloc(1, sizeof *connection);
    if (!connection) {
        *error = ENOMEM;
        return NULL;
    }
    connection->library = library;
    connection->events = *events;
    connection->context = context;
    // The thread is not running yet, so there is nothing to lock.
    *error = make_context(connection);
    if (!*error) *error = connect_core(connection, remote);
    if (!*error) return connection;
    pipewire_close(connection);
    return NULL;
}

/// Takes a listener off the list that it is in.
static void unhook(struct abi_hook *hook) {
    if (!hook->link.prev) return;
    hook->link.prev->next = hook->link.next;
    hook->link.next->prev = hook->link.prev;
    if (hook->removed) hook->removed(hook);
    memset(hook, 0, sizeof *hook);
}

bool pipewire_start(pipewire_connection *connection) {
    return connection->library->pw_thread_loop_start(connection->loop) >= 0;
}

void pipewire_disconnect(pipewire_connection *connection) {
    const pipewire_library *library = connection->library;
    while (connection->nodes) pipewire_release(connection->nodes);
    unhook(&connection->registry_hook);
    unhook(&connection->core_hook);
    if (connection->registry) library->pw_proxy_destroy(connection->registry);
    if (connection->core) library->pw_core_disconnect(connection->core);
    connection->registry = connection->core = NULL;
}

void pipewire_close(pipewire_connection *connection) {
    const pipewire_library *library = connection->library;
    // Without its thread nobody else touches the rest.
    if (connection->loop) library->pw_thread_loop_stop(connection->loop);
    pipewire_disconnect(connection);
    if (connection->pw_context) library->pw_context_destroy(connection->pw_context);
    // The timer goes with its loop.
    if (connection->loop) library->pw_thread_loop_destroy(connection->loop);
    free(connection);
}

void pipewire_lock(pipewire_connection *connection) { connection->library->pw_thread_loop_lock(connection->loop); }

void pipewire_unlock(pipewire_connection *connection) { connection->library->pw_thread_loop_unlock(connection->loop); }

bool pipewire_is_own_thread(pipewire_connection *connection) {
    return connection->library->pw_thread_loop_in_thread(connection->loop);
}

void pipewire_wait(pipewire_connection *connection, int64_t nanoseconds) {
    struct timespec until;
    connection->library->pw_thread_loop_get_time(connection->loop, &until, nanoseconds);
    connection->library->pw_thread_loop_timed_wait_full(connection->loop, &until);
}

void pipewire_signal(pipewire_connection *connection) {
    connection->library->pw_thread_loop_signal(connection->loop, false);
}

int pipewire_sync(pipewire_connection *connection) {
    return METHODS(abi_core_methods, connection->core)->sync(OBJECT(connection->core), ABI_ID_CORE, 0);
}

void pipewire_set_timer(pipewire_connection *connection, int64_t nanoseconds) {
    struct abi_interface *utils = connection->inner_loop->utils;
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    struct timespec interval = time;
    METHODS(abi_loop_utils_methods, utils)->update_timer(OBJECT(utils), connection->timer, &time, &interval, false);
}

// MARK: Nodes

struct pipewire_node {
    pipewire_connection *connection;
    uint32_t id;
    void *proxy;
    struct abi_hook hook;
    struct pipewire_node *next;
};

/// The floats of an array pod, or null.
static const float *floats(const struct abi_pod *array, uint32_t *count) {
    const struct abi_pod *child = array + 1;
    *count = 0;
    if (array->type != ABI_TYPE_ARRAY || array->size < sizeof *child) return NULL;
    if (child->type != ABI_TYPE_FLOAT || child->size != sizeof(float)) return NULL;
    *count = (array->size - sizeof *child) / sizeof(float);
    return (const float *)(child + 1);
}

static void on_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct abi_pod *param) {
    (void)sequence, (void)index, (void)next;
    pipewire_node *node = data;
    if (id != ABI_PARAM_PROPS || !param || param->type != ABI_TYPE_OBJECT) return;
    pipewire_volumes volumes = {.mute = -1};
    const char *position = (const char *)param + sizeof(struct abi_object);
    const char *end = (const char *)(param + 1) + param->size;
    while (end - position >= (ptrdiff_t)sizeof(struct abi_property)) {
        const struct abi_property *property = (const struct abi_property *)position;
        const struct abi_pod *value = &property->value;
        const char *body = (const char *)(value + 1);
        if (end - body < (ptrdiff_t)value->size) break;
        switch (property->key) {
        case ABI_PROP_CHANNEL_VOLUMES: volumes.channel_volumes = floats(value, &volumes.channel_count); break;
        case ABI_PROP_SOFT_VOLUMES: volumes.soft_volumes = floats(value, &volumes.soft_count); break;
        case ABI_PROP_MUTE:
            if (value->type == ABI_TYPE_BOOL && value->size == 4) volumes.mute = *(const int32_t *)body != 0;
            break;
        }
        // Values are padded to eight bytes.
        position = body + (((size_t)value->size + 7) & ~(size_t)7);
    }
    node->connection->events.volumes(node->connection->context, node->id, &volumes);
}

static const struct abi_node_events node_events = {.param = on_param};

pipewire_node *pipewire_bind(pipewire_connection *connection, uint32_t id) {
    pipewire_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    void *registry = connection->registry;
    node->proxy = METHODS(abi_registry_methods, registry)
                      ->bind(OBJECT(registry), id, ABI_TYPE_INTERFACE_NODE, ABI_VERSION_NODE, 0);
    if (!node->proxy) {
        free(node);
        return NULL;
    }
    node->connection = connection;
    node->id = id;
    node->next = connection->nodes;
    connection->nodes = node;
    uint32_t wanted[] = {ABI_PARAM_PROPS};
    const struct abi_node_methods *methods = METHODS(abi_node_methods, node->proxy);
    methods->add_listener(OBJECT(node->proxy), &node->hook, &node_events, node);
    methods->subscribe_params(OBJECT(node->proxy), wanted, 1);
    return node;
}

void pipewire_release(pipewire_node *node) {
    pipewire_node **link = &node->connection->nodes;
    while (*link != node) link = &(*link)->next;
    *link = node->next;
    unhook(&node->hook);
    node->connection->library->pw_proxy_destroy(node->proxy);
    free(node);
}

/// The most channels of a stream: 64 up to PipeWire 1.4, 128 since 1.6.
enum { MAX_CHANNELS = 128 };

/// A Props object in the making.
struct props {
    _Alignas(8) struct abi_object object;
    char properties[2 * sizeof(struct abi_property) + 4 * MAX_CHANNELS + 32];
};

static struct props empty_props(void) {
    return (struct props){.object = {
                              .pod = {.size = sizeof(struct abi_object) - sizeof(struct abi_pod), .type = ABI_TYPE_OBJECT},
                              .object_type = ABI_TYPE_OBJECT_PROPS,
                              .id = ABI_PARAM_PROPS,
                          }};
}

/// Appends a property, whose value of `type` has `size` bytes, and returns where those go.
static char *append(struct props *props, uint32_t key, uint32_t type, uint32_t size) {
    char *position = (char *)(&props->object.pod + 1) + props->object.pod.size;
    struct abi_property property = {.key = key, .value = {.size = size, .type = type}};
    memcpy(position, &property, sizeof property);
    props->object.pod.size += sizeof property + ((size + 7) & ~7u);
    return position + sizeof property;
}

static void append_bool(struct props *props, uint32_t key, bool value) {
    int32_t number = value;
    memcpy(append(props, key, ABI_TYPE_BOOL, sizeof number), &number, sizeof number);
}

static void append_floats(struct props *props, uint32_t key, const float *values, uint32_t count) {
    if (count > MAX_CHANNELS) count = MAX_CHANNELS;
    struct abi_pod child = {.size = sizeof(float), .type = ABI_TYPE_FLOAT};
    char *body = append(props, key, ABI_TYPE_ARRAY, (uint32_t)(sizeof child + count * sizeof(float)));
    memcpy(body, &child, sizeof child);
    memcpy(body + sizeof child, values, count * sizeof(float));
}

static void set(pipewire_node *node, const struct props *props) {
    METHODS(abi_node_methods, node->proxy)->set_param(OBJECT(node->proxy), ABI_PARAM_PROPS, 0, &props->object.pod);
}

void pipewire_set_soft_volumes(pipewire_node *node, const float *volumes, uint32_t count, bool is_muted) {
    struct props props = empty_props();
    append_floats(&props, ABI_PROP_SOFT_VOLUMES, volumes, count);
    append_bool(&props, ABI_PROP_SOFT_MUTE, is_muted);
    set(node, &props);
}

void pipewire_set_channel_volumes(pipewire_node *node, const float *volumes, uint32_t count) {
    struct props props = empty_props();
    append_floats(&props, ABI_PROP_CHANNEL_VOLUMES, volumes, count);
    set(node, &props);
}

void pipewire_set_mute(pipewire_node *node, bool is_muted) {
    struct props props = empty_props();
    append_bool(&props, ABI_PROP_MUTE, is_muted);
    set(node, &props);
}
