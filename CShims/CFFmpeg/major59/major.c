// FFmpeg with libavcodec 59, if its headers are among the system's or in .build/ffmpeg/headers/59 (scripts/ffmpeg).
#ifdef AVFAUDIO_FFMPEG
#if __has_include(<libavcodec/version_major.h>)
#include <libavcodec/version_major.h>
#endif
#define FFMPEG_MODULE 59
#define FFMPEG_MODULE_IS_MAJOR (LIBAVCODEC_VERSION_MAJOR == 59)
#include "module.h"
#endif
