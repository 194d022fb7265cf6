// The commands on standard input; main.c lists them.
#pragma once

#include <pipewire/pipewire.h>
#include <stdbool.h>
#include <stddef.h>

#include "card.h"

struct commands {
    struct card *card;
    struct pw_main_loop *loop;
    /// What has been read of lines that are not complete yet.
    char buffer[4096];
    size_t length;
    /// Whether the rest of a line that is too long is still to come.
    bool is_skipping;
};

/// Listens to standard input from now on, and ends the loop with it; false if it cannot be listened to.
bool commands_start(struct commands *commands, struct card *card, struct pw_main_loop *loop);
