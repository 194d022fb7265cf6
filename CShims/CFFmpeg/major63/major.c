// FFmpeg with libavcodec 63, if its headers are among the system's or in .build/ffmpeg/headers/63 (scripts/ffmpeg).
#ifdef AVFAUDIO_FFMPEG
#if __has_include(<libavcodec/version_major.h>)
#include <libavcodec/version_major.h>
#endif
#define FFMPEG_MODULE 63
#define FFMPEG_MODULE_IS_MAJOR (LIBAVCODEC_VERSION_MAJOR == 63)
#include "module.h"
#endif
