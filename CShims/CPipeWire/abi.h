// What this shim needs of libpipewire's binary interface, in declarations of our own.
//
// With PipeWire's headers, everybody who builds this package would need them and their pkg-config file, and SwiftPM passes
// what pkg-config says on to the linker: every app would load libpipewire (docs/decisions/0011-soft-volumes.md).
// All of this is fixed since 0.3: method tables only grow at their end, and pods are what goes over the socket.
// abi_check.c compares each line with the real headers where there are some.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct abi_dict_item {
    const char *key, *value;
};

struct abi_dict {
    uint32_t flags, n_items;
    const struct abi_dict_item *items;
};

struct abi_callbacks {
    const void *funcs;
    void *data;
};

/// What each proxy, and each part of a loop, begins with.
struct abi_interface {
    const char *type;
    uint32_t version;
    struct abi_callbacks cb;
};

struct abi_list {
    struct abi_list *next, *prev;
};

struct abi_hook {
    struct abi_list link;
    struct abi_callbacks cb;
    void (*removed)(struct abi_hook *hook);
    void *priv;
};

struct abi_pod {
    uint32_t size, type;
};

struct abi_object {
    struct abi_pod pod;
    uint32_t object_type, id;
};

struct abi_property {
    uint32_t key, flags;
    struct abi_pod value;
};

enum {
    ABI_TYPE_BOOL = 2,
    ABI_TYPE_FLOAT = 6,
    ABI_TYPE_ARRAY = 13,
    ABI_TYPE_OBJECT = 15,
    ABI_TYPE_OBJECT_PROPS = 0x40002,
    ABI_PARAM_PROPS = 2,
    ABI_PROP_MUTE = 0x10004,
    ABI_PROP_CHANNEL_VOLUMES = 0x10008,
    ABI_PROP_SOFT_MUTE = 0x1000f,
    ABI_PROP_SOFT_VOLUMES = 0x10010,
    ABI_PERM_W = 0200,
    ABI_LOG_ERROR = 1,
    ABI_ID_CORE = 0,
    ABI_VERSION_REGISTRY = 3,
    ABI_VERSION_NODE = 3,
};

#define ABI_TYPE_INTERFACE_NODE "PipeWire:Interface:Node"

struct abi_core_events {
    uint32_t version;
    void (*info)(void *data, const void *info);
    void (*done)(void *data, uint32_t id, int sequence);
    void (*ping)(void *data, uint32_t id, int sequence);
    void (*error)(void *data, uint32_t id, int sequence, int result, const char *message);
    void (*remove_id)(void *data, uint32_t id);
    void (*bound_id)(void *data, uint32_t id, uint32_t global_id);
    void (*add_mem)(void *data, uint32_t id, uint32_t type, int fd, uint32_t flags);
    void (*remove_mem)(void *data, uint32_t id);
};

struct abi_core_methods {
    uint32_t version;
    int (*add_listener)(void *object, struct abi_hook *hook, const struct abi_core_events *events, void *data);
    int (*hello)(void *object, uint32_t version);
    int (*sync)(void *object, uint32_t id, int sequence);
    int (*pong)(void *object, uint32_t id, int sequence);
    int (*error)(void *object, uint32_t id, int sequence, int result, const char *message);
    void *(*get_registry)(void *object, uint32_t version, size_t user_data_size);
};

struct abi_registry_events {
    uint32_t version;
    void (*global)(
        void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct abi_dict *properties);
    void (*global_remove)(void *data, uint32_t id);
};

struct abi_registry_methods {
    uint32_t version;
    int (*add_listener)(void *object, struct abi_hook *hook, const struct abi_registry_events *events, void *data);
    void *(*bind)(void *object, uint32_t id, const char *type, uint32_t version, size_t user_data_size);
};

struct abi_node_events {
    uint32_t version;
    void (*info)(void *data, const void *info);
    void (*param)(
        void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct abi_pod *param);
};

struct abi_node_methods {
    uint32_t version;
    int (*add_listener)(void *object, struct abi_hook *hook, const struct abi_node_events *events, void *data);
    int (*subscribe_params)(void *object, uint32_t *ids, uint32_t count);
    int (*enum_params)(
        void *object, int sequence, uint32_t id, uint32_t start, uint32_t count, const struct abi_pod *filter);
    int (*set_param)(void *object, uint32_t id, uint32_t flags, const struct abi_pod *param);
};

struct abi_loop {
    void *system, *loop, *control;
    struct abi_interface *utils;
};

struct abi_loop_utils_methods {
    uint32_t version;
    void (*add_io)(void), (*update_io)(void), (*add_idle)(void), (*enable_idle)(void), (*add_event)(void),
        (*signal_event)(void);
    void *(*add_timer)(void *object, void (*expired)(void *data, uint64_t expirations), void *data);
    int (*update_timer)(
        void *object, void *source, struct timespec *value, struct timespec *interval, bool is_absolute);
};

/// The functions of the library: result, name, parameters.
#define ABI_FUNCTIONS(X) \
    X(void, pw_init, (int *argc, char ***argv)) \
    X(const char *, pw_get_library_version, (void)) \
    X(void, pw_log_set_level, (unsigned level)) \
    X(void *, pw_thread_loop_new, (const char *name, const struct abi_dict *properties)) \
    X(void, pw_thread_loop_destroy, (void *loop)) \
    X(int, pw_thread_loop_start, (void *loop)) \
    X(void, pw_thread_loop_stop, (void *loop)) \
    X(void, pw_thread_loop_lock, (void *loop)) \
    X(void, pw_thread_loop_unlock, (void *loop)) \
    X(void, pw_thread_loop_signal, (void *loop, bool wait_for_accept)) \
    X(int, pw_thread_loop_get_time, (void *loop, struct timespec *time, int64_t nanoseconds)) \
    X(int, pw_thread_loop_timed_wait_full, (void *loop, struct timespec *until)) \
    X(bool, pw_thread_loop_in_thread, (void *loop)) \
    X(struct abi_loop *, pw_thread_loop_get_loop, (void *loop)) \
    X(void *, pw_properties_new_dict, (const struct abi_dict *properties)) \
    X(void *, pw_context_new, (struct abi_loop *loop, void *properties, size_t user_data_size)) \
    X(void, pw_context_destroy, (void *context)) \
    X(void *, pw_context_load_module, (void *context, const char *name, const char *arguments, void *properties)) \
    X(void *, pw_context_connect, (void *context, void *properties, size_t user_data_size)) \
    X(int, pw_core_disconnect, (void *core)) \
    X(void, pw_proxy_destroy, (void *proxy))
