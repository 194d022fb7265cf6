#include "card.h"

#include <stdio.h>
#include <string.h>

bool card_init(struct card *card, const struct card_model *model, const char *instance) {
    *card = (struct card){.model = model, .instance = instance, .id = SPA_ID_INVALID};
    int length = snprintf(card->name, sizeof card->name, "%s.%s", model->name_start, instance);
    if (length < 0 || (size_t)length >= sizeof card->name) return false;
    while (card->profile_count < MAX_PROFILES && model->profiles[card->profile_count].name) card->profile_count++;
    while (card->port_count < MAX_PORTS && model->ports[card->port_count].name) card->port_count++;
    for (int port = 0; port < card->port_count; port++) card->availability[port] = model->ports[port].availability;
    for (int device = 0; device < MAX_DEVICES; device++) {
        card->routes[device] = (struct route){.port = NO_PORT, .volumes = {1, 1}};
    }
    card_choose_profile(card);
    return true;
}

// MARK: Choosing

void card_choose_profile(struct card *card) {
    // The first after "off" is the best of each model.
    card->profile = PROFILE_OFF + 1;
    if (card_profile_availability(card, card->profile) == SPA_PARAM_AVAILABILITY_no) card->profile = PROFILE_OFF;
    card->is_profile_saved = false;
    card_choose_ports(card);
}

/// The higher, the better: availability counts before priority.
static int rank(enum spa_param_availability availability) {
    switch (availability) {
    case SPA_PARAM_AVAILABILITY_yes: return 2;
    case SPA_PARAM_AVAILABILITY_unknown: return 1;
    case SPA_PARAM_AVAILABILITY_no: return 0;
    }
    return 0;
}

static bool is_better(const struct card *card, int port, int than) {
    int difference = rank(card->availability[port]) - rank(card->availability[than]);
    if (difference != 0) return difference > 0;
    return card->model->ports[port].priority > card->model->ports[than].priority;
}

void card_choose_ports(struct card *card) {
    for (int device = 0; device < MAX_DEVICES; device++) {
        int best = NO_PORT;
        for (int port = 0; port < card->port_count; port++) {
            if (!card_port_fits(card, port, device)) continue;
            if (best == NO_PORT || is_better(card, port, best)) best = port;
        }
        card->routes[device].port = best;
    }
}

// MARK: Availability

/// The best availability among the ports of one direction.
static enum spa_param_availability best_availability(const struct card *card, int profile, bool is_input) {
    // A direction without ports has nothing that could be missing.
    enum spa_param_availability best = SPA_PARAM_AVAILABILITY_yes;
    bool has_ports = false;
    for (int port = 0; port < card->port_count; port++) {
        const struct port_model *model = &card->model->ports[port];
        if (model->is_input != is_input || !(model->profiles & BIT(profile))) continue;
        if (!has_ports || rank(card->availability[port]) > rank(best)) best = card->availability[port];
        has_ports = true;
    }
    return best;
}

enum spa_param_availability card_profile_availability(const struct card *card, int profile) {
    if (profile == PROFILE_OFF) return SPA_PARAM_AVAILABILITY_yes;
    // As for real cards: one direction with nothing plugged in makes the whole profile unavailable.
    enum spa_param_availability input = best_availability(card, profile, true);
    enum spa_param_availability output = best_availability(card, profile, false);
    return rank(input) < rank(output) ? input : output;
}

const char *availability_name(enum spa_param_availability availability) {
    switch (availability) {
    case SPA_PARAM_AVAILABILITY_yes: return "yes";
    case SPA_PARAM_AVAILABILITY_no: return "no";
    case SPA_PARAM_AVAILABILITY_unknown: return "unknown";
    }
    return "unknown";
}

bool availability_read(const char *name, enum spa_param_availability *availability) {
    static const enum spa_param_availability all[] = {
        SPA_PARAM_AVAILABILITY_yes,
        SPA_PARAM_AVAILABILITY_no,
        SPA_PARAM_AVAILABILITY_unknown,
    };
    for (size_t i = 0; i < SPA_N_ELEMENTS(all); i++) {
        if (strcmp(name, availability_name(all[i])) != 0) continue;
        *availability = all[i];
        return true;
    }
    return false;
}

// MARK: Looking things up

bool card_has_node(const struct card *card, int profile, int node) {
    return card->model->profiles[profile].nodes & BIT(node);
}

int card_node_count(const struct card *card) {
    int count = 0;
    for (int node = 0; node < MAX_NODES; node++) count += card_has_node(card, card->profile, node);
    return count;
}

const struct node_model *card_node_for(const struct card *card, int device) {
    for (int node = 0; node < MAX_NODES; node++) {
        const struct node_model *model = &card->model->nodes[node];
        if (card_has_node(card, card->profile, node) && model->device == device) return model;
    }
    return NULL;
}

bool card_port_fits(const struct card *card, int port, int device) {
    if (port < 0 || port >= card->port_count || !card_node_for(card, device)) return false;
    const struct port_model *model = &card->model->ports[port];
    return model->device == device && (model->profiles & BIT(card->profile));
}

int card_port_count(const struct card *card, int device) {
    int count = 0;
    for (int port = 0; port < card->port_count; port++) count += card->model->ports[port].device == device;
    return count;
}

int card_find_profile(const struct card *card, const char *name) {
    for (int profile = 0; profile < card->profile_count; profile++) {
        if (strcmp(card->model->profiles[profile].name, name) == 0) return profile;
    }
    return -1;
}

int card_find_port(const struct card *card, const char *name) {
    for (int port = 0; port < card->port_count; port++) {
        if (strcmp(card->model->ports[port].name, name) == 0) return port;
    }
    return -1;
}
