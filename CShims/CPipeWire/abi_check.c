// Compares abi.h with PipeWire's own headers. It is empty in a normal build, which does without them; a test compiles it
// where they are installed.
#if __has_include(<pipewire/pipewire.h>)
#include "abi.h"

#include <pipewire/impl.h>
#include <pipewire/pipewire.h>
#include <spa/param/props.h>
#include <spa/pod/pod.h>

#define SAME(a, b) _Static_assert((long)(a) == (long)(b), #a " is not " #b)
#define FIELD(ours, our_field, theirs, their_field) \
    SAME(offsetof(struct ours, our_field), offsetof(struct theirs, their_field)); \
    SAME(sizeof(((struct ours *)0)->our_field), sizeof(((struct theirs *)0)->their_field))
#define SIZE(ours, theirs) SAME(sizeof(struct ours), sizeof(struct theirs))

SIZE(abi_dict_item, spa_dict_item);
FIELD(abi_dict_item, value, spa_dict_item, value);
SIZE(abi_dict, spa_dict);
FIELD(abi_dict, n_items, spa_dict, n_items);
FIELD(abi_dict, items, spa_dict, items);
SIZE(abi_callbacks, spa_callbacks);
FIELD(abi_callbacks, data, spa_callbacks, data);
SIZE(abi_interface, spa_interface);
FIELD(abi_interface, cb, spa_interface, cb);
SIZE(abi_list, spa_list);
FIELD(abi_list, prev, spa_list, prev);
SIZE(abi_hook, spa_hook);
FIELD(abi_hook, cb, spa_hook, cb);
FIELD(abi_hook, removed, spa_hook, removed);
SIZE(abi_pod, spa_pod);
FIELD(abi_pod, type, spa_pod, type);
SIZE(abi_object, spa_pod_object);
FIELD(abi_object, object_type, spa_pod_object, body.type);
FIELD(abi_object, id, spa_pod_object, body.id);
SIZE(abi_property, spa_pod_prop);
FIELD(abi_property, key, spa_pod_prop, key);
FIELD(abi_property, value, spa_pod_prop, value);

SAME(ABI_TYPE_BOOL, SPA_TYPE_Bool);
SAME(ABI_TYPE_FLOAT, SPA_TYPE_Float);
SAME(ABI_TYPE_ARRAY, SPA_TYPE_Array);
SAME(ABI_TYPE_OBJECT, SPA_TYPE_Object);
SAME(ABI_TYPE_OBJECT_PROPS, SPA_TYPE_OBJECT_Props);
SAME(ABI_PARAM_PROPS, SPA_PARAM_Props);
SAME(ABI_PROP_MUTE, SPA_PROP_mute);
SAME(ABI_PROP_CHANNEL_VOLUMES, SPA_PROP_channelVolumes);
SAME(ABI_PROP_SOFT_MUTE, SPA_PROP_softMute);
SAME(ABI_PROP_SOFT_VOLUMES, SPA_PROP_softVolumes);
SAME(ABI_PERM_W, PW_PERM_W);
SAME(ABI_LOG_ERROR, SPA_LOG_LEVEL_ERROR);
SAME(ABI_ID_CORE, PW_ID_CORE);
SAME(ABI_VERSION_REGISTRY, PW_VERSION_REGISTRY);
SAME(ABI_VERSION_NODE, PW_VERSION_NODE);
_Static_assert(__builtin_strcmp(ABI_TYPE_INTERFACE_NODE, PW_TYPE_INTERFACE_Node) == 0, "the type of nodes");

// The tables may have grown at their end.
FIELD(abi_core_events, done, pw_core_events, done);
FIELD(abi_core_events, error, pw_core_events, error);
FIELD(abi_core_events, remove_mem, pw_core_events, remove_mem);
FIELD(abi_core_methods, add_listener, pw_core_methods, add_listener);
FIELD(abi_core_methods, sync, pw_core_methods, sync);
FIELD(abi_core_methods, get_registry, pw_core_methods, get_registry);
FIELD(abi_registry_events, global, pw_registry_events, global);
FIELD(abi_registry_events, global_remove, pw_registry_events, global_remove);
FIELD(abi_registry_methods, add_listener, pw_registry_methods, add_listener);
FIELD(abi_registry_methods, bind, pw_registry_methods, bind);
FIELD(abi_node_events, param, pw_node_events, param);
FIELD(abi_node_methods, add_listener, pw_node_methods, add_listener);
FIELD(abi_node_methods, subscribe_params, pw_node_methods, subscribe_params);
FIELD(abi_node_methods, set_param, pw_node_methods, set_param);
FIELD(abi_loop, utils, pw_loop, utils);
FIELD(abi_loop_utils_methods, add_timer, spa_loop_utils_methods, add_timer);
FIELD(abi_loop_utils_methods, update_timer, spa_loop_utils_methods, update_timer);

// The functions: an assignment of a function to a pointer of another type is an error.
void abi_check(void **functions);
void abi_check(void **functions) {
    void (*init)(int *, char ***) = pw_init;
    const char *(*version)(void) = pw_get_library_version;
    void (*set_level)(enum spa_log_level) = pw_log_set_level;
    struct pw_thread_loop *(*new_loop)(const char *, const struct spa_dict *) = pw_thread_loop_new;
    void (*plain[])(struct pw_thread_loop *) = {
        pw_thread_loop_destroy, pw_thread_loop_stop, pw_thread_loop_lock, pw_thread_loop_unlock};
    int (*start)(struct pw_thread_loop *) = pw_thread_loop_start;
    void (*signal)(struct pw_thread_loop *, bool) = pw_thread_loop_signal;
    int (*get_time)(struct pw_thread_loop *, struct timespec *, int64_t) = pw_thread_loop_get_time;
    int (*timed_wait)(struct pw_thread_loop *, struct timespec *) = pw_thread_loop_timed_wait_full;
    bool (*in_thread)(struct pw_thread_loop *) = pw_thread_loop_in_thread;
    struct pw_loop *(*get_loop)(struct pw_thread_loop *) = pw_thread_loop_get_loop;
    struct pw_properties *(*new_properties)(const struct spa_dict *) = pw_properties_new_dict;
    struct pw_context *(*new_context)(struct pw_loop *, struct pw_properties *, size_t) = pw_context_new;
    void (*destroy_context)(struct pw_context *) = pw_context_destroy;
    struct pw_impl_module *(*load)(struct pw_context *, const char *, const char *, struct pw_properties *) =
        pw_context_load_module;
    struct pw_core *(*connect)(struct pw_context *, struct pw_properties *, size_t) = pw_context_connect;
    int (*disconnect)(struct pw_core *) = pw_core_disconnect;
    void (*destroy_proxy)(struct pw_proxy *) = pw_proxy_destroy;
    void *all[] = {init, version, set_level, new_loop, plain[0], start, signal, get_time, timed_wait, in_thread, get_loop,
        new_properties, new_context, destroy_context, load, connect, disconnect, destroy_proxy};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) functions[i] = all[i];
}
#endif
