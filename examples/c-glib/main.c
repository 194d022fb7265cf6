/*
 * c-glib: a program with a main loop of GLib that takes part in audio sessions.
 *
 *     cc main.c -o c-glib $(pkg-config --cflags --libs avaudiosession glib-2.0)
 *     ./c-glib [TYPE]
 *
 * It plays nothing itself. Where it says "play" and "pause", a program starts and pauses its streams.
 */
#include <avaudiosession-glib.h>
#include <glib-unix.h>
#include <stdio.h>

static const char *type = "playback";

/* Called in the main loop. */
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

static gboolean leave(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    avas_session *session;
    guint source;

    if (argc > 1) type = argv[1];
    if (avas_set_application("org.example.CGLib", "C GLib", "audio-x-generic") < 0 || avas_session_open(&session) < 0
        || avas_session_set_type(session, type) < 0) {
        fprintf(stderr, "c-glib: %s\n", avas_error_message());
        return 1;
    }
    g_unix_signal_add(SIGINT, leave, loop);
    g_unix_signal_add(SIGTERM, leave, loop);
    source = avas_session_attach(session, NULL, handle, session);
    avas_session_activate_async(session, 0, 1); /* The reply is an event. */
    g_main_loop_run(loop);

    avas_session_deactivate(session, AVAS_NOTIFY_OTHERS);
    g_source_remove(source);
    avas_session_close(session);
    g_main_loop_unref(loop);
    return 0;
}
