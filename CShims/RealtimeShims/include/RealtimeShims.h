// The door to the sound thread, and the few functions of the C library's mathematics that setters and meters need.
#pragma once

#if defined(__clang__)
#define RT_NONBLOCKING __attribute__((nonblocking))
#else
#define RT_NONBLOCKING
#endif

typedef void (*rt_render)(void *_Nonnull context);

/// Calls `render(context)` as a function that must not block: under RealtimeSanitizer, an allocation, a lock or a
/// system call inside it ends the process with a stack. Swift has no attribute for this, hence C.
///
/// Numbers too small for the usual form count as 0 meanwhile: tails of filters would make the processor slow.
void rt_call(rt_render _Nonnull render, void *_Nonnull context);

/// libm, under names of our own: importing all of the C library for four functions would open it to the kernel too.
double rt_sine(double angle);
double rt_cosine(double angle);
double rt_log10(double value);
double rt_exponential(double value);
