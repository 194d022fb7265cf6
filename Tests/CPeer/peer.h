// What the parts of the test program share.
#pragma once

#include <avaudiosession.h>

/// Calls every function with wrong arguments; prints what is no error, and returns how many are not.
int check_wrong_arguments(void);

/// Forks while other threads use the session; prints what is wrong in a child, and returns how many checks failed.
int check_fork(void);

/// Uses one session on four threads; prints the calls that fail, and returns how many do.
int check_threads(void);
