// Children made with fork() while another thread is in the middle of calls, with locks held.
#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 25 };

static atomic_bool over;
static avas_session *session;

static void *activate_again_and_again(void *unused) {
    while (!over && avas_session_activate(session, 0) >= 0 && avas_session_deactivate(session, 0) >= 0) {}
    return unused;
}

/// What a child sees; returns how many functions did not refuse.
static int check_child(avas_event *event) {
    avas_session *another = session;
    int wrong = 0;
    wrong += avas_session_get_state(session) != AVAS_ERROR_FORKED;
    wrong += avas_session_activate(session, 0) != AVAS_ERROR_FORKED;
    wrong += avas_session_next_event(session) != NULL || avas_error_code() != AVAS_ERROR_FORKED;
    wrong += avas_session_copy_environment(session, NULL) != NULL;
    wrong += avas_session_warm_up(session) != AVAS_ERROR_FORKED;
    wrong += avas_session_get_available(session) != NULL;
    wrong += avas_event_get_type(event) != AVAS_ERROR_FORKED;
    wrong += avas_session_open(&another) != AVAS_ERROR_FORKED || another != NULL;
    wrong += avas_set_application("org.example.Child", NULL, NULL) != AVAS_ERROR_FORKED;
    avas_event_unref(event);
    wrong += avas_session_close(session) != 0;
    return wrong;
}

int check_fork(void) {
    pthread_t thread;
    avas_event *event;
    int failures = 0, status;
    // A child that hangs is ended by the signal, as is this process.
    alarm(120);
    if (avas_session_open(&session) < 0 || avas_session_activate(session, 0) < 0) {
        printf("%s\n", avas_error_message());
        return 1;
    }
    event = avas_session_next_event(session);
    fflush(stdout);
    pthread_create(&thread, NULL, activate_again_and_again, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(30);
            exit(check_child(event));
        }
        if (waitpid(child, &status, 0) != child || status != 0) {
            printf("child %d ended with status %x\n", i, status);
            failures++;
        }
    }
    over = 1;
    pthread_join(thread, NULL);
    // The parent's session is as it was.
    if (avas_session_activate(session, 0) < 0 || avas_event_get_type(event) != AVAS_EVENT_ACTIVE) {
        printf("the parent: %s\n", avas_error_message());
        failures++;
    }
    return failures;
}
