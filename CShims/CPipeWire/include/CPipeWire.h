// libpipewire for Swift: loaded at run time, and only what soft volumes of other programs' streams need.
//
// Glue that decides nothing. Unless it says otherwise, a function is called with the connection's lock held
// (pipewire_lock), or from one of its callbacks, which run on the connection's own thread with the lock held.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pipewire_library pipewire_library;
typedef struct pipewire_connection pipewire_connection;
typedef struct pipewire_node pipewire_node;

typedef struct {
    const char *_Nonnull key, *_Nonnull value;
} pipewire_property;

/// What a stream's Props say; arrays are null where they say nothing, and live as long as the callback.
typedef struct {
    const float *_Nullable channel_volumes;
    uint32_t channel_count;
    const float *_Nullable soft_volumes;
    uint32_t soft_count;
    /// 0, 1, or -1 where the Props say nothing.
    int mute;
} pipewire_volumes;

typedef struct {
    /// A node is there: its id, whether this client may change it, its properties in the registry.
    void (*_Nonnull node)(
        void *_Nonnull context, uint32_t id, bool is_writable, const pipewire_property *_Nullable properties, size_t count);
    /// Something of the registry is gone, node or not.
    void (*_Nonnull removed)(void *_Nonnull context, uint32_t id);
    /// The Props of a bound node, once at first and whenever somebody set them.
    void (*_Nonnull volumes)(void *_Nonnull context, uint32_t id, const pipewire_volumes *_Nonnull volumes);
    /// The server has done all that was asked before pipewire_sync returned this number.
    void (*_Nonnull done)(void *_Nonnull context, int sequence);
    /// A request failed, or, with is_fatal, the connection ended. `result` is a negative errno.
    void (*_Nonnull error)(void *_Nonnull context, bool is_fatal, int result, const char *_Nullable message);
    /// The timer of pipewire_set_timer.
    void (*_Nonnull timer)(void *_Nonnull context);
} pipewire_events;

/// Loads the library and starts it up; it stays loaded. Null with the reason in `message`. No lock.
pipewire_library *_Nullable pipewire_load(const char *_Nonnull soname, char *_Nonnull message, size_t size);
/// Frees what pipewire_load returned, when no connection uses it any more. No lock.
void pipewire_forget(pipewire_library *_Nonnull library);
/// The loaded library's version, such as 0.3.65. No lock.
const char *_Nonnull pipewire_version(const pipewire_library *_Nonnull library);

/// Connects to a daemon; null with a positive errno in `error`, ELIBACC where the library lacks its modules. No lock, and no callback before pipewire_start.
/// `remote` is a name or an absolute path; null is what the environment says.
pipewire_connection *_Nullable pipewire_open(
    const pipewire_library *_Nonnull library, const char *_Nullable remote, const pipewire_events *_Nonnull events,
    void *_Nonnull context, int *_Nonnull error);
/// Starts the connection's thread; false if there can be none. No lock.
bool pipewire_start(pipewire_connection *_Nonnull connection);
/// Leaves the daemon and frees the nodes: no callbacks but the timer's after this. Not in a callback.
void pipewire_disconnect(pipewire_connection *_Nonnull connection);
/// Ends the thread and frees the connection with its nodes; without the lock and never on its own thread.
void pipewire_close(pipewire_connection *_Nonnull connection);

/// The lock may be taken again by the thread that holds it.
void pipewire_lock(pipewire_connection *_Nonnull connection);
void pipewire_unlock(pipewire_connection *_Nonnull connection);
/// Whether the caller is the connection's own thread. No lock needed.
bool pipewire_is_own_thread(pipewire_connection *_Nonnull connection);
/// Releases the lock until pipewire_signal or for so long; may return early.
void pipewire_wait(pipewire_connection *_Nonnull connection, int64_t nanoseconds);
void pipewire_signal(pipewire_connection *_Nonnull connection);

/// Asks for `done`; returns its number.
int pipewire_sync(pipewire_connection *_Nonnull connection);
/// Calls `timer` every so many nanoseconds from now on; 0 stops it.
void pipewire_set_timer(pipewire_connection *_Nonnull connection, int64_t nanoseconds);

/// Takes part in a node's Props.
pipewire_node *_Nullable pipewire_bind(pipewire_connection *_Nonnull connection, uint32_t id);
/// Frees what pipewire_bind returned.
void pipewire_release(pipewire_node *_Nonnull node);
/// Sets softVolumes and softMute, which from then on count in place of channelVolumes and mute.
void pipewire_set_soft_volumes(
    pipewire_node *_Nonnull node, const float *_Nonnull volumes, uint32_t count, bool is_muted);
/// Sets channelVolumes, which from then on count again.
void pipewire_set_channel_volumes(pipewire_node *_Nonnull node, const float *_Nonnull volumes, uint32_t count);
/// Sets mute; as a side effect the channelVolumes count again.
void pipewire_set_mute(pipewire_node *_Nonnull node, bool is_muted);
