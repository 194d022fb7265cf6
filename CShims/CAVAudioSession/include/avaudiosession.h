/*
 * avaudiosession.h: audio sessions for the Linux desktop, in C.
 *
 * A session says what a program's sound is for. Programs with sessions interrupt each other, lower each other and give
 * the sound back, without a daemon, through the PulseAudio or PipeWire server that they share. This library makes no
 * sound itself: streams of any other library in the process (SDL, OpenAL, GStreamer, libpulse) belong to the session.
 *
 * HOW TO BEGIN
 *
 *     avas_session *session;
 *     if (avas_session_open(&session) < 0) return;
 *     avas_session_set_type(session, "playback");
 *     if (avas_session_activate(session, 0) < 0) puts(avas_error_message());
 *     ... play; poll avas_session_get_fd(session), and take events with avas_session_next_event(session) ...
 *     avas_session_deactivate(session, AVAS_NOTIFY_OTHERS);
 *     avas_session_close(session);
 *
 * The process has one session. Each part of a program that opens it gets a handle with an event queue of its own. All
 * handles change the same session, and each of them is told every event. A session ends by deactivation or with the
 * process, not when a handle is closed.
 *
 * THREADS. Every function may be called on any thread, and no function of the program is ever called on a thread of the
 * library. The library's threads block all signals but those of their own faults, such as SIGSEGV, and SIGPROF; no
 * signal handler is installed. The library is not for signal handlers.
 *
 * WAITING. A function that waits for the sound server or the desktop says so, and for how long. Calls that change the
 * session wait for their turn before, while other threads are in such calls. All others return at once. What waits has
 * a twin that returns at once and answers by an AVAS_EVENT_REPLY: avas_session_activate_async(),
 * avas_session_deactivate_async(), avas_session_set_category_async(), avas_session_set_type_async(), and for questions
 * avas_session_ask_async(). Those that change the session are carried out one after the other, in their order, and so
 * are questions.
 *
 * ERRORS. A result of type int is 0 or more on success, or one of AVAS_ERROR_. A result that is a pointer is NULL on
 * failure. avas_error_code() and avas_error_message() tell the calling thread about its last failure. A wrong argument
 * is an error and never ends the program: NULL, a handle that was closed, an event or a route that was released, a
 * number without a meaning, a text that is not UTF-8.
 *
 * OWNERSHIP. avas_session, avas_event and avas_route are references and not addresses: do not read what they point to.
 * A session is closed with avas_session_close(). Events and routes never change and are counted: who gets one releases
 * it with avas_event_unref() or avas_route_unref(). Texts without a word about it belong to the object that was asked,
 * and are valid as long as it is. What a function with "copy" in its name returns is released with avas_free(). The
 * library keeps no pointer of the program's beyond the call.
 *
 * TEXTS are UTF-8, and end with a zero byte.
 *
 * FORK. After fork() without exec() the child cannot use the session: functions fail with AVAS_ERROR_FORKED there, and
 * the child's exit() leaves the parent's session alone. avas_session_close() and the functions that release do nothing.
 *
 * EXIT. A program may exit at any time. exit() waits, usually for 0.1 s at most, until others have read that the
 * session is over, and longer, for 11 s at most, while streams of others that it lowered come back. A program that ends
 * by _exit() or a signal counts as vanished: the interrupted resume nothing, and what was lowered comes back by itself,
 * if another program with a session or the program audiosession is there. The library is never unloaded.
 *
 * LATER VERSIONS add functions and numbers; nothing is removed or changes its meaning as long as the library is called
 * libavaudiosession.so.1. Ignore events and reasons that you do not know.
 *
 * ENVIRONMENT: PULSE_SERVER and the other variables of libpulse; the user's settings AVAUDIOSESSION_*
 * (docs/settings.md). A program with the rights of another user or group than its caller's (setuid, setgid) ignores the
 * settings, and looks for no bus by its environment. libpulse reads its own variables all the same.
 */
#ifndef AVAUDIOSESSION_H
#define AVAUDIOSESSION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: major << 16 | minor << 8 | patch. */
#define AVAS_VERSION 0x00000100

