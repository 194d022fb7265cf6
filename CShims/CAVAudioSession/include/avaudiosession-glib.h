/*
 * avaudiosession-glib.h: the events of a session in a main loop of GLib or GTK.
 *
 * A header without a library: the program itself is linked with GLib.
 *
 *     cc main.c $(pkg-config --cflags --libs avaudiosession glib-2.0)
 *
 *     static void handle(const avas_event *event, void *user) { ... }
 *
 *     guint source = avas_session_attach(session, NULL, handle, user);
 *     ... g_main_loop_run(loop) ...
 *     g_source_remove(source);
 *     avas_session_close(session);
 */
#ifndef AVAUDIOSESSION_GLIB_H
#define AVAUDIOSESSION_GLIB_H

#include <avaudiosession.h>
#include <glib.h>

G_BEGIN_DECLS

/* What a source of avas_session_source_new() contains; no part of the interface. */
typedef struct {
    GSource source;
    avas_session *session;
    void (*function)(const avas_event *event, void *user);
    void *user;
} avas_glib_source;

static inline gboolean avas_glib_dispatch(GSource *source, GSourceFunc unused, gpointer nothing) {
    avas_glib_source *self = (avas_glib_source *)source;
    (void)unused;
    (void)nothing;
    if (self->function == NULL) return G_SOURCE_REMOVE;
    /* A session that was closed in the meantime has nothing more to tell. */
    return avas_session_dispatch(self->session, self->function, self->user) < 0 ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

/* Returns a source that calls function(event, user) for each event of a session, in the thread that runs the context to
 * which it is attached with g_source_attach(). Release it with g_source_unref().
 *
 * Destroy the source before the session is closed. NULL: the session is none, and avas_error_message() says why. */
static inline GSource *avas_session_source_new(
    avas_session *session, void (*function)(const avas_event *event, void *user), void *user) {
    static GSourceFuncs functions = {NULL, NULL, avas_glib_dispatch, NULL, NULL, NULL};
    int descriptor = avas_session_get_fd(session);
    avas_glib_source *self;
    if (descriptor < 0) return NULL;
    self = (avas_glib_source *)g_source_new(&functions, (guint)sizeof *self);
    self->session = session;
    self->function = function;
    self->user = user;
    g_source_add_unix_fd(&self->source, descriptor, G_IO_IN);
    g_source_set_name(&self->source, "avaudiosession");
    return &self->source;
}

/* Calls function(event, user) for each event of a session, in a main context; NULL is the default one.
 *
 * Returns the source's number for g_source_remove(), which is for the default context only; 0 on failure. Remove it
 * before the session is closed. */
static inline guint avas_session_attach(
    avas_session *session, GMainContext *context, void (*function)(const avas_event *event, void *user), void *user) {
    GSource *source = avas_session_source_new(session, function, user);
    guint number;
    if (source == NULL) return 0;
    number = g_source_attach(source, context);
    g_source_unref(source);
    return number;
}

G_END_DECLS

#endif
