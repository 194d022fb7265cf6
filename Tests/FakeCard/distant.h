#pragma once

#include <pipewire/pipewire.h>

/// A sink or source that says of itself that its sound takes a while; it swallows what is played, and gives silence.
struct distant {
    struct pw_stream *stream;
    bool is_source;
};

/// Shows it to the server, under a name and with a latency in milliseconds; false if that cannot be.
bool distant_start(
    struct distant *distant, struct pw_loop *loop, bool is_source, const char *name, int milliseconds);

/// Takes it away.
void distant_stop(struct distant *distant);
