// What the cards are made of, as tables.
#pragma once

#include <spa/param/param.h>
#include <stdbool.h>
#include <stdint.h>

#define BIT(number) (1u << (number))

enum { MAX_DEVICES = 4, MAX_NODES = 4, MAX_PROFILES = 8, MAX_PORTS = 8 };

/// The first profile of every card, which has no nodes.
enum { PROFILE_OFF = 0 };

/// A sink or a source.
struct node_model {
    /// The node's name is made of these two, with the instance of the card between them.
    const char *name_start;
    const char *name_end;
    const char *description;
    /// The part of the profile that the node stands for (`device.profile.name`).
    const char *profile_name;
    /// The number of the device that the node shows (`card.profile.device`). Nodes that are never in the same profile
    /// may share one.
    int device;
    bool is_source;
    int channels;
    int rate;
    int priority;
};

struct profile_model {
    const char *name;
    const char *description;
    int priority;
    /// A bit for each of the card's nodes.
    unsigned nodes;
};

/// What a sink plays to or a source records from: a route, in PipeWire's words.
struct port_model {
    const char *name;
    const char *description;
    /// `port.type`, such as `headphones`.
    const char *type;
    /// Ports that are plugged in together share a group; NULL for none.
    const char *group;
    bool is_input;
    int priority;
    /// At the start.
    enum spa_param_availability availability;
    /// A bit for each profile that has the port.
    unsigned profiles;
    int device;
};

/// What becomes of a port when headphones are plugged in and pulled out.
struct jack_effect {
    const char *port;
    enum spa_param_availability plugged;
    enum spa_param_availability unplugged;
};

/// A table ends where its entries have no name.
struct card_model {
    /// What the card is called on the command line.
    const char *key;
    const char *api;
    const char *bus;
    /// NULL for none.
    const char *form_factor;
    const char *icon;
    /// The card's name is this, with the instance behind it.
    const char *name_start;
    /// The instance, if none is given.
    const char *instance;
    const char *description;
    struct node_model nodes[MAX_NODES];
    struct profile_model profiles[MAX_PROFILES];
    struct port_model ports[MAX_PORTS];
    /// Empty for a card without a jack.
    struct jack_effect jack[MAX_PORTS];
};

/// The model of a key; NULL if there is none.
const struct card_model *model_find(const char *key);

/// Whether the card is a Bluetooth device of BlueZ.
bool model_is_bluetooth(const struct card_model *model);