/* ------------------------------------------------------------------------------------------------ Objects */

/* A handle to the session of this process. */
typedef struct avas_session avas_session;
/* Something that happened to the session, taken from a handle's queue. */
typedef struct avas_event avas_event;
/* The inputs and outputs of the session at one moment. */
typedef struct avas_route avas_route;

/* ------------------------------------------------------------------------------------------------ Errors */

/* A wrong argument: NULL, an unknown name or number, a text that is not UTF-8, settings that cannot be combined. */
#define AVAS_ERROR_ARGUMENT (-1)
/* The handle was closed, or the event or route was released, or the pointer never was one. */
#define AVAS_ERROR_CLOSED (-2)
/* The call comes too late or too early. */
#define AVAS_ERROR_STATE (-3)
/* No sound server answers, or it went away and has not come back. */
#define AVAS_ERROR_NO_SERVER (-4)
/* The category records, and a call has priority. AVAS_EVENT_MAY_RETRY follows when it is over. */
#define AVAS_ERROR_CALL (-5)
/* The category records, and there is no microphone; or it plays, and there is no output. */
#define AVAS_ERROR_NO_DEVICE (-6)
/* Streams were running when the session was deactivated. It is inactive all the same. */
#define AVAS_ERROR_BUSY (-7)
/* The process is a child that was made with fork(), and has not run exec(). */
#define AVAS_ERROR_FORKED (-8)
/* The category does not support the operation. */
#define AVAS_ERROR_CATEGORY (-9)
/* The system refused: no memory, no descriptor. */
#define AVAS_ERROR_SYSTEM (-10)
/* Anything else. */
#define AVAS_ERROR_OTHER (-11)

/* Returns the name of an error, "AVAS_ERROR_BUSY"; "AVAS_OK" for 0 and more. Static, never NULL, never translated. */
const char *avas_error_name(int error);

/* Returns the code of the last call that failed on this thread; 0 if none did. */
int avas_error_code(void);

/* Returns one sentence about the last call that failed on this thread; "" if none did, never NULL.
 * Valid until the next failure on the same thread. */
const char *avas_error_message(void);

/* Returns Apple's number for an error, such as 561017449 ('!pri'), for programs that come from there; 0 if there is
 * none. */
int32_t avas_error_status(int error);

/* ------------------------------------------------------------------------------------------------ The library */

/* Returns the version of the library that runs, in the form of AVAS_VERSION. */
uint32_t avas_version(void);

/* Releases what a function with "copy" in its name returned; NULL is allowed. */
void avas_free(void *block);

/* Sets the identifier, name and icon under which mixers, desktops and other sessions show the program.
 *
 * For programs that do not bear their own name, such as scripts of an interpreter. Without it the program's file name
 * is used. The user's variables PULSE_PROP_application.id, .name and .icon_name have precedence. Call it before
 * avas_session_open(): once the session was used, be it for a setting, it fails with AVAS_ERROR_STATE.
 *
 * identifier: as in the name of the desktop file, "org.example.Player".
 * name: what people read; NULL for the program's file name.
 * icon: the name of an icon in the desktop's theme; NULL for the identifier.
 * AVAS_ERROR_ARGUMENT: a text is empty, longer than 200 bytes, has control characters, or is not UTF-8. */
int avas_set_application(const char *identifier, const char *name, const char *icon);

/* ------------------------------------------------------------------------------------------------ Handles */

/* Opens a handle to the process's session, and stores it in *session.
 *
 * Starts no thread, connects to nothing and changes nothing. On failure *session is NULL.
 * AVAS_ERROR_SYSTEM: there is no descriptor left. */
int avas_session_open(avas_session **session);

/* Closes a handle: its events are dropped, its descriptor is closed, and threads that wait with it return.
 *
 * Take the descriptor out of the event loop first. The session stays as it is, but that this handle's streams do not
 * count as playing any more, see avas_session_set_playing(). NULL is allowed. */
int avas_session_close(avas_session *session);

/* ------------------------------------------------------------------------------------------------ Settings */

