// sd-bus without linking to it: the same functions come from systemd, elogind or basu, and a program that plays sound
// must start where there is none of them.
#pragma once

#if __has_include(<systemd/sd-bus.h>)
#include <systemd/sd-bus.h>
#elif __has_include(<elogind/systemd/sd-bus.h>)
#include <elogind/systemd/sd-bus.h>
#else
#include <basu/sd-bus.h>
#endif

// Only what all three have. Functions with variable arguments are left out: Swift cannot call them.
#define SYSTEMD_BUS_FUNCTIONS(each) \
    each(new) each(set_address) each(set_bus_client) each(start) each(is_ready) each(close) each(unref) \
    each(process) each(get_fd) each(get_events) each(get_timeout) \
    each(get_unique_name) each(request_name) each(release_name) each(add_object) each(add_match_async) each(slot_unref) \
    each(call_async) each(send) \
    each(message_new_method_call) each(message_new_method_return) each(message_new_method_error) \
    each(message_new_signal) each(message_set_auto_start) each(message_ref) each(message_unref) \
    each(message_get_sender) each(message_get_interface) each(message_get_member) each(message_get_error) \
    each(message_is_method_call) each(message_is_method_error) \
    each(message_has_signature) each(message_peek_type) each(message_read_basic) each(message_skip) \
    each(message_enter_container) each(message_exit_container) \
    each(message_append_basic) each(message_open_container) each(message_close_container)

/// The functions of sd-bus, under their names without `sd_bus_`.
struct systemd_bus {
#define SYSTEMD_BUS_MEMBER(name) __typeof__(&sd_bus_##name) _Nonnull name;
    SYSTEMD_BUS_FUNCTIONS(SYSTEMD_BUS_MEMBER)
#undef SYSTEMD_BUS_MEMBER
};

/// The first library that is there and has all functions, loaded on the first call; NULL if there is none.
const struct systemd_bus *_Nullable systemd_bus_load(void);
