import Foundation

/// The configuration and start of one kind of server in a folder.
protocol ServerRecipe: Sendable {
    var folder: ServerFolder { get }
    /// A shell line that prints the version.
    var versionCommand: String { get throws }
    /// Writes the configuration, once.
    func prepare() throws
    /// Starts the programs, and returns their process IDs when clients can connect and find the sinks.
    ///
    /// `version` is what ``versionCommand`` has printed. A separate policy program is started after `beforePolicy` has
    /// returned. With `isAwaited`, clients of a former server connect meanwhile.
    func launch(
        under supervisor: Supervisor, version: String, isAwaited: Bool, beforePolicy: () -> Void
    ) throws -> [pid_t]
    /// The position of a separate policy program among the processes that are launched; nil without one.
    var policyIndex: Int? { get }
    /// Starts the policy program alone, and returns its process ID.
    func launchPolicy(under supervisor: Supervisor) throws -> pid_t
}

extension ServerRecipe {
    /// Starts the programs, and once more if they hang.
    ///
    /// PipeWire 0.3.65 with WirePlumber 0.4.13 hangs in about one of five hundred starts: it is never ready, or does
    /// not answer. The reason is unknown. A second start uses new processes, and has always succeeded.
    func start(
        under supervisor: Supervisor, version: String, isAwaited: Bool = false, beforePolicy: () -> Void = {}
    ) throws -> [pid_t] {
        func launch() throws -> [pid_t] {
            try self.launch(under: supervisor, version: version, isAwaited: isAwaited, beforePolicy: beforePolicy)
        }
        do {
            return try launch()
        } catch let error as HeadlessServerError where error.isHang {
            _ = try supervisor.run("kill_all")
            return try launch()
        }
    }

    /// Returns when `condition` holds; throws when one of `processes` ends or ten seconds have passed.
    ///
    /// There is no event for a program that begins to listen, so this polls with a short and growing delay, or the given
    /// one in microseconds.
    func wait(
        for what: String, while processes: [pid_t], every given: UInt32? = nil, until condition: () throws -> Bool
    ) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        var pause: UInt32 = 1_000
        while try !condition() {
            if processes.contains(where: hasEnded) { throw failure("ended before \(what)") }
            if ContinuousClock.now > deadline {
                throw failure("did not get to \(what) within 10 s", isHang: true)
            }
            usleep(given ?? pause)
            pause = min(pause * 3 / 2, 20_000)
        }
    }

    /// Whether a server listens on a unix socket.
    func accepts(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Whether a child of the supervisor has exited, as a zombie or not; the supervisor only collects children on
    /// command.
    private func hasEnded(_ process: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let afterName = status.lastIndex(of: ")")
        else { return true }
        return status[afterName...].dropFirst(2).first == "Z"
    }

    private func failure(_ reason: String, isHang: Bool = false) -> HeadlessServerError {
        let log = (try? String(contentsOfFile: folder.log, encoding: .utf8)) ?? ""
        let lines = log.split(separator: "\n").suffix(3).joined(separator: " / ")
        return HeadlessServerError(
            "the headless server \(reason)" + (lines.isEmpty ? "" : ": \(lines)"), isHang: isHang)
    }
}