/* Options of a category, to be combined with |; the numbers are Apple's. */
#define AVAS_OPTION_MIX_WITH_OTHERS 0x1
#define AVAS_OPTION_DUCK_OTHERS 0x2
#define AVAS_OPTION_ALLOW_BLUETOOTH_HFP 0x4
#define AVAS_OPTION_DEFAULT_TO_SPEAKER 0x8
#define AVAS_OPTION_INTERRUPT_SPOKEN_AUDIO_AND_MIX 0x11
#define AVAS_OPTION_ALLOW_BLUETOOTH_A2DP 0x20
#define AVAS_OPTION_ALLOW_AIRPLAY 0x40
#define AVAS_OPTION_OVERRIDE_MUTED_MICROPHONE 0x80

/* Sets what the session is for, by one of the six types of the web's Audio Session API:
 *
 *   "ambient"          sound that others may cover; it mixes
 *   "playback"         music or a film; it interrupts other playback
 *   "transient"        a short sound, such as a prompt, which lowers others
 *   "transient-solo"   a short sound that interrupts others; deactivate with AVAS_NOTIFY_OTHERS
 *   "play-and-record"  recording and playing, such as a call
 *   "auto"             the settings of a new session
 *
 * Waits and fails as avas_session_set_category(). */
int avas_session_set_type(avas_session *session, const char *type);

/* Sets category, mode and options, all or none of them.
 *
 * category: "ambient", "soloAmbient" (that of a new session), "playback", "record", "playAndRecord", "multiRoute".
 * mode: "default", "voiceChat", "videoChat", "gameChat", "videoRecording", "measurement", "moviePlayback",
 *     "spokenAudio", "voicePrompt", "shortFormVideo", "dualRoute"; NULL means "default".
 * options: AVAS_OPTION_ numbers.
 *
 * While the session is not active it returns at once, else it waits for the sound server for 2 s at most.
 * AVAS_ERROR_ARGUMENT: an unknown name, or a combination that does not exist. AVAS_ERROR_CALL: the active session
 * would begin to record during another program's call. AVAS_ERROR_NO_SERVER: the server is lost. */
int avas_session_set_category(avas_session *session, const char *category, const char *mode, uint32_t options);

/* Sets the type as avas_session_set_type() does, but returns at once.
 *
 * One AVAS_EVENT_REPLY with this cookie follows in this handle's queue, with the error that the call would have
 * returned; none follows an AVAS_ERROR_ARGUMENT. */
int avas_session_set_type_async(avas_session *session, const char *type, uint64_t cookie);

/* Sets category, mode and options as avas_session_set_category() does, but returns at once, with a reply as of
 * avas_session_set_type_async(). */
int avas_session_set_category_async(
    avas_session *session, const char *category, const char *mode, uint32_t options, uint64_t cookie);

/* Returns the name of the category; static. NULL: the handle is wrong. */
const char *avas_session_get_category(avas_session *session);

/* Returns the name of the mode; static. NULL: the handle is wrong. */
const char *avas_session_get_mode(avas_session *session);

/* Returns the options in force, with those that others imply. */
int avas_session_get_options(avas_session *session);

/* Preferences. */
/* 1: the loss of the output that is played on interrupts the session, which is so at the beginning; 0: it does not. */
#define AVAS_PREFERENCE_INTERRUPTION_ON_ROUTE_DISCONNECT 1
/* 1: a call that rings does not interrupt the session; 0, at the beginning: it does. */
#define AVAS_PREFERENCE_NO_INTERRUPTION_BY_RINGING 2

/* Sets a preference to 0 or 1. AVAS_ERROR_NO_SERVER: the server is lost, whose return resets preferences. */
int avas_session_set_preference(avas_session *session, int preference, int value);

/* Returns a preference, 0 or 1. */
int avas_session_get_preference(avas_session *session, int preference);

/* ------------------------------------------------------------------------------------------------ Activation */

/* A flag of deactivations: the interrupted may resume. */
#define AVAS_NOTIFY_OTHERS 1

