internal import AudioHost
internal import Glibc
internal import Locks
package import SessionPolicy

/// The user's wishes about programs outside the library, as the environment and a file tell them.
///
/// The file is `$XDG_CONFIG_HOME/avaudiosession.conf`, or `~/.config/avaudiosession.conf`; docs/settings.md lists the
/// keys.
package struct UserSettings: Hashable, Sendable {
    /// What holds.
    package let policy: UserPolicy
    /// Sentences about what could not be read, or makes no sense.
    package let problems: [String]
    /// Where the file is looked for; `nil` for a process without a home.
    package let path: String?

    /// Whether the file may be readable in a moment: the process or the machine was short of something.
    private let isPassing: Bool

    private static let known = Guarded<UserSettings?>(nil)

    /// What this process was started with; read once, but for a file that could not be opened for want of descriptors
    /// or memory.
    package static var current: UserSettings {
        known.withLock { known in
            if let known { return known }
            let settings = UserSettings()
            if !settings.isPassing { known = settings }
            return settings
        }
    }

    /// More than this of a file is nobody's settings, in bytes.
    private static let longestFile = 65_536

    /// Reads them.
    ///
    /// - Parameter variable: The value of an environment variable.
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

    /// Relative paths are to be ignored, says the specification of these folders.
    private static func path(_ variable: (String) -> String?) -> String? {
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/avaudiosession.conf" }
        return variable("HOME").map { $0 + "/.config/avaudiosession.conf" }
    }

    /// The text of a file, which need not exist, or what is wrong with it.
    ///
    /// Only a regular file is read: others have no end, or nothing in them for as long as nobody writes.
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
