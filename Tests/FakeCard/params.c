#include "params.h"

#include <spa/param/audio/raw.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>

// MARK: Profiles

/// One class of the profile's nodes, sinks or sources; it is left out where there are none.
struct node_class {
    const char *name;
    uint32_t devices[MAX_NODES];
    uint32_t count;
};

static struct node_class node_class(const struct card *card, int profile, bool is_source) {
    struct node_class class = {.name = is_source ? "Audio/Source" : "Audio/Sink"};
    for (int node = 0; node < MAX_NODES; node++) {
        const struct node_model *model = &card->model->nodes[node];
        if (!card_has_node(card, profile, node) || model->is_source != is_source) continue;
        class.devices[class.count++] = (uint32_t)model->device;
    }
    return class;
}

static void add_node_class(struct spa_pod_builder *builder, const struct node_class *class) {
    if (class->count == 0) return;
    spa_pod_builder_add_struct(
        builder,
        SPA_POD_String(class->name),
        SPA_POD_Int(class->count),
        SPA_POD_String("card.profile.devices"),
        SPA_POD_Array(sizeof(uint32_t), SPA_TYPE_Int, class->count, class->devices));
}

/// The session manager learns from this which devices a profile has, and restores their ports and volumes.
static void add_node_classes(const struct card *card, struct spa_pod_builder *builder, int profile) {
    struct node_class sources = node_class(card, profile, true);
    struct node_class sinks = node_class(card, profile, false);
    struct spa_pod_frame frame;
    spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_classes, 0);
    spa_pod_builder_push_struct(builder, &frame);
    spa_pod_builder_int(builder, (sources.count > 0) + (sinks.count > 0));
    add_node_class(builder, &sources);
    add_node_class(builder, &sinks);
    spa_pod_builder_pop(builder, &frame);
}

struct spa_pod *params_build_profile(
    const struct card *card, struct spa_pod_builder *builder, uint32_t id, int profile) {
    const struct profile_model *model = &card->model->profiles[profile];
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_ParamProfile, id);
    spa_pod_builder_add(
        builder,
        SPA_PARAM_PROFILE_index, SPA_POD_Int(profile),
        SPA_PARAM_PROFILE_name, SPA_POD_String(model->name),
        SPA_PARAM_PROFILE_description, SPA_POD_String(model->description),
        SPA_PARAM_PROFILE_priority, SPA_POD_Int(model->priority),
        SPA_PARAM_PROFILE_available, SPA_POD_Id(card_profile_availability(card, profile)),
        0);
    add_node_classes(card, builder, profile);
    if (id == SPA_PARAM_Profile) {
        spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_save, 0);
        spa_pod_builder_bool(builder, card->is_profile_saved);
    }
    return spa_pod_builder_pop(builder, &frame);
}

bool params_read_profile(const struct card *card, const struct spa_pod *pod, int *profile, bool *is_saved) {
    int32_t index;
    bool save = false;
    int result = spa_pod_parse_object(
        pod, SPA_TYPE_OBJECT_ParamProfile, NULL,
        SPA_PARAM_PROFILE_index, SPA_POD_Int(&index),
        SPA_PARAM_PROFILE_save, SPA_POD_OPT_Bool(&save));
    if (result < 0 || index < 0 || index >= card->profile_count) return false;
    *profile = index;
    *is_saved = save;
    return true;
}

// MARK: Routes

static void add_volume(struct spa_pod_builder *builder, const struct route *route, int channels) {
    spa_pod_builder_prop(builder, SPA_PROP_mute, 0);
    spa_pod_builder_bool(builder, route->is_muted);
    spa_pod_builder_prop(builder, SPA_PROP_channelVolumes, 0);
    spa_pod_builder_array(builder, sizeof(float), SPA_TYPE_Float, (uint32_t)channels, route->volumes);
}

static void add_port_info(struct spa_pod_builder *builder, const struct port_model *model) {
    struct spa_pod_frame frame;
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_info, SPA_POD_PROP_FLAG_HINT_DICT);
    spa_pod_builder_push_struct(builder, &frame);
    spa_pod_builder_int(builder, model->group ? 2 : 1);
    spa_pod_builder_string(builder, "port.type");
    spa_pod_builder_string(builder, model->type);
    if (model->group) {
        spa_pod_builder_string(builder, "port.availability-group");
        spa_pod_builder_string(builder, model->group);
    }
    spa_pod_builder_pop(builder, &frame);
}

