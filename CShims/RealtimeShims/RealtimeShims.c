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

void rt_call(rt_render render, void *context) { enter(render, context); }

double rt_sine(double angle) { return sin(angle); }

double rt_cosine(double angle) { return cos(angle); }

double rt_log10(double value) { return log10(value); }
