// The system's libmpg123, as it is: libsndfile brings it along.
#pragma once

#include <mpg123.h>

/// Sets a parameter. Its C name is a macro, for the one of two functions that a release has.
static inline int mpg123_set(mpg123_handle *_Nonnull handle, enum mpg123_parms parameter, long value) {
    return mpg123_param(handle, parameter, value, 0);
}
