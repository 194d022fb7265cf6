#include "CSoxr.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static struct soxr_library functions;
static bool found;

static bool resolve(void *library) {
    void *symbol;
#define RESOLVE(name) \
    if (!(symbol = dlsym(library, "soxr_" #name))) return false; \
    *(void **)&functions.name = symbol;
    SOXR_FUNCTIONS(RESOLVE)
#undef RESOLVE
    return true;
}

static void load(void) {
    // Lazily bound: looking up each symbol in all loaded libraries would delay the first sound.
    void *library = dlopen("libsoxr.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return;
    found = resolve(library);
    if (!found) dlclose(library);
}

const struct soxr_library *soxr_library_load(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    // Again after a failure: the process may only have been out of descriptors, or the package was installed meanwhile.
    if (!found) load();
    const struct soxr_library *result = found ? &functions : NULL;
    pthread_mutex_unlock(&lock);
    return result;
}
