// FFmpeg with libavcodec 61, if its headers are among the system's or in .build/ffmpeg/headers/61 (scripts/ffmpeg).
#ifdef AVFAUDIO_FFMPEG
#if __has_include(<libavcodec/version_major.h>)
#include <libavcodec/version_major.h>
#endif
#define FFMPEG_MODULE 61
#define FFMPEG_MODULE_IS_MAJOR (LIBAVCODEC_VERSION_MAJOR == 61)
#include "module.h"
#endif