/* Activates the session: it interrupts or lowers others, as its settings say.
 *
 * When the call returns the others know it. An active session stays active. After an interruption this is how a program
 * goes on. flags: 0.
 *
 * Waits for the sound server, for 2 s at most; usually some milliseconds.
 * AVAS_ERROR_NO_SERVER, AVAS_ERROR_CALL, AVAS_ERROR_NO_DEVICE: the session is not active. */
int avas_session_activate(avas_session *session, uint32_t flags);

/* Deactivates the session; it is inactive afterwards, whatever the result.
 *
 * flags: 0 or AVAS_NOTIFY_OTHERS. Waits for the sound server, for 1.25 s at most.
 * AVAS_ERROR_BUSY: streams were running, see avas_session_set_playing(). */
int avas_session_deactivate(avas_session *session, uint32_t flags);

/* Activates the session as avas_session_activate() does, but returns at once.
 *
 * One AVAS_EVENT_REPLY with this cookie follows in this handle's queue. Asynchronous calls are carried out in their
 * order, and before a later avas_session_activate() or avas_session_deactivate(). Other functions may overtake them:
 * change the settings before, or after the reply. */
int avas_session_activate_async(avas_session *session, uint32_t flags, uint64_t cookie);

/* Deactivates the session as avas_session_deactivate() does, but returns at once, with a reply as of
 * avas_session_activate_async(). */
int avas_session_deactivate_async(avas_session *session, uint32_t flags, uint64_t cookie);

/* Begins to connect to the sound server, in the background, for programs that activate the session soon after their
 * start. Returns at once, and changes nothing that others can hear. Errors are left to the activation. */
int avas_session_warm_up(avas_session *session);

#define AVAS_STATE_INACTIVE 0
#define AVAS_STATE_ACTIVE 1
#define AVAS_STATE_INTERRUPTED 2
/* The sound server is gone; AVAS_EVENT_SERVER_BACK follows when there is one again. */
#define AVAS_STATE_LOST 3

/* Returns one of AVAS_STATE_. */
int avas_session_get_state(avas_session *session);

/* Says how many streams of its own the program has running, as one part of it sees it; 0 at the beginning.
 *
 * Others are told whether the session is heard (avas_session_should_silence_secondary()). A session that is heard, has
 * the category "playback" and does not mix is interrupted when its output is unplugged. Streams of the process make an
 * active session heard without this function. In a sandbox such as a Flatpak the server does not know the process, and
 * only streams with the properties of avas_session_copy_stream_properties() do. A deactivation is AVAS_ERROR_BUSY for
 * streams that were counted here alone.
 *
 * The counts of all handles are added. They are 0 again when the sound server is lost. AVAS_ERROR_ARGUMENT: a negative
 * count. AVAS_ERROR_NO_SERVER: a count above 0 while the server is lost. */
int avas_session_set_playing(avas_session *session, int count);

/* Returns 1 if another program is heard, else 0. Does not activate the session.
 * Waits for the sound server, for 2 s at most. AVAS_ERROR_NO_SERVER. */
int avas_session_is_other_audio_playing(avas_session *session);

/* Returns 1 if secondary sound, such as a game's music, should be silent because another program's main sound is
 * heard, else 0. Does not activate the session. AVAS_EVENT_SILENCE_SECONDARY tells changes.
 * Waits for the sound server, for 2 s at most. AVAS_ERROR_NO_SERVER. */
int avas_session_should_silence_secondary(avas_session *session);

/* ------------------------------------------------------------------------------------------------ Events */

/* Types of events, with what they carry beside a time. */
/* The session was interrupted, and its streams are silent already. Reason: AVAS_INTERRUPTION_. Application and process:
 * who interrupted, if that is known. */
#define AVAS_EVENT_INTERRUPTION_BEGAN 1
/* The interruption is over, and the session is inactive. Flag 1: activate it and go on. Flag 0: do not. */
#define AVAS_EVENT_INTERRUPTION_ENDED 2
/* The route changed. Reason: AVAS_ROUTE_. Previous route. */
#define AVAS_EVENT_ROUTE_CHANGED 3
/* The answer of avas_session_should_silence_secondary() changed, which flag is. Told while the session is active. */
#define AVAS_EVENT_SILENCE_SECONDARY 4
/* The sound server went away. All streams are gone. */
#define AVAS_EVENT_SERVER_LOST 5
/* A sound server is there again. The session is inactive and has the settings of a new one: set them, activate it, and
 * make new streams. */
