#ifdef AVFAUDIO_FFMPEG

#define _GNU_SOURCE
#include "CFFmpeg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define SONAME(library, MAJOR) "lib" #library ".so." TEXT(MAJOR)

static const char avutil_name[] = SONAME(avutil, LIBAVUTIL_VERSION_MAJOR);
static const char avcodec_name[] = SONAME(avcodec, LIBAVCODEC_VERSION_MAJOR);
static const char avformat_name[] = SONAME(avformat, LIBAVFORMAT_VERSION_MAJOR);

// Within a major version structures only grow: a library that is newer than the headers fits, an older one does not.
#define FITS(library, VERSION) (functions.library##_version() >= VERSION)

static struct ffmpeg_functions functions;
static bool found;

// The name of the library that is missing or does not fit; NULL if all are there.
static const char *load(void)
{
    void *already = dlopen(avutil_name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (already) dlclose(already);

    // Never closed: codecs keep static tables, and a second load would cost as much as the first.
    void *avutil = dlopen(avutil_name, RTLD_LAZY | RTLD_LOCAL);
    if (!avutil) return avutil_name;
    // The log level of a program that uses FFmpeg itself stays. Set before the other libraries are loaded: if one of
    // them fails, the next call finds libavutil loaded and does not know by whom.
    void (*set_level)(int) = already ? NULL : (void (*)(int))dlsym(avutil, "av_log_set_level");
    if (set_level) set_level(AV_LOG_QUIET);
    void *avcodec = dlopen(avcodec_name, RTLD_LAZY | RTLD_LOCAL);
    if (!avcodec) return avcodec_name;
    void *avformat = dlopen(avformat_name, RTLD_LAZY | RTLD_LOCAL);
    if (!avformat) return avformat_name;

#define FIND(library, function)                                                                                        \
    functions.function = (__typeof__(functions.function))dlsym(library, #function);                                    \
    if (!functions.function) return library##_name;
    FFMPEG_FUNCTIONS(FIND)
#undef FIND

    if (!FITS(avutil, LIBAVUTIL_VERSION_INT)) return avutil_name;
    if (!FITS(avcodec, LIBAVCODEC_VERSION_INT)) return avcodec_name;
    if (!FITS(avformat, LIBAVFORMAT_VERSION_INT)) return avformat_name;
    return NULL;
}

const struct ffmpeg_functions *ffmpeg_load(const char **culprit)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    // Again after a failure: the process may only have been out of descriptors, or the package was installed meanwhile.
    *culprit = found ? NULL : load();
    found = !*culprit;
    pthread_mutex_unlock(&lock);
    return *culprit ? NULL : &functions;
}

#endif
