/*
 * c-speak: says something, and lowers what others play meanwhile.
 *
 *     cc main.c -o c-speak $(pkg-config --cflags --libs avaudiosession)
 *     ./c-speak "Turn left."
 *
 * espeak-ng, or the program that SPEAKER names, speaks as a child of this program. Its stream belongs to the session by
 * the environment that the child gets. Whatever ends the speech, others are loud again: the end of the text, SIGINT or
 * SIGTERM, an interruption, a child that cannot be started.
 *
 * The exit status is that of the child, 1 if there is no session or no child, 128 and the signal's number after one.
 */
#define _GNU_SOURCE /* ppoll() */
#include <avaudiosession.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended_by;

static void note(int signal) {
    if (signal != SIGCHLD) ended_by = signal;
}

/* Blocks the signals that end the program, or tell that the child is gone: they come while ppoll() waits. */
static void take_signals(sigset_t *before) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    struct sigaction action;
    sigset_t ours;
    size_t i;

    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&ours);
    for (i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaddset(&ours, signals[i]);
        sigaction(signals[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &ours, before);
}

/* Starts the speaker with the session's environment; 0 without one, after a message. */
static pid_t start(avas_session *session, char **words, const sigset_t *mask) {
    posix_spawnattr_t attributes;
    char **environment = avas_session_copy_environment(session, NULL);
    pid_t child = 0;
    int error;

    if (!environment) {
        fprintf(stderr, "c-speak: %s\n", avas_error_message());
        return 0;
    }
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    error = posix_spawnp(&child, words[0], NULL, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    avas_free(environment);
    if (error == 0) return child;
    fprintf(stderr, "c-speak: %s cannot be started: %s\n", words[0], strerror(error));
    return 0;
}

/* Waits until the child has spoken, and ends it where it has to be silent, by force after a second; its exit status. */
static int speak(avas_session *session, pid_t child, const sigset_t *before) {
    static const struct timespec patience = {1, 0};
    struct pollfd events = {avas_session_get_fd(session), POLLIN, 0};
    int is_asked = 0;
    int status;

    while (waitpid(child, &status, WNOHANG) == 0) {
        avas_event *event;
        if (ppoll(&events, 1, is_asked ? &patience : NULL, before) == 0) kill(child, SIGKILL);
        while ((event = avas_session_next_event(session)) != NULL) {
            int type = avas_event_get_type(event);
            /* A prompt is of the moment: it is not repeated after a call. */
            if (type == AVAS_EVENT_INTERRUPTION_BEGAN || type == AVAS_EVENT_SERVER_LOST) is_asked = 1;
            avas_event_unref(event);
        }
        if (ended_by) is_asked = 1;
        if (is_asked) kill(child, SIGTERM);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
    avas_session *session;
    sigset_t before;
    char *words[] = {getenv("SPEAKER"), "--", argv[1], NULL};
    pid_t child;
    int status = 1;

    if (argc != 2) {
        fprintf(stderr, "usage: c-speak TEXT\n");
        return 64;
    }
    if (!words[0]) words[0] = "espeak-ng";
    take_signals(&before);
    if (avas_set_application("org.example.CSpeak", "C speak", "audio-x-generic") < 0 || avas_session_open(&session) < 0
        || avas_session_set_type(session, "transient") < 0 || avas_session_activate(session, 0) < 0) {
        fprintf(stderr, "c-speak: %s\n", avas_error_message());
        return 1;
    }
    child = start(session, words, &before);
    if (child > 0) status = speak(session, child, &before);
    avas_session_deactivate(session, AVAS_NOTIFY_OTHERS);
    avas_session_close(session);
    return ended_by ? 128 + ended_by : status;
}
