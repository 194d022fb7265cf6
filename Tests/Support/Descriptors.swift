import Foundation

/// Runs `body` while this process can open nothing beside what it has open.
///
/// For processes of a test's own (`processExitsWith`): the limit is the process's, and so holds for all of its threads.
package func withoutDescriptors<Result>(_ body: () throws -> Result) rethrows -> Result {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var usual = rlimit()
    getrlimit(files, &usual)
    // The lowest that is free is the first that the limit takes away.
    let next = dup(0)
    close(next)
    var none = rlimit(rlim_cur: rlim_t(next), rlim_max: usual.rlim_max)
    setrlimit(files, &none)
    defer { setrlimit(files, &usual) }
    return try body()
}
