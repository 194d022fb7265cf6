// A card, its state, and what it chooses by itself.
#pragma once

#include <pipewire/pipewire.h>
#include <spa/monitor/device.h>
#include <stdbool.h>

#include "models.h"

enum { MAX_CHANNELS = 2, NO_PORT = -1 };

/// The parameters that the card has, as indices and as bits of what has changed.
enum { ENUM_PROFILE, PROFILE, ENUM_ROUTE, ROUTE, PARAM_COUNT };

struct card;

/// What one of the card's devices plays to or records from, and how loud.
struct route {
    /// The index of the port; NO_PORT while the profile has no node for the device.
    int port;
    /// Whether the session manager should remember it.
    bool is_saved;
    bool is_muted;
    /// Linear.
    float volumes[MAX_CHANNELS];
};

/// A node in the server; it has no proxy while the profile is without it.
struct live_node {
    struct card *card;
    const struct node_model *model;
    struct pw_proxy *proxy;
    struct spa_hook listener;
};

struct card {
    const struct card_model *model;
    /// Part of all names, so that several cards of a model can be told apart.
    const char *instance;
    char name[128];
    int profile_count;
    int port_count;

    int profile;
    bool is_profile_saved;
    enum spa_param_availability availability[MAX_PORTS];
    /// By the number of the device.
    struct route routes[MAX_DEVICES];

    struct pw_core *core;
    /// What is exported: PipeWire calls its methods as if it were a plug-in's.
    struct spa_device device;
    /// The listeners to the device: the connection to the server, while the card is plugged in.
    struct spa_hook_list listeners;
    struct spa_param_info params[PARAM_COUNT];
    /// NULL while the card is unplugged.
    struct pw_proxy *proxy;
    struct spa_hook proxy_listener;
    /// The server's number for the card; SPA_ID_INVALID until it has one.
    uint32_t id;
    struct live_node nodes[MAX_NODES];
};

/// Makes a card that nobody sees yet; false if the name of the instance is too long.
bool card_init(struct card *card, const struct card_model *model, const char *instance);

/// Chooses what a card has that was just plugged in.
void card_choose_profile(struct card *card);

/// Chooses the best port for each device of the profile.
void card_choose_ports(struct card *card);

/// Whether a profile can be heard or recorded from.
enum spa_param_availability card_profile_availability(const struct card *card, int profile);

/// Whether a node belongs to a profile.
bool card_has_node(const struct card *card, int profile, int node);

/// The number of nodes of the current profile.
int card_node_count(const struct card *card);

/// The current profile's node for a device; NULL if there is none.
const struct node_model *card_node_for(const struct card *card, int device);

/// Whether a port of the current profile is one of a device.
bool card_port_fits(const struct card *card, int port, int device);

/// The number of ports of a device, in all profiles.
int card_port_count(const struct card *card, int device);

/// The index of the profile or port of a name; -1 if there is none.
int card_find_profile(const struct card *card, const char *name);
int card_find_port(const struct card *card, const char *name);

/// `yes`, `no` or `unknown`.
const char *availability_name(enum spa_param_availability availability);

/// Reads `yes`, `no` or `unknown`; false, with nothing changed, if it is something else.
bool availability_read(const char *name, enum spa_param_availability *availability);
