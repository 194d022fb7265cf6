// FFmpeg in the major version of the system's own headers, where that has no module by its number.
#ifdef AVFAUDIO_FFMPEG
#if !__has_include(<libavcodec/version_major.h>)
#error "FFmpeg 5.1 or newer is needed; without it build with the package trait FFmpeg turned off"
#endif
#include <libavcodec/version_major.h>
#define FFMPEG_MODULE system
#define FFMPEG_MODULE_IS_MAJOR                                                                                         \
    (LIBAVCODEC_VERSION_MAJOR != 59 && LIBAVCODEC_VERSION_MAJOR != 61 && LIBAVCODEC_VERSION_MAJOR != 63)
#include "module.h"
#endif
