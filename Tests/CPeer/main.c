// An app in C with a session, for tests: carries out the lines `ID COMMAND [ARGUMENT]...` of its standard input, and
// prints answers and events as JSON, as session-peer does.
#include "peer.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_MEMCHECK
#include <valgrind/memcheck.h>
#else
#define VALGRIND_DO_LEAK_CHECK
#endif

enum { HANDLES = 4 };

static avas_session *handles[HANDLES];
/// Handles whose events are left in their queues.
static int quiet[HANDLES];
static int current;

/// Prints a text as a JSON string.
static void print_text(const char *text) {
    if (!text) {
        printf("null");
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') {
            printf("\\u%04x", *text);
            continue;
        }
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

// MARK: Events

static void print_member(const char *key, const char *text) {
    printf(",\"%s\":", key);
    print_text(text);
}

static void print_route(avas_route *route, int direction) {
    int i, count = avas_route_get_count(route, direction);
    printf(",\"%s\":[", direction == AVAS_OUTPUT ? "outputs" : "inputs");
    for (i = 0; i < count; i++) {
        if (i > 0) putchar(',');
        print_text(avas_route_get_port_uid(route, direction, i));
    }
    putchar(']');
}

static void print_event(const avas_event *event, void *user) {
    static const char *const names[] = {
        "none", "interruption", "interruption", "route", "hint", "lost", "back", "active", "inactive", "mayRetry",
        "inputs", "none", "none", "permission", "reply", "dropped"};
    int type = avas_event_get_type(event);
    avas_route *previous = avas_event_get_previous_route(event), *route = avas_event_get_route(event);
    printf("{\"event\":\"%s\",\"handle\":%d", names[type], *(int *)user);
    if (type == AVAS_EVENT_INTERRUPTION_BEGAN) printf(",\"type\":\"began\"");
    if (type == AVAS_EVENT_INTERRUPTION_ENDED) printf(",\"type\":\"ended\",\"option\":%d", avas_event_get_flag(event));
    printf(",\"reason\":%d,\"flag\":%d", avas_event_get_reason(event), avas_event_get_flag(event));
    printf(",\"cookie\":%llu", (unsigned long long)avas_event_get_cookie(event));
    printf(",\"error\":%d", avas_event_get_error(event));
    printf(",\"pid\":%d,\"time\":%llu", avas_event_get_pid(event), (unsigned long long)avas_event_get_time(event));
    print_member("application", avas_event_get_application(event));
    print_member("message", avas_event_get_error_message(event));
    printf(",\"value\":%.6f", avas_event_get_value(event));
    if (previous) print_route(previous, AVAS_OUTPUT);
    if (route) {
        print_route(route, AVAS_OUTPUT);
        print_route(route, AVAS_INPUT);
    }
    printf("}\n");
    avas_route_unref(previous);
    avas_route_unref(route);
}

// MARK: Commands

/// The signals 1 to 31 without those of a thread's own faults, SIGPROF, and the two that nobody blocks.
static unsigned long long others_signals(void) {
    static const int own[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPROF, SIGKILL, SIGSTOP};
    unsigned long long mask = (1ULL << 31) - 1;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) mask &= ~(1ULL << (own[i] - 1));
    return mask;
}

/// Reads a mask of signals in a process's or thread's state.
static unsigned long long signals(const char *path, const char *format) {
    char line[200];
    unsigned long long mask = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, format, &mask);
    if (file) fclose(file);
    return mask;
}

/// The signals with a handler at the beginning: those of a sanitizer or of Memcheck.
static unsigned long long caught_before;

/// Whether a signal has got a handler since then; the C library takes 32 and 33 for its threads.
static int catches(void) {
    unsigned long long own = 3ULL << 31;
    return (signals("/proc/self/status", "SigCgt: %llx") & ~own & ~caught_before) != 0;
}

/// Returns the number of threads, beside this one, that do not block all of these signals.
static int open_threads(void) {
    int found = 0;
    unsigned long long handled = others_signals();
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    while (threads && (entry = readdir(threads))) {
        char path[300];
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        // A thread that has ended meanwhile has no state.
        if ((signals(path, "SigBlk: %llx") & handled) != handled && access(path, F_OK) == 0) found++;
    }
    if (threads) closedir(threads);
    return found;
}

/// Returns the number of descriptors that a program run by this process has too, without those of libpulse's memory, which
/// it keeps open where the server does not take them.
static int heritable(void) {
    int found = 0;
    DIR *files = opendir("/proc/self/fd");
    struct dirent *entry;
    while (files && (entry = readdir(files))) {
        char path[300], link[300] = "";
        int flags = fcntl(atoi(entry->d_name), F_GETFD);
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (entry->d_name[0] == '.' || readlink(path, link, sizeof link - 1) < 0) continue;
        if (flags >= 0 && !(flags & FD_CLOEXEC) && strncmp(link, "/memfd:pulseaudio", 17)) found++;
    }
    if (files) closedir(files);
    return found;
}

