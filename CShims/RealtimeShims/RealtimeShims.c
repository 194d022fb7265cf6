#include "RealtimeShims.h"

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
