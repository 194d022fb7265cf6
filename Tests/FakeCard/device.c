#include "device.h"

#include <errno.h>
#include <spa/monitor/utils.h>
#include <spa/param/profile.h>
#include <spa/param/route.h>
#include <spa/pod/filter.h>

#include "nodes.h"
#include "output.h"
#include "params.h"

// MARK: Telling

static struct pw_properties *device_properties(const struct card *card) {
    const struct card_model *model = card->model;
    struct pw_properties *properties = pw_properties_new("media.class", "Audio/Device", NULL);
    if (!properties) return NULL;
    pw_properties_set(properties, "device.name", card->name);
    pw_properties_set(properties, "device.description", model->description);
    pw_properties_set(properties, "device.nick", model->description);
    pw_properties_set(properties, "device.alias", model->description);
    pw_properties_set(properties, "device.api", model->api);
    pw_properties_set(properties, "device.bus", model->bus);
    pw_properties_set(properties, "device.icon-name", model->icon);
    if (model->form_factor) pw_properties_set(properties, "device.form-factor", model->form_factor);
    if (model_is_bluetooth(model)) {
        pw_properties_set(properties, "api.bluez5.address", card->instance);
        pw_properties_set(properties, "api.bluez5.connection", "connected");
    }
    return properties;
}

/// Tells those who listen that parameters have changed: a bit each.
static void emit_changes(struct card *card, unsigned changed) {
    for (int param = 0; param < PARAM_COUNT; param++) {
        // The server reads a parameter anew when its flags are others than before.
        if (changed & BIT(param)) card->params[param].flags ^= SPA_PARAM_INFO_SERIAL;
    }
    struct spa_device_info info = SPA_DEVICE_INFO_INIT();
    info.change_mask = SPA_DEVICE_CHANGE_MASK_PARAMS;
    info.params = card->params;
    info.n_params = PARAM_COUNT;
    spa_device_emit_info(&card->listeners, &info);
}

/// Tells those who listen everything.
static void emit_all(struct card *card) {
    struct pw_properties *properties = device_properties(card);
    struct spa_device_info info = SPA_DEVICE_INFO_INIT();
    info.change_mask = SPA_DEVICE_CHANGE_MASK_PARAMS;
    if (properties) {
        info.change_mask |= SPA_DEVICE_CHANGE_MASK_PROPS;
        info.props = &properties->dict;
    }
    info.params = card->params;
    info.n_params = PARAM_COUNT;
    spa_device_emit_info(&card->listeners, &info);
    if (properties) pw_properties_free(properties);
}

// MARK: Changing

void device_set_profile(struct card *card, int profile, bool is_saved) {
    int old = card->profile;
    card->profile = profile;
    card->is_profile_saved = is_saved;
    if (profile == old) {
        emit_changes(card, BIT(PROFILE));
        return;
    }
    const struct profile_model *profiles = card->model->profiles;
    say("profile %s -> %s save=%d nodes=%d", profiles[old].name, profiles[profile].name, is_saved,
        card_node_count(card));
    nodes_drop(card);
    card_choose_ports(card);
    nodes_make(card);
    // Not EnumProfile, which would make the session manager choose a profile itself.
    emit_changes(card, BIT(PROFILE) | BIT(ENUM_ROUTE) | BIT(ROUTE));
}

void device_set_port(struct card *card, int device, int port, bool is_saved) {
    struct route *route = &card->routes[device];
    const struct port_model *ports = card->model->ports;
    if (route->port != port) {
        say("route dev=%d %s -> %s save=%d", device, ports[route->port].name, ports[port].name, is_saved);
    }
    route->port = port;
    route->is_saved = is_saved;
    emit_changes(card, BIT(ROUTE));
}

void device_set_availability(struct card *card, const enum spa_param_availability *wanted) {
    enum spa_param_availability before[MAX_PROFILES];
    for (int i = 0; i < card->profile_count; i++) before[i] = card_profile_availability(card, i);
    unsigned changed = 0;
    for (int port = 0; port < card->port_count; port++) {
        if (card->availability[port] == wanted[port]) continue;
        card->availability[port] = wanted[port];
        changed |= BIT(ENUM_ROUTE) | BIT(ROUTE);
        say("port %s available=%s", card->model->ports[port].name, availability_name(wanted[port]));
    }
    for (int i = 0; i < card->profile_count; i++) {
        if (before[i] != card_profile_availability(card, i)) changed |= BIT(ENUM_PROFILE) | BIT(PROFILE);
    }
    // To another port or profile, if that is better now, the session manager switches.
    if (changed) emit_changes(card, changed);
}

// MARK: What the server asks for

/// Builds the entry of a list at or after `index`, which becomes that entry's. 1, or 0 after the last, or an error.
static int build_entry(
    const struct card *card, uint32_t id, uint32_t *index, struct spa_pod_builder *builder, struct spa_pod **pod) {
    switch (id) {
    case SPA_PARAM_EnumProfile:
        if (*index >= (uint32_t)card->profile_count) return 0;
        *pod = params_build_profile(card, builder, id, (int)*index);
        break;
    case SPA_PARAM_Profile:
        if (*index > 0) return 0;
        *pod = params_build_profile(card, builder, id, card->profile);
        break;
    case SPA_PARAM_EnumRoute:
        if (*index >= (uint32_t)card->port_count) return 0;
        *pod = params_build_port(card, builder, (int)*index);
        break;
    case SPA_PARAM_Route:
        while (*index < MAX_DEVICES && card->routes[*index].port == NO_PORT) ++*index;
        if (*index >= MAX_DEVICES) return 0;
        *pod = params_build_route(card, builder, (int)*index);
        break;
    default: return -ENOENT;
    }
    return *pod ? 1 : -ENOSPC;
}