#define AVAS_EVENT_SERVER_BACK 6
/* The session became active, by whatever part of the program. */
#define AVAS_EVENT_ACTIVE 7
/* The session became inactive by a deactivation. */
#define AVAS_EVENT_INACTIVE 8
/* The call is over because of which an activation failed with AVAS_ERROR_CALL. */
#define AVAS_EVENT_MAY_RETRY 9
/* The list of microphones changed. */
#define AVAS_EVENT_INPUTS_CHANGED 10
/* The answer to avas_session_request_permission_async(). Cookie. Flag: whether the program may record. */
#define AVAS_EVENT_PERMISSION 13
/* The end of an asynchronous call. Cookie. Error: 0 or what the call would have returned. For a question: flag, value or
 * route, as it says. */
#define AVAS_EVENT_REPLY 14
/* 256 events were in the queue, and the oldest ones went, but no answers. Ask for the state. */
#define AVAS_EVENT_DROPPED 15

/* Reasons of interruptions; the numbers are Apple's. */
/* Another program's session or call. */
#define AVAS_INTERRUPTION_DEFAULT 0
/* The user muted the microphone of a session that records. */
#define AVAS_INTERRUPTION_MICROPHONE_MUTED 2
/* The output was unplugged. It ends with the next activation. */
#define AVAS_INTERRUPTION_ROUTE_DISCONNECTED 4

/* Reasons of route changes; the numbers are Apple's. */
#define AVAS_ROUTE_UNKNOWN 0
#define AVAS_ROUTE_NEW_DEVICE 1
#define AVAS_ROUTE_OLD_DEVICE_UNAVAILABLE 2
#define AVAS_ROUTE_CATEGORY_CHANGED 3
#define AVAS_ROUTE_OVERRIDE 4
#define AVAS_ROUTE_WOKE_UP 6
#define AVAS_ROUTE_NO_SUITABLE_DEVICE 7
#define AVAS_ROUTE_CONFIGURATION_CHANGED 8

/* Returns the handle's descriptor, which is readable while the queue has events; for poll() and every event loop.
 *
 * It belongs to the handle: never read, write or close it. Close-on-exec. */
int avas_session_get_fd(avas_session *session);

/* Takes the oldest event out of the handle's queue; NULL if there is none. Release it with avas_event_unref().
 * For programs that look once a frame this is all: no descriptor is needed. */
avas_event *avas_session_next_event(avas_session *session);

/* Waits until the queue has an event, for programs without an event loop.
 *
 * timeout: in milliseconds; negative waits for ever, 0 not at all.
 * Returns 1 if there is an event, and 0 if the time is over or a signal handler ran on this thread. */
int avas_session_wait(avas_session *session, int timeout);

/* Takes the events that are in the queue now, calls function(event, user) for each on the calling thread, and returns
 * their number. The events are released after the call; avas_event_ref() keeps one. The function may call everything,
 * and must return: no exception, no longjmp(). */
int avas_session_dispatch(
    avas_session *session, void (*function)(const avas_event *event, void *user), void *user);

/* Adds a reference to an event, and returns it; NULL if it is not one. */
avas_event *avas_event_ref(const avas_event *event);

/* Releases a reference to an event; NULL is allowed. */
void avas_event_unref(avas_event *event);

/* Returns one of AVAS_EVENT_. */
int avas_event_get_type(const avas_event *event);

/* Returns when it happened, in nanoseconds of CLOCK_MONOTONIC; 0 if it is no event. */
uint64_t avas_event_get_time(const avas_event *event);

/* Returns a reason, of interruptions and route changes; 0 for others. */
int avas_event_get_reason(const avas_event *event);

/* Returns the flag, 0 or 1, as the event's type says. */
int avas_event_get_flag(const avas_event *event);

/* Returns the cookie of an answer; 0 for other events. */
uint64_t avas_event_get_cookie(const avas_event *event);