/// The same before there was a session.
static int heritable_before;

/// Runs a program in a child; returns whether that begins with blocked signals, or with more descriptors than before.
static int inherits(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/grep", "grep", "-q", "SigBlk:.0000000000000000$", "/proc/self/status", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return AVAS_ERROR_SYSTEM;
    return status != 0 || heritable() > heritable_before;
}

/// Has a child exit, with the handlers that it has from this process; returns how it ended.
static int exit_in_child(void) {
    int status;
    pid_t child = fork();
    if (child == 0) exit(0);
    if (child < 0 || waitpid(child, &status, 0) != child) return AVAS_ERROR_SYSTEM;
    return status;
}

static int cycle(int times) {
    for (int i = 0; i < times; i++) {
        int result = avas_session_activate(handles[current], 0);
        if (result >= 0) result = avas_session_deactivate(handles[current], 0);
        if (result < 0) return result;
    }
    return 0;
}

/// Prints the block that a function with "copy" in its name returned, and releases it; returns its length.
static int print_block(char **block) {
    int count = 0;
    if (!block) return avas_error_code();
    printf("{\"event\":\"texts\",\"texts\":[");
    for (; block[count]; count++) {
        if (count > 0) putchar(',');
        print_text(block[count]);
    }
    printf("]}\n");
    avas_free(block);
    return count;
}

/// Prints a route, and releases it; returns the number of its outputs.
static int print_whole_route(avas_route *route) {
    char *json;
    int count;
    if (!route) return avas_error_code();
    count = avas_route_get_count(route, AVAS_OUTPUT);
    printf("{\"event\":\"current\"");
    print_route(route, AVAS_OUTPUT);
    print_route(route, AVAS_INPUT);
    if (count > 0) {
        print_member("type", avas_route_get_port_type(route, AVAS_OUTPUT, 0));
        print_member("name", avas_route_get_port_name(route, AVAS_OUTPUT, 0));
        printf(",\"channels\":%d", avas_route_get_port_channels(route, AVAS_OUTPUT, 0));
    }
    printf("}\n");
    json = avas_route_copy_json(route);
    printf("{\"event\":\"json\",\"route\":%s}\n", json);
    avas_free(json);
    avas_route_unref(route);
    return count;
}

static int print_number(int which) {
    double value;
    int result = avas_session_get_number(handles[current], which, &value);
    printf("{\"event\":\"number\",\"number\":%.6f}\n", value);
    return result;
}

static int perform_activation(const char *command, const char *first, const char *second) {
    avas_session *session = handles[current];
    if (!strcmp(command, "activate")) return avas_session_activate(session, 0);
    if (!strcmp(command, "deactivate"))
        return avas_session_deactivate(session, !strcmp(first, "notify") ? AVAS_NOTIFY_OTHERS : 0);
    if (!strcmp(command, "activate-async")) return avas_session_activate_async(session, 0, strtoull(first, NULL, 10));
    if (!strcmp(command, "deactivate-async"))
        return avas_session_deactivate_async(session, AVAS_NOTIFY_OTHERS, strtoull(first, NULL, 10));
    if (!strcmp(command, "warm-up")) return avas_session_warm_up(session);
    if (!strcmp(command, "state")) return avas_session_get_state(session);
    if (!strcmp(command, "playing")) return avas_session_set_playing(session, atoi(first));
    if (!strcmp(command, "other")) return avas_session_is_other_audio_playing(session);
    if (!strcmp(command, "hint")) return avas_session_should_silence_secondary(session);
    if (!strcmp(command, "permission")) return avas_session_get_permission(session);
    if (!strcmp(command, "ask")) return avas_session_request_permission_async(session, strtoull(first, NULL, 10));
    if (!strcmp(command, "question")) return avas_session_ask_async(session, atoi(first), strtoull(second, NULL, 10));
    if (!strcmp(command, "type-async")) return avas_session_set_type_async(session, first, strtoull(second, NULL, 10));
    if (!strcmp(command, "category-async"))
        return avas_session_set_category_async(session, first, NULL, 0, strtoull(second, NULL, 10));
    if (!strcmp(command, "type")) return avas_session_set_type(session, first);
    if (!strcmp(command, "category")) return avas_session_set_category(session, first, second, 0);
    if (!strcmp(command, "preference")) return avas_session_set_preference(session, atoi(first), atoi(second));
    return 1000;
}

