#ifdef AVFAUDIO_FFMPEG

#define _GNU_SOURCE
#include "CFFmpeg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Each is NULL where the build had no headers for it.
const struct ffmpeg_major *ffmpeg_module_system(void);
const struct ffmpeg_major *ffmpeg_module_59(void);
const struct ffmpeg_major *ffmpeg_module_61(void);
const struct ffmpeg_major *ffmpeg_module_63(void);

enum { module_count = 4 };

// The modules that this build holds, newest first; NULL behind the last.
static void modules(const struct ffmpeg_major *found[module_count + 1])
{
    const struct ffmpeg_major *all[module_count] = {
        ffmpeg_module_system(), ffmpeg_module_63(), ffmpeg_module_61(), ffmpeg_module_59()};
    int count = 0;
    for (int i = 0; i < module_count; i++) {
        if (!all[i]) continue;
        int place = count++;
        for (; place > 0 && found[place - 1]->number < all[i]->number; place--) found[place] = found[place - 1];
        found[place] = all[i];
    }
    found[count] = NULL;
}

static const struct ffmpeg_functions *load(char *missing, size_t size)
{
    const struct ffmpeg_major *major[module_count + 1];
    int culprit[module_count];
    int furthest = 0;
    modules(major);
    for (int i = 0; major[i]; i++) {
        const struct ffmpeg_functions *functions = major[i]->load(&culprit[i]);
        if (functions) return functions;
        if (culprit[i] > furthest) furthest = culprit[i];
    }
    size_t length = 0;
    missing[0] = 0;
    for (int i = 0; major[i]; i++) {
        if (culprit[i] != furthest || length >= size) continue;
        int printed =
            snprintf(missing + length, size - length, "%s%s", length ? " " : "", major[i]->names[culprit[i]]);
        length += printed > 0 ? (size_t)printed : 0;
    }
    return NULL;
}

const struct ffmpeg_functions *ffmpeg_load(char *missing, size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const struct ffmpeg_functions *found;
    pthread_mutex_lock(&lock);
    // Again after a failure: the process may only have been out of descriptors, or the package was installed meanwhile.
    if (!found) found = load(missing, size);
    const struct ffmpeg_functions *functions = found;
    pthread_mutex_unlock(&lock);
    return functions;
}

int ffmpeg_major_at(int index)
{
    const struct ffmpeg_major *major[module_count + 1];
    modules(major);
    for (int i = 0; major[i]; i++) {
        if (i == index) return major[i]->number;
    }
    return 0;
}

static bool is_known(int number)
{
    for (int i = 0; ffmpeg_major_at(i); i++) {
        if (ffmpeg_major_at(i) == number) return true;
    }
    return false;
}

int ffmpeg_foreign_major(int major)
{
    // From FFmpeg 2 on, and so far ahead as ten years bring new ones.
    for (int number = major < 55 ? 55 : major + 1; number < 80; number++) {
        char name[32];
        if (is_known(number)) continue;
        snprintf(name, sizeof name, "libavcodec.so.%d", number);
        void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (!library) continue;
        dlclose(library);
        return number;
    }
    return 0;
}

#endif
