// What a library costs a program in C, measured by that program: scripts/bench-library builds it once for each library,
// with -DWITH_AVAS, -DWITH_PULSE, -DWITH_CANBERRA, -DWITH_MPV, or nothing.
//
//     PROGRAM start               loads the library, and ends
//     PROGRAM active              is active on the sound server; prints resident and anonymous memory in kB
//     PROGRAM time N PROGRAM      prints the median processor time of N processes `PROGRAM start`, in microseconds
//     PROGRAM events N            prints the median and longest time from N events to their callback, in microseconds
//     PROGRAM cycles N            prints the anonymous memory in kB before and after N activations and deactivations, and the
//                                 processor time of one of them, in microseconds
//
// The last two are of the C library alone.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/// A line of the kernel's summary of this process's memory, in kB.
static long memory(const char *format) {
    char line[200];
    long kilobytes = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, format, &kilobytes);
    if (file) fclose(file);
    return kilobytes;
}

static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// MARK: Libraries

#if defined WITH_AVAS
#include <avaudiosession.h>

static avas_session *session;
static void load(void) { (void)avas_version(); }

static void be_active(void) {
    if (avas_session_open(&session) < 0 || avas_session_set_type(session, "playback") < 0
        || avas_session_activate(session, 0) < 0)
        fail(avas_error_message());
}
#elif defined WITH_PULSE
#include <pulse/pulseaudio.h>

static void load(void) { (void)pa_get_library_version(); }

static void be_active(void) {
    pa_mainloop *loop = pa_mainloop_new();
    pa_context *context = pa_context_new(pa_mainloop_get_api(loop), "bench");
    pa_context_connect(context, NULL, PA_CONTEXT_NOFLAGS, NULL);
    while (pa_context_get_state(context) != PA_CONTEXT_READY) {
        if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) || pa_mainloop_iterate(loop, 1, NULL) < 0)
            fail("no connection");
    }
}
#elif defined WITH_CANBERRA
#include <canberra.h>

static void load(void) { (void)ca_strerror(0); }

static void be_active(void) {
    ca_context *context;
    if (ca_context_create(&context) < 0 || ca_context_set_driver(context, "pulse") < 0 || ca_context_open(context) < 0)
        fail("no connection");
}
#elif defined WITH_MPV
#include <mpv/client.h>

static void load(void) { (void)mpv_client_api_version(); }

static void be_active(void) {
    const char *command[] = {"loadfile", "av://lavfi:anullsrc", NULL};
    mpv_handle *player = mpv_create();
    if (!player || mpv_set_option_string(player, "ao", "pulse") < 0 || mpv_set_option_string(player, "vid", "no") < 0
        || mpv_initialize(player) < 0 || mpv_command(player, command) < 0)
        fail("no player");
    for (;;) {
        mpv_event_id event = mpv_wait_event(player, 20)->event_id;
        if (event == MPV_EVENT_PLAYBACK_RESTART) return;
        if (event == MPV_EVENT_NONE || event == MPV_EVENT_END_FILE) fail("it does not play");
    }
}
#else
static void load(void) {}
static void be_active(void) {}
#endif

// MARK: Measurements

static void measure_start(int count, char *program) {
    extern char **environ;
    uint64_t *times = calloc((size_t)count, sizeof *times);
    char *words[] = {program, "start", NULL};
    for (int i = 0; i < count; i++) {
        struct rusage usage;
        pid_t child;
        int status;
        if (posix_spawn(&child, program, NULL, NULL, words, environ) != 0) fail(program);
        if (wait4(child, &status, 0, &usage) != child || status != 0) fail("it does not start");
        times[i] = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
                   + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    printf("%llu\n", (unsigned long long)times[count / 2]);
}

#if defined WITH_AVAS
static struct {
    uint64_t *times;
    int count, wanted;
} delays;

static void note(const avas_event *event, void *unused) {
    struct timespec now;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (avas_event_get_type(event) == AVAS_EVENT_INTERRUPTION_ENDED) avas_session_activate_async(session, 0, 1);
    if (avas_event_get_type(event) != AVAS_EVENT_INTERRUPTION_BEGAN || delays.count == delays.wanted) return;
    delays.times[delays.count++] =
        (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - avas_event_get_time(event);
}

/// Interrupts the other process again and again, until it is killed.
static void interrupt(void) {
    const struct timespec pause = {0, 30000000};
    for (;;) {
        be_active();
        nanosleep(&pause, NULL);
        avas_session_deactivate(session, AVAS_NOTIFY_OTHERS);
        avas_session_close(session);
        nanosleep(&pause, NULL);
    }
}

static void measure_events(int count, char *program) {
    extern char **environ;
    char *words[] = {program, "interrupt", NULL};
    pid_t child;
    delays.times = calloc((size_t)count, sizeof *delays.times);
    delays.wanted = count;
    be_active();
    if (posix_spawn(&child, program, NULL, NULL, words, environ) != 0) fail(program);
    struct pollfd events = {avas_session_get_fd(session), POLLIN, 0};
    while (delays.count < count && poll(&events, 1, 20000) > 0) avas_session_dispatch(session, note, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (delays.count < count) fail("no event within 20 s");
    qsort(delays.times, (size_t)count, sizeof *delays.times, by_size);
    printf("%llu %llu\n", (unsigned long long)delays.times[count / 2] / 1000,
           (unsigned long long)delays.times[count - 1] / 1000);
}

/// The processor time of this process in microseconds.
static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void measure_cycles(int count) {
    long before = 0;
    double start = 0;
    be_active();
    for (int i = -1000; i < count; i++) {
        avas_event *event;
        if (i == 0) {
            before = memory("Anonymous: %ld");
            start = processor_time();
        }
        if (avas_session_deactivate(session, 0) < 0 || avas_session_activate(session, 0) < 0) fail(avas_error_message());
        while ((event = avas_session_next_event(session))) avas_event_unref(event);
    }
    double each = (processor_time() - start) / count;
    printf("%ld %ld %.1f\n", before, memory("Anonymous: %ld"), each);
}
#endif

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    load();
    if (argc == 2 && !strcmp(mode, "start")) return 0;
    if (argc == 4 && !strcmp(mode, "time")) {
        measure_start(atoi(argv[2]), argv[3]);
    } else if (argc == 2 && !strcmp(mode, "active")) {
        be_active();
        printf("%ld %ld\n", memory("Rss: %ld"), memory("Anonymous: %ld"));
        fflush(stdout);
        _exit(0);
#if defined WITH_AVAS
    } else if (argc == 2 && !strcmp(mode, "interrupt")) {
        interrupt();
    } else if (argc == 3 && !strcmp(mode, "events")) {
        measure_events(atoi(argv[2]), argv[0]);
    } else if (argc == 3 && !strcmp(mode, "cycles")) {
        measure_cycles(atoi(argv[2]));
#endif
    } else {
        fprintf(stderr, "usage: see the head of Benchmarks/library/main.c\n");
        return 64;
    }
    return 0;
}
