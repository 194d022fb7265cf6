// Four threads that use one session at the same time, each with calls of every kind, and open and close handles.
#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 25 };

static avas_session *session;
static atomic_int failures;

static void judge(int result, const char *call) {
    if (result >= 0) return;
    printf("%s: %s\n", call, avas_error_message());
    failures++;
}

static void *use(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        avas_session *own;
        avas_event *event;
        avas_route *route;
        judge(avas_session_open(&own), "open");
        judge(avas_session_activate(own, 0), "activate");
        judge(avas_session_set_type(session, i % 2 == 0 ? "ambient" : "playback"), "set_type");
        route = avas_session_get_route(session);
        judge(route ? avas_route_get_count(route, AVAS_OUTPUT) : -1, "get_route");
        avas_route_unref(route);
        judge(avas_session_should_silence_secondary(session), "should_silence_secondary");
        judge(avas_session_deactivate_async(own, AVAS_NOTIFY_OTHERS, (uint64_t)i), "deactivate_async");
        judge(avas_session_ask_async(own, AVAS_ASK_ROUTE, (uint64_t)i), "ask_async");
        while ((event = avas_session_next_event(session))) avas_event_unref(event);
        judge(avas_session_close(own), "close");
    }
    return unused;
}

int check_threads(void) {
    pthread_t threads[THREADS];
    // A call that hangs is ended by the signal.
    alarm(120);
    judge(avas_session_open(&session), "open");
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    judge(avas_session_activate(session, 0), "activate");
    if (avas_session_get_state(session) != AVAS_STATE_ACTIVE) judge(-1, "get_state");
    return failures;
}
