#pragma once

/// Prints a line with the time before it, in milliseconds of CLOCK_MONOTONIC, and flushes it.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
