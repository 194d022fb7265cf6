// The system's libpulse, as it is.
//
// `link` in the module map is enough on Debian; `pkgConfig:` in Package.swift would warn about "-D_REENTRANT" and
// "-pthread" on every build.
#pragma once

#include <pulse/pulseaudio.h>
#include <pulse/rtclock.h>
#include <pulse/ext-stream-restore.h>

// Macros whose casts Swift's importer does not follow.
static const uint32_t cpulse_invalid_index = PA_INVALID_INDEX;
static const pa_usec_t cpulse_usec_invalid = PA_USEC_INVALID;