static int enum_params(
    void *object, int sequence, uint32_t id, uint32_t start, uint32_t count, const struct spa_pod *filter) {
    struct card *card = object;
    struct spa_result_device_params result = {.id = id, .next = start};
    uint32_t told = 0;
    for (;;) {
        uint8_t buffers[2][4096];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffers[0], sizeof buffers[0]);
        struct spa_pod_builder filtered = SPA_POD_BUILDER_INIT(buffers[1], sizeof buffers[1]);
        struct spa_pod *pod = NULL;
        result.index = result.next;
        int built = build_entry(card, id, &result.index, &builder, &pod);
        if (built <= 0) return built;
        result.next = result.index + 1;
        if (spa_pod_filter(&filtered, &result.param, pod, filter) < 0) continue;
        spa_device_emit_result(&card->listeners, sequence, 0, SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
        // A count of 0 is for all.
        if (++told == count) return 0;
    }
}

static int set_profile(struct card *card, const struct spa_pod *pod) {
    int profile = PROFILE_OFF;
    bool is_saved = false;
    // No profile at all means that the card goes back to its first.
    if (pod && !params_read_profile(card, pod, &profile, &is_saved)) return -EINVAL;
    device_set_profile(card, profile, is_saved);
    return 0;
}

static int set_route(struct card *card, const struct spa_pod *pod) {
    struct route_request request;
    if (!pod) return 0;
    if (!params_read_route(card, pod, &request)) return -EINVAL;
    if (request.props) {
        params_read_props(request.props, &card->routes[request.device]);
        nodes_set_volume(card, request.device);
    }
    device_set_port(card, request.device, request.port, request.is_saved);
    return 0;
}

static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *pod) {
    (void)flags;
    switch (id) {
    case SPA_PARAM_Profile: return set_profile(object, pod);
    case SPA_PARAM_Route: return set_route(object, pod);
    default: return -ENOENT;
    }
}

static int add_listener(
    void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
    struct card *card = object;
    struct spa_hook_list others;
    // The new one alone is told everything; the others know it.
    spa_hook_list_isolate(&card->listeners, &others, listener, events, data);
    emit_all(card);
    spa_hook_list_join(&card->listeners, &others);
    return 0;
}

static int sync_device(void *object, int sequence) {
    struct card *card = object;
    spa_device_emit_result(&card->listeners, sequence, 0, 0, NULL);
    return 0;
}

static const struct spa_device_methods methods = {
    SPA_VERSION_DEVICE_METHODS,
    .add_listener = add_listener,
    .sync = sync_device,
    .enum_params = enum_params,
    .set_param = set_param,
};

// MARK: Coming and going

static void device_bound(void *data, uint32_t id) {
    struct card *card = data;
    card->id = id;
    say("card %s id=%u ready profile=%s nodes=%d", card->name, id, card->model->profiles[card->profile].name,
        card_node_count(card));
    nodes_make(card);
}

/// The server has removed it: somebody asked it to.
static void device_removed(void *data) {
    device_unplug(data);
    say("unplugged");
}

static void device_destroyed(void *data) {
    struct card *card = data;
    spa_hook_remove(&card->proxy_listener);
    card->proxy = NULL;
    card->id = SPA_ID_INVALID;
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .destroy = device_destroyed,
    .bound = device_bound,
    .removed = device_removed,
};

void device_init(struct card *card, struct pw_core *core) {
    card->core = core;
    card->device.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &methods, card);
    spa_hook_list_init(&card->listeners);
    card->params[ENUM_PROFILE] = SPA_PARAM_INFO(SPA_PARAM_EnumProfile, SPA_PARAM_INFO_READ);
    card->params[PROFILE] = SPA_PARAM_INFO(SPA_PARAM_Profile, SPA_PARAM_INFO_READWRITE);
    card->params[ENUM_ROUTE] = SPA_PARAM_INFO(SPA_PARAM_EnumRoute, SPA_PARAM_INFO_READ);
    card->params[ROUTE] = SPA_PARAM_INFO(SPA_PARAM_Route, SPA_PARAM_INFO_READWRITE);
}

bool device_plug(struct card *card) {
    card_choose_profile(card);
    struct pw_properties *properties = device_properties(card);
    if (!properties) return false;
    card->proxy = pw_core_export(card->core, SPA_TYPE_INTERFACE_Device, &properties->dict, &card->device, 0);
    pw_properties_free(properties);
    if (!card->proxy) return false;
    pw_proxy_add_listener(card->proxy, &card->proxy_listener, &proxy_events, card);
    return true;
}

void device_unplug(struct card *card) {
    nodes_drop(card);
    if (card->proxy) pw_proxy_destroy(card->proxy);
}
