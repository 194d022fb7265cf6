// The card as PipeWire sees it, and all that changes it, from here or from the server.
#pragma once

#include "card.h"

/// Prepares the card for being exported through a connection.
void device_init(struct card *card, struct pw_core *core);

/// Shows the card to the server; it is told as a line when the server has it. False if that cannot be done.
bool device_plug(struct card *card);

/// Takes the card and its nodes away from the server.
void device_unplug(struct card *card);

/// Changes the profile and, with it, the nodes.
void device_set_profile(struct card *card, int profile, bool is_saved);

/// Selects a port of a device, which the current profile has.
void device_set_port(struct card *card, int device, int port, bool is_saved);

/// Changes the availability of all ports at once, as a jack does that several ports hang on.
void device_set_availability(struct card *card, const enum spa_param_availability *wanted);
