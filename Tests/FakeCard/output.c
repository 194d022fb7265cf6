#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void say(const char *format, ...) {
    // Printing may change it, and the format may ask for it (%m).
    int error = errno;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%.3f ", (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6);
    va_list arguments;
    va_start(arguments, format);
    errno = error;
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    // Whoever reads this waits for the line, and standard output is no terminal.
    fflush(stdout);
}
