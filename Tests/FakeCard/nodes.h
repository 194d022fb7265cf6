// The card's sinks and sources, which live in the server.
#pragma once

#include "card.h"

/// Makes the nodes of the current profile, once the server knows the card. Each is told as a line when it is there.
void nodes_make(struct card *card);

/// Removes all nodes.
void nodes_drop(struct card *card);

/// Tells the node of a device, if there is one, its volume and mute.
void nodes_set_volume(struct card *card, int device);