static int perform(const char *command, const char *first, const char *second) {
    int number = atoi(first), result = perform_activation(command, first, second);
    if (result != 1000) return result;
    if (!strcmp(command, "settings")) {
        printf("{\"event\":\"settings\"");
        print_member("category", avas_session_get_category(handles[current]));
        print_member("mode", avas_session_get_mode(handles[current]));
        printf(",\"options\":%d}\n", avas_session_get_options(handles[current]));
        return 0;
    }
    if (!strcmp(command, "open")) return avas_session_open(&handles[current = number]);
    if (!strcmp(command, "close")) {
        result = avas_session_close(handles[number]);
        handles[number] = NULL;
        return result;
    }
    if (!strcmp(command, "handle")) return current = number;
    if (!strcmp(command, "quiet")) return quiet[number] = 1;
    if (!strcmp(command, "drain")) return avas_session_dispatch(handles[number], print_event, &number);
    if (!strcmp(command, "wait")) return avas_session_wait(handles[current], number);
    if (!strcmp(command, "cycle")) return cycle(number);
    if (!strcmp(command, "route")) return print_whole_route(avas_session_get_route(handles[current]));
    if (!strcmp(command, "available")) return print_whole_route(avas_session_get_available(handles[current]));
    if (!strcmp(command, "number")) return print_number(number);
    if (!strcmp(command, "properties"))
        return print_block(avas_session_copy_stream_properties(handles[current], number));
    if (!strcmp(command, "environment")) {
        // With what a parent's session has added.
        char *base[] = {
            "HOME=/nowhere", "PULSE_PROP=avaudiosession.owner=12 media.role=game c='d  e' avaudiosession.owner=34 f=g",
            "PIPEWIRE_PROPS={ h = i avaudiosession.owner = \"12\" j = k }", NULL};
        return print_block(avas_session_copy_environment(handles[current], base));
    }
    if (!strcmp(command, "export")) {
        if ((result = avas_session_export_environment(handles[current])) < 0) return result;
        printf("{\"event\":\"exported\"");
        print_member("pulse", getenv("PULSE_PROP"));
        print_member("pipewire", getenv("PIPEWIRE_PROPS"));
        printf("}\n");
        return 0;
    }
    if (!strcmp(command, "identify")) return avas_set_application(first, NULL, NULL);
    if (!strcmp(command, "inherits")) return inherits();
    if (!strcmp(command, "exit-in-child")) return exit_in_child();
    if (!strcmp(command, "open-threads")) return open_threads();
    if (!strcmp(command, "caught")) return catches();
    if (!strcmp(command, "exit")) {
        // Here, as the threads of the library go before Memcheck's last look, and what they hold would count as lost.
        VALGRIND_DO_LEAK_CHECK;
        exit(0);
    }
    return AVAS_ERROR_ARGUMENT;
}

static void answer(char *line) {
    char *words[4] = {"0", "", "", ""};
    int count = 0, result;
    for (char *word = strtok(line, " \n"); word && count < 4; word = strtok(NULL, " \n")) words[count++] = word;
    result = perform(words[1], words[2], words[3]);
    printf("{\"event\":\"answer\",\"id\":%s,\"ok\":%s,\"value\":%d", words[0], result < 0 ? "false" : "true", result);
    if (result < 0) {
        print_member("name", avas_error_name(result));
        print_member("message", avas_error_message());
        printf(",\"code\":%d", result);
    }
    printf("}\n");
}

static void run(void) {
    for (;;) {
        struct pollfd fds[HANDLES + 1] = {{.fd = STDIN_FILENO, .events = POLLIN}};
        for (int i = 0; i < HANDLES; i++) {
            fds[i + 1].fd = handles[i] && !quiet[i] ? avas_session_get_fd(handles[i]) : -1;
            fds[i + 1].events = POLLIN;
        }
        poll(fds, HANDLES + 1, -1);
        for (int i = 0; i < HANDLES; i++)
            if (fds[i + 1].revents) avas_session_dispatch(handles[i], print_event, &i);
        if (fds[0].revents) {
            char line[300];
            if (!fgets(line, sizeof line, stdin)) return;
            answer(line);
        }
    }
}

int main(int argc, char **argv) {
    caught_before = signals("/proc/self/status", "SigCgt: %llx");
    // Lines are read as they come, one for each poll.
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && !strcmp(argv[1], "wrong")) {
        int failures = check_wrong_arguments();
        VALGRIND_DO_LEAK_CHECK;
        return failures > 0;
    }
    if (argc == 2 && !strcmp(argv[1], "fork")) return check_fork() > 0;
    if (argc == 2 && !strcmp(argv[1], "threads")) {
        int failures = check_threads();
        VALGRIND_DO_LEAK_CHECK;
        return failures > 0;
    }
    heritable_before = heritable();
    if (argc == 4 && avas_set_application(argv[1], argv[2], argv[3]) < 0) return 1;
    if (avas_session_open(&handles[0]) < 0) return 1;
    printf("{\"event\":\"ready\"}\n");
    run();
    VALGRIND_DO_LEAK_CHECK;
    return 0;
}
