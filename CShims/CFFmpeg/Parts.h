#pragma once

#include <stddef.h>

// A library that is loaded with all that it needs, so that little of them stays in memory.
struct ffmpeg_parts {
    // What dl_iterate_phdr() said before the first of them: how many objects there were, and how many had been unloaded.
    size_t objects;
    unsigned long long unloaded;
};

// Makes a note of what is loaded already, which is left alone.
struct ffmpeg_parts ffmpeg_parts_begin(void);

// dlopen(), in parts: first what the library needs, one after the other, then itself. What is only read in the loading is
// given back to the system; it is read again, from the page cache, where it is used.
//
// `sibling` is a handle of a library in the same folder; where the parts cannot be found there, the library is loaded at once.
// NULL where it cannot be loaded; dlerror() says why.
void *ffmpeg_parts_load(struct ffmpeg_parts *parts, const char *name, void *sibling);
