// What Swift cannot say, for the implementation of avaudiosession.h only; no part of the library's interface.
#pragma once

#include "avaudiosession.h"

#include <stdbool.h>

/// Makes an eventfd, non-blocking and close-on-exec; negative if there is no descriptor.
int session_shims_eventfd(void);

/// Notes the calling thread's failure; a message that is too long is cut between two characters.
void session_shims_fail(int error, const char *_Nonnull message);

/// Makes this process the owner of the session, which children made with fork() from now on are not.
void session_shims_own(void);

/// Whether this process is a child made with fork() by the session's owner.
///
/// A flag, since a system call, getpid(), would cost more than the rest of most functions.
bool session_shims_is_forked(void);

/// This process's environment; NULL if it has none.
char *_Nullable *_Nullable session_shims_environment(void);
