// Loads the library, uses it, unloads it, and uses it again: its threads and exit handlers outlive dlclose().
//
//     c-load LIBRARY        without a sound server
//     c-load LIBRARY COPY   with one: lowers others, unloads the library, uses a copy of it beside, and exits at a byte of
//                           standard input
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

typedef int (*open_function)(void **);
typedef int (*set_type_function)(void *, const char *);
typedef int (*activate_function)(void *, unsigned);
typedef int (*state_function)(void *);

static void *load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "c-load: %s\n", dlerror());
    return library;
}

/// Unloads a library, which stays; returns the failures.
static int unload(void *library, const char *path) {
    int failures = dlclose(library) != 0;
    if (!dlopen(path, RTLD_NOW | RTLD_NOLOAD)) {
        fprintf(stderr, "c-load: dlclose() unloaded the library, and its threads run on\n");
        failures++;
    }
    return failures;
}

/// Begins to lower others; returns the failures.
static int lower(void *library, void **session) {
    return ((open_function)dlsym(library, "avas_session_open"))(session) != 0
        || ((set_type_function)dlsym(library, "avas_session_set_type"))(*session, "transient") != 0
        || ((activate_function)dlsym(library, "avas_session_activate"))(*session, 0) != 0;
}

static int check_live(const char *path, const char *copy_path) {
    void *session, *other, *copy, *library = load(path);
    int failures = !library || lower(library, &session);
    if (failures) return failures;
    failures += unload(library, path);
    if (!(library = load(path)) || !(copy = load(copy_path))) return 1;
    if (dlsym(copy, "avas_session_open") == dlsym(library, "avas_session_open")) {
        fprintf(stderr, "c-load: the copy is the library itself\n");
        failures++;
    }
    failures += lower(copy, &other);
    // A copy is the same program to others, and interrupts nothing of it.
    failures += ((state_function)dlsym(library, "avas_session_get_state"))(session) != 1;
    failures += ((state_function)dlsym(copy, "avas_session_get_state"))(other) != 1;
    printf("ready %d\n", failures);
    fflush(stdout);
    getchar();
    failures += ((state_function)dlsym(library, "avas_session_get_state"))(session) != 1;
    return failures;
}

static int check_lost(const char *path) {
    int failures = 0;
    for (int i = 0; i < 3 && !failures; i++) {
        void *session = NULL, *library = load(path);
        if (!library) return 1;
        open_function open = (open_function)dlsym(library, "avas_session_open");
        activate_function activate = (activate_function)dlsym(library, "avas_session_activate");
        // Without a server it is an error, and leaves threads all the same.
        failures += open(&session) != 0 || activate(session, 0) >= 0;
        failures += unload(library, path);
    }
    return failures;
}

int main(int argc, char **argv) {
    if (argc == 3) return check_live(argv[1], argv[2]);
    return argc == 2 ? check_lost(argv[1]) : 64;
}
