internal import Dispatch
internal import Glibc
internal import Locks

/// A ring of steps and the file that a queue of its own writes them to.
///
/// A step that finds the ring full is counted and lost. Lines are appended whole, so several processes may share a file.
final class StepRing: Sendable {
    private struct Waiting {
        /// The steps in their order; its storage is never made larger.
        var records: [StepRecord]
        /// The number of steps that found no room.
        var lost = 0

        /// Creates an empty list with room for ``capacity`` steps.
        init() {
            records = []
            records.reserveCapacity(capacity)
        }

        /// Whether nothing waits.
        var isEmpty: Bool { records.isEmpty && lost == 0 }

        /// Removes all steps and keeps the storage.
        mutating func clear() {
            records.removeAll(keepingCapacity: true)
            lost = 0
        }
    }

    /// The most steps that wait.
    private static let capacity = 4_096
    /// The seconds between a step and its line.
    private static let delay = 0.01

    private let waiting = Guarded(Waiting())
    /// The steps that are being written; empty at other times.
    private let written = Guarded(Waiting())
    private let queue = DispatchQueue(label: "AVAudioSession.trace", qos: .utility)
    private let descriptor: Int32
    private let process = getpid()
    /// Whether the last line was cut, by a full disk for instance; the next one begins on a line of its own.
    private let isCut = Guarded(false)

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a file for appending; prints a line on stderr and returns nil if that fails, or it is no regular file.
    static func opened(_ path: String) -> StepRing? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let reason = descriptor < 0 ? String(cString: strerror(errno)) : "not a regular file"
            if descriptor >= 0 { close(descriptor) }
            let line = "AVAudioSession: AVAUDIOSESSION_TRACE is ignored: \(path): \(reason)\n"
            _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            return nil
        }
        let ring = StepRing(descriptor)
        exiting.withLock { $0 = ring }
        atexit { StepRing.exiting.value?.finish() }
        return ring
    }

    /// The ring whose last steps are written at the process's exit.
    private static let exiting = Guarded<StepRing?>(nil)

    /// Adds a step; the first one of an empty ring has the file written a little later.
    func append(_ record: StepRecord) {
        let isFirst = waiting.withLock { waiting in
            defer {
                if waiting.records.count < Self.capacity {
                    waiting.records.append(record)
                } else {
                    waiting.lost += 1
                }
            }
            return waiting.isEmpty
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.delay) { self.drain() } }
    }

    /// Writes what waits at the process's exit; a child that was forked has no queues.
    private func finish() {
        guard getpid() == process else { return }
        queue.sync { drain() }
    }

    private func drain() {
        written.withLock { written in
            waiting.withLock { swap(&$0, &written) }
            guard !written.isEmpty else { return }
            append(written)
            written.clear()
        }
    }

    /// Appends the lines of steps to the file.
    private func append(_ steps: Waiting) {
        var bytes: [UInt8] = isCut.value ? [UInt8(ascii: "\n")] : []
        for record in steps.records { record.write(process: process, to: &bytes) }
        if steps.lost > 0 { StepRecord.write(lost: steps.lost, process: process, to: &bytes) }
        var count = write(descriptor, bytes, bytes.count)
        while count < 0, errno == EINTR { count = write(descriptor, bytes, bytes.count) }
        isCut.withLock { $0 = count != bytes.count && (count > 0 || $0) }
    }
}
