// The system's libsndfile, as it is.
#pragma once

#include <sndfile.h>
#include <sys/types.h>

// The C library hides it from Swift, which does not define _GNU_SOURCE.
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);
