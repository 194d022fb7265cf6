internal import Glibc

/// Spawning of a program that inherits nothing from this process but a standard input.
enum HelperProcess {
    /// The environment variable that is set for the real guard.
    static let mark = "AVAUDIOSESSION_GUARD"
    /// `POSIX_SPAWN_SETSID`, which the headers show to GNU programs only.
    private static let setSession: Int32 = 0x80

    /// Starts a program in a session of its own, silent, with default signals; `detached` is the value of ``mark``.
    static func start(_ command: [String], input: Int32, detached: String?) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // What reads the app's output to its end must not wait for the guard.
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(setSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var variables: [UnsafeMutablePointer<CChar>?] = environment().map { strdup($0) }
        if let detached { variables.append(strdup("\(mark)=\(detached)")) }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        variables.append(nil)
        arguments.append(nil)
        defer { (arguments + variables).forEach { free($0) } }
        var process: pid_t = 0
        return posix_spawn(&process, command[0], &actions, &attributes, &arguments, &variables) == 0 ? process : nil
    }

    /// This process's environment without ``mark``.
    private static func environment() -> [String] {
        var result: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !text.hasPrefix(mark + "=") { result.append(text) }
            next += 1
        }
        return result
    }
}
