internal import AudioHost
internal import Glibc
internal import Locks
package import SessionPolicy

/// The user's settings for programs outside the library, from the environment and a file.
///
/// The file is `$XDG_CONFIG_HOME/avaudiosession.conf`, or `~/.config/avaudiosession.conf`; docs/settings.md lists the
/// keys.
package struct UserSettings: Hashable, Sendable {
    /// The settings in effect.
    package let policy: UserPolicy
    /// Sentences about unreadable or invalid settings.
    package let problems: [String]
    /// The path of the file; nil for a process without a home directory.
    package let path: String?

    /// Whether the file may become readable: the process or the machine was short of resources.
    private let isPassing: Bool

    private static let known = Guarded<UserSettings?>(nil)

    /// The settings at the process's start.
    ///
    /// They are read once, and again only while the file cannot be opened for lack of descriptors or memory.
    package static var current: UserSettings {
        known.withLock { known in
            if let known { return known }
            let settings = UserSettings()
            if !settings.isPassing { known = settings }
            return settings
        }
    }

    /// The largest file that is read, in bytes.
    private static let longestFile = 65_536

    /// Reads the settings.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    package init(variable: (String) -> String? = AppIdentity.environment) {
        path = Self.path(variable)
        var environment: [String: String] = [:]
        for key in UserPolicy.environmentKeys { environment[key] = variable(key) }
        let (text, trouble, isPassing) = path.map(Self.read) ?? ("", nil, false)
        let (policy, problems) = UserPolicy.parse(environment: environment, file: text)
        self.policy = policy
        self.isPassing = isPassing
        self.problems = (trouble.map { [$0] } ?? []) + problems
    }

    /// The path of the file.
    ///
    /// Relative paths in the variables are ignored, as the XDG specification demands.
    private static func path(_ variable: (String) -> String?) -> String? {
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/avaudiosession.conf" }
        return variable("HOME").map { $0 + "/.config/avaudiosession.conf" }
    }

    /// Reads a file: its text, empty if it does not exist, or the problem.
    ///
    /// Only a regular file is read: others may be endless, or block.
    private static func read(_ path: String) -> (text: String, trouble: String?, isPassing: Bool) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            guard code != ENOENT, code != ENOTDIR else { return ("", nil, false) }
            let trouble = "\(path) cannot be read: \(String(cString: strerror(code))); it is ignored."
            return ("", trouble, [EMFILE, ENFILE, ENOMEM].contains(code))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return ("", "\(path) is not a file; it is ignored.", false)
        }
        var isReadable = true
        let bytes = [UInt8](unsafeUninitializedCapacity: longestFile) { buffer, count in
            while count < buffer.count {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                isReadable = got >= 0
                guard got > 0 else { break }
                count += got
            }
        }
        guard isReadable else { return ("", "\(path) cannot be read; it is ignored.", false) }
        return (String(decoding: bytes, as: UTF8.self), nil, false)
    }
}
