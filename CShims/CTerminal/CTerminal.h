#pragma once

#include <wchar.h>

/// `wcwidth` of POSIX, which Swift's view of glibc leaves out: it is declared for `_XOPEN_SOURCE` alone.
static inline int terminal_width(wchar_t character) {
    extern int wcwidth(wchar_t);
    return wcwidth(character);
}
