// Wrong arguments for every function: NULL, what was closed or released, an object of another kind, numbers without a
// meaning, texts that are not UTF-8. It needs a sound server.
#include "peer.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static int failures;

/// Judges a result: a code that must be this one, and a message beside it.
static void expect(int line, const char *call, long long result, long long wanted) {
    int is_told = wanted >= 0 || (avas_error_code() == wanted && *avas_error_message() != 0);
    if (result == wanted && is_told) return;
    printf("line %d: %s is %lld and not %lld (%s)\n", line, call, result, wanted, avas_error_message());
    failures++;
}

#define EXPECT(call, wanted) expect(__LINE__, #call, (long long)(call), (wanted))
/// The call must return NULL, and note this error.
#define EXPECT_NULL(call, error) \
    expect(__LINE__, #call, (call) == NULL ? avas_error_code() : 1, (error))

static void never(const avas_event *event, void *user) {
    (void)event;
    (void)user;
    failures++;
}

static const char not_utf8[] = "play\xff";

/// Functions of a session with something that is none; `error` is that of all of them.
static void check_session(avas_session *session, int error) {
    char *none[] = {NULL};
    double value;
    EXPECT(avas_session_set_type(session, "playback"), error);
    EXPECT(avas_session_set_category(session, "playback", NULL, 0), error);
    EXPECT(avas_session_set_type_async(session, "playback", 1), error);
    EXPECT(avas_session_set_category_async(session, "playback", NULL, 0, 1), error);
    EXPECT(avas_session_ask_async(session, AVAS_ASK_ROUTE, 1), error);
    EXPECT_NULL(avas_session_get_category(session), error);
    EXPECT_NULL(avas_session_get_mode(session), error);
    EXPECT(avas_session_get_options(session), error);
    EXPECT(avas_session_set_preference(session, 1, 1), error);
    EXPECT(avas_session_get_preference(session, 1), error);
    EXPECT(avas_session_activate(session, 0), error);
    EXPECT(avas_session_deactivate(session, 0), error);
    EXPECT(avas_session_activate_async(session, 0, 1), error);
    EXPECT(avas_session_deactivate_async(session, 0, 1), error);
    EXPECT(avas_session_warm_up(session), error);
    EXPECT(avas_session_get_state(session), error);
    EXPECT(avas_session_set_playing(session, 1), error);
    EXPECT(avas_session_is_other_audio_playing(session), error);
    EXPECT(avas_session_should_silence_secondary(session), error);
    EXPECT(avas_session_get_fd(session), error);
    EXPECT_NULL(avas_session_next_event(session), error);
    EXPECT(avas_session_wait(session, 0), error);
    EXPECT(avas_session_wait(session, -1), error);
    EXPECT(avas_session_dispatch(session, never, NULL), error);
    EXPECT_NULL(avas_session_get_route(session), error);
    EXPECT_NULL(avas_session_get_available(session), error);
    value = 1;
    EXPECT(avas_session_get_number(session, AVAS_NUMBER_SAMPLE_RATE, &value), error);
    EXPECT(value == 0, 1);
    EXPECT_NULL(avas_session_copy_stream_properties(session, AVAS_OUTPUT), error);
    EXPECT_NULL(avas_session_copy_environment(session, NULL), error);
    EXPECT_NULL(avas_session_copy_environment(session, none), error);
    EXPECT(avas_session_export_environment(session), error);
    EXPECT(avas_session_get_permission(session), error);
    EXPECT(avas_session_request_permission_async(session, 1), error);
}

static void check_event(avas_event *event, int error) {
    EXPECT_NULL(avas_event_ref(event), error);
    EXPECT(avas_event_get_type(event), error);
    EXPECT(avas_event_get_reason(event), error);
    EXPECT(avas_event_get_flag(event), error);
    EXPECT(avas_event_get_error(event), error);
    EXPECT(avas_event_get_pid(event), error);
    EXPECT(avas_event_get_time(event), 0);
    EXPECT(avas_event_get_cookie(event), 0);
    EXPECT_NULL(avas_event_get_error_message(event), error);
    EXPECT_NULL(avas_event_get_application(event), error);
    EXPECT_NULL(avas_event_get_previous_route(event), error);
    EXPECT_NULL(avas_event_get_route(event), error);
    EXPECT(avas_event_get_value(event) == 0, 1);
    avas_event_unref(event);
}

static void check_route(avas_route *route, int error) {
    EXPECT_NULL(avas_route_ref(route), error);
    EXPECT(avas_route_get_count(route, AVAS_OUTPUT), error);
    EXPECT_NULL(avas_route_get_port_type(route, AVAS_OUTPUT, 0), error);
    EXPECT_NULL(avas_route_get_port_name(route, AVAS_OUTPUT, 0), error);
    EXPECT_NULL(avas_route_get_port_uid(route, AVAS_OUTPUT, 0), error);
    EXPECT(avas_route_get_port_channels(route, AVAS_OUTPUT, 0), error);
    EXPECT_NULL(avas_route_copy_json(route), error);
    avas_route_unref(route);
}

/// Texts and numbers without a meaning, for a session that is there.
static void check_values(avas_session *session) {
    char long_text[300];
    double value;
    EXPECT(avas_session_set_type(session, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_type(session, "opera"), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_type(session, not_utf8), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, NULL, NULL, 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "", NULL, 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, not_utf8, NULL, 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "playback", "opera", 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "playback", not_utf8, 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "playback", "voiceChat", 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "playback", NULL, UINT32_MAX), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "playback", NULL, 0x80000000), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category(session, "record", NULL, AVAS_OPTION_DUCK_OTHERS), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_type_async(session, NULL, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_type_async(session, "opera", 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category_async(session, NULL, NULL, 0, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category_async(session, "playback", not_utf8, 0, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_category_async(session, "record", NULL, AVAS_OPTION_DUCK_OTHERS, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_ask_async(session, 0, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_ask_async(session, AVAS_ASK_CONNECTION + 1, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_ask_async(session, AVAS_ASK_NUMBER, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_ask_async(session, AVAS_ASK_NUMBER + 9, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_ask_async(session, INT_MAX, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_ask_async(session, INT_MIN, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(strcmp(avas_session_get_category(session), "soloAmbient"), 0);
    EXPECT(avas_session_set_preference(session, 0, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_preference(session, INT_MAX, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_preference(session, 1, 2), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_preference(session, 1, INT_MIN), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_get_preference(session, 99), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_get_preference(session, AVAS_PREFERENCE_INTERRUPTION_ON_ROUTE_DISCONNECT), 1);
    EXPECT(avas_session_set_preference(session, AVAS_PREFERENCE_NO_INTERRUPTION_BY_RINGING, 1), 0);
    EXPECT(avas_session_get_preference(session, AVAS_PREFERENCE_NO_INTERRUPTION_BY_RINGING), 1);
    EXPECT(avas_session_set_preference(session, AVAS_PREFERENCE_NO_INTERRUPTION_BY_RINGING, 0), 0);
    EXPECT(avas_session_get_preference(session, AVAS_PREFERENCE_NO_INTERRUPTION_BY_RINGING), 0);
    EXPECT(avas_session_activate(session, AVAS_NOTIFY_OTHERS), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_activate_async(session, 8, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_deactivate(session, 2), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_deactivate_async(session, UINT32_MAX, 1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_playing(session, -1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_set_playing(session, INT_MIN), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_dispatch(session, NULL, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_get_number(session, AVAS_NUMBER_SAMPLE_RATE, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_get_number(session, 0, &value), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_get_number(session, INT_MAX, &value), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_get_number(session, INT_MIN, &value), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_session_copy_stream_properties(session, 2), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_session_copy_stream_properties(session, -1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_set_application(NULL, NULL, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_set_application("", NULL, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_set_application(not_utf8, NULL, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_set_application("org.example.Peer", not_utf8, NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_set_application("org.example.Peer", NULL, "a\nb"), AVAS_ERROR_ARGUMENT);
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    EXPECT(avas_set_application(long_text, NULL, NULL), AVAS_ERROR_ARGUMENT);
    // The settings were read: it is too late for a name.
    EXPECT(avas_set_application("org.example.Late", NULL, NULL), AVAS_ERROR_STATE);
    EXPECT(avas_session_wait(session, 0), 0);
    EXPECT(avas_session_next_event(session) == NULL, 1);
}

/// Without a descriptor there is no handle, and later there is one.
static void check_descriptors(void) {
    struct rlimit all, few;
    avas_session *session;
    EXPECT(getrlimit(RLIMIT_NOFILE, &all), 0);
    few = all;
    few.rlim_cur = 0;
    EXPECT(setrlimit(RLIMIT_NOFILE, &few), 0);
    session = (avas_session *)not_utf8;
    EXPECT(avas_session_open(&session), AVAS_ERROR_SYSTEM);
    EXPECT(session == NULL, 1);
    EXPECT(setrlimit(RLIMIT_NOFILE, &all), 0);
    EXPECT(avas_session_open(&session), 0);
    EXPECT(avas_session_close(session), 0);
}

/// A message that is too long ends between two characters.
static void check_long_message(avas_session *session) {
    char text[602] = "x";
    const char *message;
    for (int i = 0; i < 300; i++) strcat(text, "\xc3\xa9");
    EXPECT(avas_session_set_type(session, text), AVAS_ERROR_ARGUMENT);
    message = avas_error_message();
    EXPECT(strlen(message) > 300 && strlen(message) < 600, 1);
    EXPECT(message[strlen(message) - 1] == '\xa9', 1);
}

static avas_event *kept;

static void keep(const avas_event *event, void *user) {
    (void)user;
    if (!kept) kept = avas_event_ref(event);
}

/// A reference keeps an event and a route, without their handle too, and the last release is the end of them.
static void check_references(void) {
    avas_session *session;
    avas_route *route;
    EXPECT(avas_session_open(&session), 0);
    EXPECT(avas_session_activate(session, 0), 0);
    EXPECT(avas_session_dispatch(session, keep, NULL) > 0, 1);
    route = avas_session_get_route(session);
    EXPECT(avas_session_deactivate(session, 0), 0);
    EXPECT(avas_session_close(session), 0);
    EXPECT(avas_event_ref(kept) == kept, 1);
    avas_event_unref(kept);
    EXPECT(avas_event_get_type(kept), AVAS_EVENT_ACTIVE);
    avas_event_unref(kept);
    check_event(kept, AVAS_ERROR_CLOSED);
    EXPECT(avas_route_ref(route) == route, 1);
    avas_route_unref(route);
    EXPECT(avas_route_get_count(route, AVAS_OUTPUT), 1);
    EXPECT(avas_route_get_count(route, 2), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_route_get_port_type(route, AVAS_OUTPUT, 1), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_route_get_port_type(route, 2, 0), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_route_get_port_name(route, -1, 0), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_route_get_port_uid(route, INT_MAX, 0), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_route_get_port_channels(route, 2, 0), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_route_get_port_name(route, AVAS_OUTPUT, 1), AVAS_ERROR_ARGUMENT);
    EXPECT_NULL(avas_route_get_port_uid(route, AVAS_OUTPUT, -1), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_route_get_port_channels(route, AVAS_OUTPUT, INT_MAX), AVAS_ERROR_ARGUMENT);
    avas_route_unref(route);
    check_route(route, AVAS_ERROR_CLOSED);
}

static void *wait_for_ever(void *session) { return (void *)(intptr_t)avas_session_wait(session, -1); }

/// A thread that waits with a handle returns when another one closes it.
static void check_close_while_waiting(void) {
    for (int i = 0; i < 50; i++) {
        avas_session *session;
        pthread_t thread;
        void *result;
        EXPECT(avas_session_open(&session), 0);
        pthread_create(&thread, NULL, wait_for_ever, session);
        EXPECT(avas_session_close(session), 0);
        pthread_join(thread, &result);
        EXPECT((intptr_t)result == AVAS_ERROR_CLOSED, 1);
    }
}

int check_wrong_arguments(void) {
    static char object[64];
    avas_session *session, *other;
    EXPECT(avas_session_open(NULL), AVAS_ERROR_ARGUMENT);
    EXPECT(avas_session_open(&session), 0);
    EXPECT(avas_session_open(&other), 0);
    check_session(NULL, AVAS_ERROR_ARGUMENT);
    check_session((avas_session *)object, AVAS_ERROR_CLOSED);
    check_session((avas_session *)(object + 3), AVAS_ERROR_CLOSED);
    check_values(session);
    check_long_message(session);
    check_event(NULL, AVAS_ERROR_ARGUMENT);
    check_event((avas_event *)session, AVAS_ERROR_CLOSED);
    check_route(NULL, AVAS_ERROR_ARGUMENT);
    check_route((avas_route *)session, AVAS_ERROR_CLOSED);
    EXPECT(avas_session_close(session), 0);
    EXPECT(avas_session_close(session), AVAS_ERROR_CLOSED);
    EXPECT(avas_session_close(NULL), 0);
    check_session(session, AVAS_ERROR_CLOSED);
    // The other one is as it was.
    EXPECT(avas_session_get_state(other), AVAS_STATE_INACTIVE);
    EXPECT(avas_session_close(other), 0);
    check_descriptors();
    check_close_while_waiting();
    check_references();
    avas_free(NULL);
    EXPECT(strcmp(avas_error_name(INT_MIN), "AVAS_ERROR_OTHER"), 0);
    EXPECT(strcmp(avas_error_name(INT_MAX), "AVAS_OK"), 0);
    EXPECT(strcmp(avas_error_name(AVAS_ERROR_SYSTEM), "AVAS_ERROR_SYSTEM"), 0);
    EXPECT(avas_error_status(AVAS_ERROR_CALL), 561017449);
    EXPECT(avas_error_status(INT_MIN), 2003329396);
    EXPECT(avas_error_status(5), 0);
    EXPECT(avas_version(), AVAS_VERSION);
    return failures;
}