/// What a port is in EnumRoute and Route alike.
static void add_port(const struct card *card, struct spa_pod_builder *builder, int port) {
    const struct port_model *model = &card->model->ports[port];
    struct spa_pod_frame frame;
    spa_pod_builder_add(
        builder,
        SPA_PARAM_ROUTE_index, SPA_POD_Int(port),
        SPA_PARAM_ROUTE_direction, SPA_POD_Id(model->is_input ? SPA_DIRECTION_INPUT : SPA_DIRECTION_OUTPUT),
        SPA_PARAM_ROUTE_name, SPA_POD_String(model->name),
        SPA_PARAM_ROUTE_description, SPA_POD_String(model->description),
        SPA_PARAM_ROUTE_priority, SPA_POD_Int(model->priority),
        SPA_PARAM_ROUTE_available, SPA_POD_Id(card->availability[port]),
        0);
    add_port_info(builder, model);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_profiles, 0);
    spa_pod_builder_push_array(builder, &frame);
    for (int profile = 0; profile < card->profile_count; profile++) {
        if (model->profiles & BIT(profile)) spa_pod_builder_int(builder, profile);
    }
    spa_pod_builder_pop(builder, &frame);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_devices, 0);
    spa_pod_builder_array(builder, sizeof(int32_t), SPA_TYPE_Int, 1, &model->device);
}

struct spa_pod *params_build_port(const struct card *card, struct spa_pod_builder *builder, int port) {
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_EnumRoute);
    add_port(card, builder, port);
    return spa_pod_builder_pop(builder, &frame);
}

/// The volume as what the port has: a mixer sets it there, and the node is told.
static void add_route_props(
    struct spa_pod_builder *builder, const struct route *route, const struct node_model *node) {
    const uint32_t stereo[] = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR};
    const uint32_t mono[] = {SPA_AUDIO_CHANNEL_MONO};
    struct spa_pod_frame frame;
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_props, 0);
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Props, SPA_PARAM_Route);
    add_volume(builder, route, node->channels);
    spa_pod_builder_prop(builder, SPA_PROP_channelMap, 0);
    spa_pod_builder_array(
        builder, sizeof(uint32_t), SPA_TYPE_Id, (uint32_t)node->channels, node->channels == 1 ? mono : stereo);
    spa_pod_builder_pop(builder, &frame);
}

struct spa_pod *params_build_route(const struct card *card, struct spa_pod_builder *builder, int device) {
    const struct route *route = &card->routes[device];
    const struct node_model *node = card_node_for(card, device);
    if (!node) return NULL;
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_Route);
    add_port(card, builder, route->port);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_device, 0);
    spa_pod_builder_int(builder, device);
    add_route_props(builder, route, node);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_profile, 0);
    spa_pod_builder_int(builder, card->profile);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_save, 0);
    spa_pod_builder_bool(builder, route->is_saved);
    return spa_pod_builder_pop(builder, &frame);
}

bool params_read_route(const struct card *card, const struct spa_pod *pod, struct route_request *request) {
    int32_t port;
    int32_t device;
    bool save = false;
    struct spa_pod *props = NULL;
    int result = spa_pod_parse_object(
        pod, SPA_TYPE_OBJECT_ParamRoute, NULL,
        SPA_PARAM_ROUTE_index, SPA_POD_Int(&port),
        SPA_PARAM_ROUTE_device, SPA_POD_Int(&device),
        SPA_PARAM_ROUTE_props, SPA_POD_OPT_Pod(&props),
        SPA_PARAM_ROUTE_save, SPA_POD_OPT_Bool(&save));
    if (result < 0 || !card_port_fits(card, port, device)) return false;
    *request = (struct route_request){.port = port, .device = device, .is_saved = save, .props = props};
    return true;
}

// MARK: Volume

struct spa_pod *params_build_node_props(const struct route *route, struct spa_pod_builder *builder, int channels) {
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    add_volume(builder, route, channels);
    return spa_pod_builder_pop(builder, &frame);
}

static void read_volumes(const struct spa_pod *value, struct route *route) {
    float volumes[MAX_CHANNELS];
    uint32_t count = spa_pod_copy_array(value, SPA_TYPE_Float, volumes, MAX_CHANNELS);
    if (count == 0) return;
    // One value is for all channels: so the session manager sets the volume of a card that it has never seen.
    route->volumes[0] = volumes[0];
    route->volumes[1] = volumes[count - 1];
}

void params_read_props(const struct spa_pod *props, struct route *route) {
    if (!spa_pod_is_object_type(props, SPA_TYPE_OBJECT_Props)) return;
    const struct spa_pod_object *object = (const struct spa_pod_object *)props;
    const struct spa_pod_prop *prop;
    SPA_POD_OBJECT_FOREACH(object, prop) {
        if (prop->key == SPA_PROP_mute) spa_pod_get_bool(&prop->value, &route->is_muted);
        if (prop->key == SPA_PROP_channelVolumes) read_volumes(&prop->value, route);
    }
}
