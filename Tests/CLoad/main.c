// Loads the library, uses it, unloads it, and uses it again: its threads and exit handlers outlive dlclose().
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

typedef int (*open_function)(void **);
typedef int (*activate_function)(void *, unsigned);

int main(int argc, char **argv) {
    int failures = argc != 2;
    for (int i = 0; i < 3 && !failures; i++) {
        void *session = NULL, *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "c-load: %s\n", dlerror());
            return 1;
        }
        open_function open = (open_function)dlsym(library, "avas_session_open");
        activate_function activate = (activate_function)dlsym(library, "avas_session_activate");
        // Without a server it is an error, and leaves threads all the same.
        failures += open(&session) != 0 || activate(session, 0) >= 0;
        failures += dlclose(library) != 0;
        if (!dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD)) {
            fprintf(stderr, "c-load: dlclose() unloaded the library, and its threads run on\n");
            failures++;
        }
    }
    return failures;
}
