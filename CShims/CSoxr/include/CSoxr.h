// libsoxr, loaded at run time: it needs OpenMP's runtime, and most programs that play a sound convert no rate.
#pragma once

#include <soxr.h>

#define SOXR_FUNCTIONS(each) \
    each(create) each(process) each(clear) each(delete) each(io_spec) each(quality_spec)

/// The functions of libsoxr that are called, under their names without `soxr_`.
struct soxr_library {
#define SOXR_MEMBER(name) __typeof__(&soxr_##name) _Nonnull name;
    SOXR_FUNCTIONS(SOXR_MEMBER)
#undef SOXR_MEMBER
};

/// The library's functions, loaded by the first call and never unloaded; NULL if libsoxr is not installed. From any
/// thread.
const struct soxr_library *_Nullable soxr_library_load(void);
