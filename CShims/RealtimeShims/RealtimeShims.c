#include "RealtimeShims.h"

#include <math.h>

static void enter(rt_render render, void *context) RT_NONBLOCKING;

static void enter(rt_render render, void *context) RT_NONBLOCKING {
    // The Swift function carries no effect attribute that clang could read; @_noLocks checks it on the Swift side.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif
    render(context);
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
}

#if defined(__x86_64__)
// Flush-to-zero and denormals-are-zero, bits 15 and 6 of MXCSR.
void rt_call(rt_render render, void *context) {
    unsigned int mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040);
    enter(render, context);
    __builtin_ia32_ldmxcsr(mode);
}
#elif defined(__aarch64__)
// Flush-to-zero, bit 24 of FPCR.
void rt_call(rt_render render, void *context) {
    unsigned long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | 1ul << 24));
    enter(render, context);
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
void rt_call(rt_render render, void *context) { enter(render, context); }
#endif

double rt_sine(double angle) { return sin(angle); }

double rt_cosine(double angle) { return cos(angle); }

double rt_log10(double value) { return log10(value); }

double rt_exponential(double value) { return exp(value); }
