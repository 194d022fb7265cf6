// The card's parameters as PipeWire's data types ("pods"), built and read.
#pragma once

#include <spa/pod/builder.h>

#include "card.h"

/// What the server wants a device to play to or record from.
struct route_request {
    int port;
    int device;
    bool is_saved;
    /// Volume and mute; NULL if they stay.
    const struct spa_pod *props;
};

/// A profile as EnumProfile or Profile; NULL if there is no room.
struct spa_pod *params_build_profile(
    const struct card *card, struct spa_pod_builder *builder, uint32_t id, int profile);

/// A port as EnumRoute; NULL if there is no room.
struct spa_pod *params_build_port(const struct card *card, struct spa_pod_builder *builder, int port);

/// A device's port as Route, with volume and mute; NULL if there is no room. The device has a port.
struct spa_pod *params_build_route(const struct card *card, struct spa_pod_builder *builder, int device);

/// The volume and mute of a route as the Props of a node; NULL if there is no room.
struct spa_pod *params_build_node_props(const struct route *route, struct spa_pod_builder *builder, int channels);

/// Reads a Profile; false if it is none of the card's.
bool params_read_profile(const struct card *card, const struct spa_pod *pod, int *profile, bool *is_saved);

/// Reads a Route; false if it does not fit the card and its profile.
bool params_read_route(const struct card *card, const struct spa_pod *pod, struct route_request *request);

/// Reads the volume and mute that are in a Route's Props; what is not there stays.
void params_read_props(const struct spa_pod *props, struct route *route);
