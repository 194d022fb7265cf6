internal import Glibc

/// Runs a call that may start threads of the library, which then block SIGPIPE.
///
/// Dispatch's threads block all signals but those of faults and SIGPIPE, and inherit the mask of the thread that starts
/// them. A handler of the program must not run on a thread that the program does not know.
func startingThreads<Result, E: Error>(_ call: () throws(E) -> Result) throws(E) -> Result {
    var (pipe, before) = (sigset_t(), sigset_t())
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try call()
}
