#include "CSoxr.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static struct soxr_library functions;
static bool found;

static void load(void) {
    void *library = dlopen("libsoxr.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    void *symbol;
#define RESOLVE(name) \
    if (!(symbol = dlsym(library, "soxr_" #name))) return; \
    *(void **)&functions.name = symbol;
    SOXR_FUNCTIONS(RESOLVE)
#undef RESOLVE
    found = true;
}

const struct soxr_library *soxr_library_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return found ? &functions : NULL;
}
