internal import Glibc

/// The state of a process of this machine, from `/proc`.
package struct ProcessGlance: Sendable {
    /// The state's letter, such as `S` for sleeping.
    package let state: Character
    /// The parent process ID.
    package let parent: Int32
    /// The running time in seconds.
    package let age: Double
    private let number: Int32

    /// Reads the state of a process; nil if there is none with that ID.
    package init?(_ process: Int32) {
        // The name is cut after 15 bytes, possibly within a character.
        guard let bytes = Self.contents(of: "/proc/\(process)/stat"),
            case let text = String(decoding: bytes, as: UTF8.self),
            // The name, in parentheses, can contain anything; only numbers follow the last parenthesis.
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let state = fields[0].first, let start = Double(fields[19]),
            let parent = Int32(fields[1])
        else { return nil }
        self.state = state
        number = process
        self.parent = parent
        age = max(0, Self.secondsSinceBoot - start / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Whether the process is stopped: by Ctrl-Z, a debugger, or its control group's freezer.
    package var isStopped: Bool { state == "T" || state == "t" || ProcessFreezer.holds(number) }

    /// This machine's host name, as claims contain it.
    package static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The contents of a file of `/proc`, whose size is unknown before reading.
    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let got = read(descriptor, &part, part.count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            guard got > 0 else { return bytes }
            bytes += part[..<got]
        }
    }

    private static var secondsSinceBoot: Double {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