/* Returns the result of an asynchronous call, 0 or one of AVAS_ERROR_; 0 for other events. */
int avas_event_get_error(const avas_event *event);

/* Returns one sentence about the error of an asynchronous call; NULL without one. */
const char *avas_event_get_error_message(const avas_event *event);

/* Returns the name of the program that interrupted; NULL if it is not known. */
const char *avas_event_get_application(const avas_event *event);

/* Returns the process ID of the program that interrupted; 0 if it is not known. */
int32_t avas_event_get_pid(const avas_event *event);

/* Returns the route before a change; NULL for other events. Release it with avas_route_unref(). */
avas_route *avas_event_get_previous_route(const avas_event *event);

/* Returns the value of a reply to AVAS_ASK_NUMBER or AVAS_ASK_PERMISSION; 0 for other events. */
double avas_event_get_value(const avas_event *event);

/* Returns the route of a reply to AVAS_ASK_ROUTE or AVAS_ASK_AVAILABLE; NULL for other events. Release it with
 * avas_route_unref(). */
avas_route *avas_event_get_route(const avas_event *event);

/* ------------------------------------------------------------------------------------------------ Questions */

/* The questions of avas_session_ask_async(): the function that waits for the same answer, and where the reply has it. */
/* avas_session_is_other_audio_playing(): flag. */
#define AVAS_ASK_OTHER_AUDIO_PLAYING 1
/* avas_session_should_silence_secondary(): flag. */
#define AVAS_ASK_SILENCE_SECONDARY 2
/* avas_session_get_permission(): value, one of AVAS_PERMISSION_. */
#define AVAS_ASK_PERMISSION 3
/* avas_session_get_route(): route. */
#define AVAS_ASK_ROUTE 4
/* avas_session_get_available(): route. */
#define AVAS_ASK_AVAILABLE 5
/* Whether there is a connection, and nothing else. After a reply without an error avas_session_export_environment() and
 * the functions that copy properties and environments do not wait for the sound server as long as it is there. */
#define AVAS_ASK_CONNECTION 6
/* avas_session_get_number(): value. The question is the sum of this and one of AVAS_NUMBER_. */
#define AVAS_ASK_NUMBER 100

/* Asks one of AVAS_ASK_, in the background, and returns at once.
 *
 * One AVAS_EVENT_REPLY with this cookie follows in this handle's queue, with the answer, or with the error of the function
 * that waits for it. AVAS_ERROR_ARGUMENT, without a reply: an unknown question. */
int avas_session_ask_async(avas_session *session, int question, uint64_t cookie);

/* ------------------------------------------------------------------------------------------------ Routes */

#define AVAS_OUTPUT 0
#define AVAS_INPUT 1

/* Returns the session's route, or the one that it would have if it was active. Release it with avas_route_unref().
 * Waits for the sound server while the session is not active, for 2 s at most. AVAS_ERROR_NO_SERVER. */
avas_route *avas_session_get_route(avas_session *session);

/* Returns the ports that the session could use by its settings, in the form of a route, for programs that let their
 * users choose.
 *
 * A port's identifier begins with the server's name of its sink or source, and a program chooses the device of its own
 * streams. Release it with avas_route_unref(). Waits for the sound server, for 2 s at most. AVAS_ERROR_NO_SERVER. */
avas_route *avas_session_get_available(avas_session *session);

/* Adds a reference to a route, and returns it; NULL if it is not one. */
avas_route *avas_route_ref(avas_route *route);

/* Releases a reference to a route; NULL is allowed. */
void avas_route_unref(avas_route *route);

/* Returns the number of ports, of AVAS_OUTPUT or AVAS_INPUT. */
int avas_route_get_count(const avas_route *route, int direction);

/* Returns the type of a port, in Apple's words: "Speaker", "Headphones", "BluetoothA2DPOutput", "HDMIOutput",
 * "USBAudio", "MicrophoneBuiltIn", "Virtual", ... NULL without such a port; indexes count from 0. */
const char *avas_route_get_port_type(const avas_route *route, int direction, int index);

