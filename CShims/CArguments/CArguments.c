#include "CArguments.h"

// Swift's runtime looks for the command line before main runs: it reads /proc/self/maps to the end, to know where the
// stack is, and walks through that. With thirty libraries this takes a quarter of a millisecond of each start. glibc tells
// every constructor what is looked for.
//
// These are the runtime's names. In a program with the runtime in it they keep its own from being linked; one that loads
// the runtime gets the same answer from either. Weak, so that a runtime with another division of labour wins.

static char *none[] = {0};
static char **words = none;
static int count = 0;

__attribute__((constructor(101))) static void remember(int argc, char **argv) {
    words = argv;
    count = argc;
}

__attribute__((weak)) char **_swift_stdlib_getUnsafeArgvArgc(int *length) {
    *length = count;
    return words;
}

__attribute__((weak)) void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc) {
    words = argv;
    count = argc;
}
