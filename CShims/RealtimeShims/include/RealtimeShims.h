// The door to the sound thread.
#pragma once

#if defined(__clang__)
#define RT_NONBLOCKING __attribute__((nonblocking))
#else
#define RT_NONBLOCKING
#endif

typedef void (*rt_render)(void *_Nonnull context);

/// Calls `render(context)` as a function that must not block: under RealtimeSanitizer, an allocation, a lock or a
/// system call inside it ends the process with a stack. Swift has no attribute for this, hence C.
void rt_call(rt_render _Nonnull render, void *_Nonnull context);
