/*
 * c-poll: a program with a poll() loop that takes part in audio sessions.
 *
 *     cc main.c -o c-poll $(pkg-config --cflags --libs avaudiosession)
 *     ./c-poll [TYPE]
 *
 * TYPE is one of the types of avas_session_set_type(), "playback" without it.
 *
 * It plays nothing itself. Where it says "play" and "pause", a program starts and pauses its streams.
 */
#define _GNU_SOURCE /* ppoll() */
#include <avaudiosession.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t leaving;
static const char *type = "playback";

static void leave(int signal) {
    (void)signal;
    leaving = 1;
}

/* Called by avas_session_dispatch() on the thread of main(). */
static void handle(const avas_event *event, void *user) {
    avas_session *session = user;
    const char *who = avas_event_get_application(event);

    switch (avas_event_get_type(event)) {
    case AVAS_EVENT_REPLY:
        if (avas_event_get_error(event) < 0)
            printf("not active: %s\n", avas_event_get_error_message(event));
        else
            printf("active: play\n");
        break;
    case AVAS_EVENT_INTERRUPTION_BEGAN:
        printf("interrupted by %s: pause\n", who ? who : "somebody");
        break;
    case AVAS_EVENT_INTERRUPTION_ENDED:
        if (avas_event_get_flag(event))
            avas_session_activate_async(session, 0, 1);
        else
            printf("the interruption is over, but not to resume\n");
        break;
    case AVAS_EVENT_MAY_RETRY: /* The call is over that refused us. */
        avas_session_activate_async(session, 0, 1);
        break;
    case AVAS_EVENT_SERVER_BACK:
        avas_session_set_type(session, type);
        avas_session_activate_async(session, 0, 1);
        break;
    default:
        break; /* New types will come. */
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    avas_session *session;
    struct pollfd events;
    struct sigaction action;
    sigset_t ends, before;

    /* The two signals come only while ppoll() waits. */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, &before);
    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    if (argc > 1) type = argv[1];
    if (avas_set_application("org.example.CPoll", "C poll", "audio-x-generic") < 0 || avas_session_open(&session) < 0
        || avas_session_set_type(session, type) < 0) {
        fprintf(stderr, "c-poll: %s\n", avas_error_message());
        return 1;
    }
    avas_session_activate_async(session, 0, 1); /* The reply is an event. */

    events.fd = avas_session_get_fd(session);
    events.events = POLLIN;
    while (!leaving) {
        if (ppoll(&events, 1, NULL, &before) > 0) avas_session_dispatch(session, handle, session);
    }

    avas_session_deactivate(session, AVAS_NOTIFY_OTHERS);
    avas_session_close(session);
    return 0;
}
