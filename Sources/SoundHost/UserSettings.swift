internal import Glibc
package import SessionPolicy

/// The user's wishes about programs outside the library, as the environment and a file tell them.
///
/// The file is `$XDG_CONFIG_HOME/avaudiosession.conf`, or `~/.config/avaudiosession.conf`; docs/settings.md lists the keys.
package struct UserSettings: Hashable, Sendable {
    /// What holds.
    package let policy: UserPolicy
    /// Sentences about what could not be read, or makes no sense.
    package let problems: [String]
    /// Where the file is looked for; `nil` for a process without a home.
    package let path: String?

    /// What this process was started with; read once.
    package static let current = UserSettings()

    /// More than this of a file is nobody's settings, in bytes.
    private static let longestFile = 65_536

    /// Reads them.
    ///
    /// - Parameter variable: The value of an environment variable.
    package init(variable: (String) -> String? = AppIdentity.environment) {
        path = Self.path(variable)
        var environment: [String: String] = [:]
        for key in UserPolicy.environmentKeys { environment[key] = variable(key) }
        let (text, trouble) = path.map(Self.read) ?? ("", nil)
        let (policy, problems) = UserPolicy.parse(environment: environment, file: text)
        self.policy = policy
        self.problems = (trouble.map { [$0] } ?? []) + problems
    }

    /// Relative paths are to be ignored, says the specification of these folders.
    private static func path(_ variable: (String) -> String?) -> String? {
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/avaudiosession.conf" }
        return variable("HOME").map { $0 + "/.config/avaudiosession.conf" }
    }

    /// The text of a file, which need not exist, or what is wrong with it.
    private static func read(_ path: String) -> (text: String, trouble: String?) {
        guard let file = fopen(path, "re") else {
            let code = errno
            guard code != ENOENT, code != ENOTDIR else { return ("", nil) }
            return ("", "\(path) cannot be read: \(String(cString: strerror(code))); it is ignored.")
        }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: longestFile) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        guard ferror(file) == 0 else { return ("", "\(path) cannot be read; it is ignored.") }
        return (String(decoding: bytes, as: UTF8.self), nil)
    }
}
