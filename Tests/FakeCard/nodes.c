#include "nodes.h"

#include "output.h"
#include "params.h"

// MARK: What becomes of a node

static void node_bound(void *data, uint32_t id) {
    struct live_node *node = data;
    const struct node_model *model = node->model;
    say("node id=%u dev=%d bound name=%s.%s.%s", id, model->device, model->name_start, node->card->instance,
        model->name_end);
    nodes_set_volume(node->card, model->device);
}

/// The server has removed it: somebody asked it to.
static void node_removed(void *data) {
    struct live_node *node = data;
    pw_proxy_destroy(node->proxy);
}

static void node_destroyed(void *data) {
    struct live_node *node = data;
    spa_hook_remove(&node->listener);
    node->proxy = NULL;
}

static const struct pw_proxy_events node_events = {
    PW_VERSION_PROXY_EVENTS,
    .destroy = node_destroyed,
    .bound = node_bound,
    .removed = node_removed,
};

// MARK: Making and removing

/// What makes the session manager and the PulseAudio server take the node for a part of the card.
static void set_card_properties(
    const struct card *card, const struct node_model *node, struct pw_properties *properties) {
    const struct card_model *model = card->model;
    pw_properties_setf(properties, "device.id", "%u", card->id);
    pw_properties_setf(properties, "card.profile.device", "%d", node->device);
    // The volume belongs to the ports; without this, the session manager would restore one for the node itself.
    pw_properties_setf(properties, "device.routes", "%d", card_port_count(card, node->device));
    pw_properties_set(properties, "device.api", model->api);
    pw_properties_set(properties, "device.class", "sound");
    pw_properties_set(properties, "device.bus", model->bus);
    pw_properties_set(properties, "device.profile.name", node->profile_name);
    pw_properties_set(properties, "device.profile.description", model->profiles[card->profile].description);
    if (model->form_factor) pw_properties_set(properties, "device.form-factor", model->form_factor);
    if (model_is_bluetooth(model)) {
        pw_properties_set(properties, "api.bluez5.profile", node->profile_name);
        pw_properties_set(properties, "api.bluez5.address", card->instance);
    }
}

static struct pw_properties *node_properties(const struct card *card, const struct node_model *node) {
    struct pw_properties *properties = pw_properties_new("factory.name", "support.null-audio-sink", NULL);
    if (!properties) return NULL;
    set_card_properties(card, node, properties);
    pw_properties_setf(properties, "node.name", "%s.%s.%s", node->name_start, card->instance, node->name_end);
    pw_properties_set(properties, "node.description", node->description);
    // A virtual source has inputs too, through which a test can give it sound.
    pw_properties_set(properties, "media.class", node->is_source ? "Audio/Source/Virtual" : "Audio/Sink");
    pw_properties_setf(properties, "audio.rate", "%d", node->rate);
    pw_properties_setf(properties, "audio.channels", "%d", node->channels);
    pw_properties_set(properties, "audio.position", node->channels == 1 ? "MONO" : "FL,FR");
    // So that the monitor of a sink has what a listener would hear.
    pw_properties_set(properties, "monitor.channel-volumes", "true");
    // As the session manager sets it for hardware.
    pw_properties_set(properties, "node.pause-on-idle", "false");
    pw_properties_setf(properties, "priority.session", "%d", node->priority);
    pw_properties_setf(properties, "priority.driver", "%d", node->priority);
    return properties;
}

static void make_node(struct card *card, int index) {
    struct live_node *node = &card->nodes[index];
    const struct node_model *model = &card->model->nodes[index];
    *node = (struct live_node){.card = card, .model = model};
    struct pw_properties *properties = node_properties(card, model);
    if (properties) {
        // The server removes it with our connection, since nothing says that it should linger.
        node->proxy = pw_core_create_object(
            card->core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, &properties->dict, 0);
        pw_properties_free(properties);
    }
    if (node->proxy) {
        pw_proxy_add_listener(node->proxy, &node->listener, &node_events, node);
    } else {
        say("error no node %s: %m", model->description);
    }
}

void nodes_make(struct card *card) {
    // Before that, there is no `device.id` to give them; they are made when there is.
    if (card->id == SPA_ID_INVALID) return;
    for (int index = 0; index < MAX_NODES; index++) {
        if (card_has_node(card, card->profile, index)) make_node(card, index);
    }
}

void nodes_drop(struct card *card) {
    for (int index = 0; index < MAX_NODES; index++) {
        if (card->nodes[index].proxy) pw_proxy_destroy(card->nodes[index].proxy);
    }
}

// MARK: Volume

void nodes_set_volume(struct card *card, int device) {
    for (int index = 0; index < MAX_NODES; index++) {
        struct live_node *node = &card->nodes[index];
        if (!node->proxy || node->model->device != device) continue;
        uint8_t buffer[512];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
        struct spa_pod *props = params_build_node_props(&card->routes[device], &builder, node->model->channels);
        if (props) pw_node_set_param((struct pw_node *)node->proxy, SPA_PARAM_Props, 0, props);
    }
}
