#ifdef AVFAUDIO_FFMPEG

#define _GNU_SOURCE
#include "CFFmpeg.h"

#include <dlfcn.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define SONAME(library, MAJOR) "lib" #library ".so." TEXT(MAJOR)

static const char avutil_name[] = SONAME(avutil, LIBAVUTIL_VERSION_MAJOR);
static const char avcodec_name[] = SONAME(avcodec, LIBAVCODEC_VERSION_MAJOR);
static const char avformat_name[] = SONAME(avformat, LIBAVFORMAT_VERSION_MAJOR);

// Within a major version structures only grow: a library that is newer than the headers fits, an older one does not.
#define FITS(library, VERSION) (functions->library##_version() >= VERSION)

int ffmpeg_load(struct ffmpeg_functions *functions, const char **culprit, _Bool *isFirst)
{
    void *already = dlopen(avutil_name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    *isFirst = !already;
    if (already) dlclose(already);

    // Never closed: codecs keep static tables, and a second load would cost as much as the first.
    void *avutil = dlopen(*culprit = avutil_name, RTLD_LAZY | RTLD_LOCAL);
    if (!avutil) return -1;
    void *avcodec = dlopen(*culprit = avcodec_name, RTLD_LAZY | RTLD_LOCAL);
    if (!avcodec) return -1;
    void *avformat = dlopen(*culprit = avformat_name, RTLD_LAZY | RTLD_LOCAL);
    if (!avformat) return -1;

#define FIND(library, function)                                                                                        \
    *culprit = library##_name;                                                                                         \
    functions->function = (__typeof__(functions->function))dlsym(library, #function);                                  \
    if (!functions->function) return -1;
    FFMPEG_FUNCTIONS(FIND)

    *culprit = avutil_name;
    if (!FITS(avutil, LIBAVUTIL_VERSION_INT)) return -1;
    *culprit = avcodec_name;
    if (!FITS(avcodec, LIBAVCODEC_VERSION_INT)) return -1;
    *culprit = avformat_name;
    if (!FITS(avformat, LIBAVFORMAT_VERSION_INT)) return -1;
    return 0;
}

#endif