/* Returns the name of a port, for people; NULL without such a port. */
const char *avas_route_get_port_name(const avas_route *route, int direction, int index);

/* Returns the identifier of a port, which a device has again when it returns; NULL without such a port. */
const char *avas_route_get_port_uid(const avas_route *route, int direction, int index);

/* Returns the number of channels of a port. */
int avas_route_get_port_channels(const avas_route *route, int direction, int index);

/* Returns the whole route in JSON, for avas_free():
 * {"outputs":[{"type":"Headphones","name":"...","uid":"...","channels":2}],"inputs":[]} */
char *avas_route_copy_json(const avas_route *route);

/* Numbers of the devices that the session uses, or would use if it was active. */
/* Frames per second of the output, in Hz; of the input in a category that only records. */
#define AVAS_NUMBER_SAMPLE_RATE 1
/* The length of the device's buffer, in seconds. */
#define AVAS_NUMBER_BUFFER_DURATION 2
/* The time from the microphone to the sound server, in seconds, without the buffer. */
#define AVAS_NUMBER_INPUT_LATENCY 3
/* The time from the sound server to the listener, in seconds, without the buffer. */
#define AVAS_NUMBER_OUTPUT_LATENCY 4
/* Numbers of channels. */
#define AVAS_NUMBER_INPUT_CHANNELS 5
#define AVAS_NUMBER_OUTPUT_CHANNELS 6
/* The user's volume of the device, 0 to 1, as mixers show it; 0 while it is muted. */
#define AVAS_NUMBER_INPUT_VOLUME 7
#define AVAS_NUMBER_OUTPUT_VOLUME 8

/* Stores a number of the session's devices, AVAS_NUMBER_, in *value.
 *
 * It is 0 where there is no such device, in a category that does not use its direction, and on failure. Waits for the
 * sound server, for 2 s at most. AVAS_ERROR_ARGUMENT: an unknown number. AVAS_ERROR_NO_SERVER. */
int avas_session_get_number(avas_session *session, int number, double *value);

/* ------------------------------------------------------------------------------------------------ Streams of others */

/* Returns the properties by which a stream belongs to the session, for streams of other processes, and for roles:
 * {key, value, key, value, NULL} in one block for avas_free(). For pa_proplist, pw_properties, GStreamer's
 * "stream-properties".
 *
 * direction: AVAS_OUTPUT or AVAS_INPUT. Waits for the sound server, for 2 s at most. AVAS_ERROR_NO_SERVER. */
char **avas_session_copy_stream_properties(avas_session *session, int direction);

/* Returns an environment for a child whose streams belong to the session: {"KEY=value", ..., NULL} in one block for
 * avas_free(), for execve() and posix_spawn().
 *
 * base: the environment to begin with, in the same form; NULL for that of the process.
 * Waits for the sound server, for 2 s at most. AVAS_ERROR_NO_SERVER. */
char **avas_session_copy_environment(avas_session *session, char *const *base);

/* Puts the same variables into the environment of this process, PULSE_PROP and PIPEWIRE_PROPS, for libraries that take
 * their properties from there.
 *
 * After a change of the category call it again before new streams: it replaces the role that it set, and keeps the
 * user's.
 * Call it before other threads run: the environment of a process has no lock.
 * Waits for the sound server, for 2 s at most. AVAS_ERROR_NO_SERVER. */
int avas_session_export_environment(avas_session *session);

/* ------------------------------------------------------------------------------------------------ Microphone */

#define AVAS_PERMISSION_UNDETERMINED 0
#define AVAS_PERMISSION_DENIED 1
#define AVAS_PERMISSION_GRANTED 2

/* Returns whether the program may record, one of AVAS_PERMISSION_, by the desktop's permissions and the user's
 * settings. Granted where the desktop has no such permission. Waits for the desktop's first answer, for 2 s at most. */
int avas_session_get_permission(avas_session *session);

/* Asks the user whether the program may record, unless that is decided. Returns at once; AVAS_EVENT_PERMISSION with
 * this cookie follows in this handle's queue. */
int avas_session_request_permission_async(avas_session *session, uint64_t cookie);

#ifdef __cplusplus
}
#endif

#endif
