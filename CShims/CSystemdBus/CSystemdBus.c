#include "CSystemdBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static struct systemd_bus functions;
static bool found;

static bool resolve(void *library) {
    void *symbol;
#define RESOLVE(name) \
    if (!(symbol = dlsym(library, "sd_bus_" #name))) return false; \
    *(void **)&functions.name = symbol;
    SYSTEMD_BUS_FUNCTIONS(RESOLVE)
#undef RESOLVE
    return true;
}

static void load(void) {
    static const char *const names[] = {"libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        found = resolve(library);
        // One that is in use stays loaded for ever: connections may outlive every owner that could say so.
        if (!found) dlclose(library);
    }
}

const struct systemd_bus *systemd_bus_load(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    // Again after a failure: the process may only have been out of descriptors.
    if (!found) load();
    const struct systemd_bus *result = found ? &functions : NULL;
    pthread_mutex_unlock(&lock);
    return result;
}
