internal import Glibc
internal import SessionPolicy

extension DuckRestorer {
    /// The process that a guard watches, as known from the lines that it sends.
    struct WatchedProcess {
        /// The server's address; nil for libpulse's default.
        private(set) var server: String?
        /// The ledger of lowered streams; nil if all are restored.
        private(set) var ledger: DuckLedger?
        private let input: Int32
        private let process: Int32?
        private var line: [UInt8] = []
        private var stoppedLooks = 0

        /// The time between two looks at the process in milliseconds, and the number of looks after which it counts as
        /// stopped: a second in all.
        private static let interval: Int32 = 250
        private static let looksUntilStopped = 4

        init(input: Int32) {
            self.input = input
            process = Self.peer(of: input)
        }

        /// Whether the process has now been stopped for a second; true once for each stop.
        var hasStopped: Bool { stoppedLooks == Self.looksUntilStopped }

        /// Waits for a line, or for the next look at the process; false at the end of the input.
        mutating func listen() -> Bool {
            // Without lowered streams it does not matter whether the process is stopped.
            let isAtStake = process != nil && ledger?.records.isEmpty == false
            var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, isAtStake ? Self.interval : -1)
            if count == 0, let process {
                let isStopped = StoppedProcesses.isStopped(process)
                stoppedLooks = isStopped ? min(stoppedLooks + 1, Self.looksUntilStopped + 1) : 0
            }
            return count > 0 ? read() : count == 0 || errno == EINTR
        }

        private mutating func read() -> Bool {
            stoppedLooks = 0
            var buffer = [UInt8](repeating: 0, count: 8192)
            let count = Glibc.read(input, &buffer, buffer.count)
            if count < 0 && errno == EINTR { return true }
            guard count > 0 else { return false }
            for byte in buffer[..<count] {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                let text = String(decoding: line, as: UTF8.self)
                line = []
                if text == "restored" {
                    ledger = nil
                    return false
                }
                if text.hasPrefix("server="), text.utf8.count > 7 { server = String(text.dropFirst(7)) }
                if text.hasPrefix("ledger=") { ledger = DuckLedger(String(text.dropFirst(7))) }
            }
            return true
        }

        /// The process that made the pair of sockets; nil if the input is no socket, or the process of another namespace.
        private static func peer(of socket: Int32) -> Int32? {
            // Process, user and group: the headers show `ucred` to GNU programs only.
            var credentials: [Int32] = [0, 0, 0]
            var length = socklen_t(credentials.count * MemoryLayout<Int32>.stride)
            guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, credentials[0] > 0 else {
                return nil
            }
            return credentials[0]
        }
    }
}
