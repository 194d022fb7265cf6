internal import Foundation
internal import Glibc
internal import Locks

/// The writer of a history: one line an event, in files whose number of bytes and whose age are bounded.
///
/// One process writes at a time. Each line is handed to the kernel whole before ``append(_:)`` returns. Lines that the
/// disk refuses are kept in memory, up to a bound, and written with the next event that finds room.
package final class HistoryStore: Sendable {
    /// The state of the writing after an event.
    package enum Outcome: Hashable, Sendable {
        /// Everything is written.
        case written
        /// Events wait in memory because of an error.
        case waiting(HistoryError)
    }

    private struct State {
        var descriptor: Int32
        /// The wall clock at the first event of the file; nil in an empty file.
        var firstWall: Double?
        var waiting: [[UInt8]] = []
        var waitingBytes = 0
        var lost = 0
        var filesBegun = 0
        /// The wall clock less the time since the boot, at the last event.
        var offset: Double
        /// The time since the boot from which on the wall clock has not jumped.
        var steadySince: Double
        /// The time since the boot at which files were last deleted for their age.
        var prunedForAge: Double?
    }

    /// write(2): the number of bytes written, or -1 and `errno`.
    package typealias Disk = @Sendable (Int32, [UInt8]) -> Int

    /// The most bytes of events that wait in memory.
    package static let mostWaitingBytes = 256_000
    /// The seconds for which the wall clock must not have jumped before events are deleted for their age.
    ///
    /// A machine without a battery for its clock starts with a wrong one, and may set it a little later.
    static let trustAfter = 3_600.0
    /// The change of the wall clock in seconds that counts as a jump.
    static let jump = 2.0

    private let folder: HistoryFolder
    private let limits: HistoryLimits
    private let clocks: HistoryClocks
    private let disk: Disk
    /// A descriptor whose lock is held as long as this object lives.
    private let lock: Int32
    private let state: Guarded<State>

    /// Opens a history for writing, and creates it if need be.
    ///
    /// Throws if the folder cannot be written, or another process writes there.
    package init(
        _ folder: HistoryFolder, limits: HistoryLimits = HistoryLimits(), clocks: HistoryClocks = .system,
        disk: @escaping Disk = { Glibc.write($0, $1, $1.count) }
    ) throws(HistoryError) {
        try folder.create()
        lock = try Self.locked(folder)
        self.folder = folder
        self.limits = limits
        self.clocks = clocks
        self.disk = disk
        let since = clocks.sinceBoot()
        do throws(HistoryError) {
            let descriptor = try Self.open(folder)
            state = Guarded(
                State(
                    descriptor: descriptor, firstWall: HistoryReader.first(of: folder.current)?.moment.wall,
                    offset: clocks.wall() - since, steadySince: since))
        } catch {
            close(lock)
            throw error
        }
    }

    deinit {
        close(state.withLock { $0.descriptor })
        close(lock)
    }

    private static func locked(_ folder: HistoryFolder) throws(HistoryError) -> Int32 {
        let lock = Glibc.open(folder.writerLock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .system("cannot open", folder.writerLock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            var text = [UInt8](repeating: 0, count: 16)
            let count = max(0, pread(lock, &text, text.count, 0))
            let process = String(decoding: text[..<count], as: UTF8.self)
            close(lock)
            throw HistoryError(
                description: "another audiosession log writes to \(folder.path)"
                    + (process.isEmpty ? "" : " (process \(process))"))
        }
        let number = Array("\(getpid())".utf8)
        // The number is for the message above only, so a full disk is no obstacle.
        if ftruncate(lock, 0) == 0 { _ = pwrite(lock, number, number.count, 0) }
        return lock
    }

    /// Opens the file to append to; a torn last line, which a crash of the machine leaves, is ended first.
    private static func open(_ folder: HistoryFolder) throws(HistoryError) -> Int32 {
        let descriptor = Glibc.open(folder.current, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system("cannot open", folder.current) }
        var status = stat()
        var last: UInt8 = 0
        if fstat(descriptor, &status) == 0, status.st_size > 0, pread(descriptor, &last, 1, status.st_size - 1) == 1,
            last != UInt8(ascii: "\n")
        {
            var end = UInt8(ascii: "\n")
            _ = Glibc.write(descriptor, &end, 1)
        }
        return descriptor
    }

    /// The number of files that this object has begun after the first one.
    package var filesBegun: Int { state.withLock { $0.filesBegun } }

    // MARK: Writing

    /// Writes an event, after those that wait; never waits for another process but for a moment.
    @discardableResult
    package func append(_ event: HistoryEvent) -> Outcome {
        state.withLock { state in
            noteClock(&state, event.moment)
            pruneForAge(&state)
            enqueue(event, &state)
            do throws(HistoryError) {
                try flush(&state, now: event.moment.wall)
                return .written
            } catch {
                return .waiting(error)
            }
        }
    }

    /// Notes a jump of the wall clock, as an event of its own.
    private func noteClock(_ state: inout State, _ moment: Moment) {
        let since = clocks.sinceBoot()
        let offset = clocks.wall() - since
        let change = offset - state.offset
        state.offset = offset
        guard abs(change) >= Self.jump else { return }
        state.steadySince = since
        enqueue(HistoryEvent("clockJumped", at: moment, ["seconds": .number((change * 1e3).rounded() / 1e3)]), &state)
    }

    private func enqueue(_ event: HistoryEvent, _ state: inout State) {
        let line = event.line
        state.waiting.append(line)
        state.waitingBytes += line.count
        while state.waitingBytes > Self.mostWaitingBytes, state.waiting.count > 1 {
            state.waitingBytes -= state.waiting.removeFirst().count
            state.lost += 1
        }
    }

    private func flush(_ state: inout State, now: Double) throws(HistoryError) {
        try reopenIfDeleted(&state)
        if state.lost > 0 {
            let event = HistoryEvent("eventsLost", at: clocks.now, ["count": .number(Double(state.lost))])
            try write(event.line, &state, now: now)
            state.lost = 0
        }
        while let line = state.waiting.first {
            try write(line, &state, now: now)
            state.waitingBytes -= state.waiting.removeFirst().count
        }
    }

    private func write(_ line: [UInt8], _ state: inout State, now: Double) throws(HistoryError) {
        var status = stat()
        guard fstat(state.descriptor, &status) == 0 else { throw .system("cannot use", folder.current) }
        let isOld = state.firstWall.map { abs(now - $0) > limits.fileSeconds } ?? false
        if status.st_size > 0, isOld || Int(status.st_size) + line.count > limits.fileBytes {
            try rotate(&state)
            status.st_size = 0
        }
        let count = disk(state.descriptor, line)
        guard count == line.count else {
            let code = count < 0 ? errno : ENOSPC
            // A part of a line is taken back: the line is written whole later.
            if count > 0 { ftruncate(state.descriptor, status.st_size) }
            throw .system("cannot write", folder.current, code)
        }
        if state.firstWall == nil { state.firstWall = now }
    }

    /// Begins a new file if somebody has deleted this one, as `history --clear` does.
    private func reopenIfDeleted(_ state: inout State) throws(HistoryError) {
        var status = stat()
        guard fstat(state.descriptor, &status) == 0, status.st_nlink == 0 else { return }
        try folder.create()
        let descriptor = try Self.open(folder)
        close(state.descriptor)
        (state.descriptor, state.firstWall, state.filesBegun) = (descriptor, nil, state.filesBegun + 1)
    }

    // MARK: Bounds

    /// Puts the file aside, deletes what is beyond the room, and begins a new one.
    private func rotate(_ state: inout State) throws(HistoryError) {
        let descriptor = try folder.withFiles { () throws(HistoryError) in
            let number = (folder.numbers.last ?? 0) + 1
            // It is aside already where the new one could not be opened the last time.
            guard rename(folder.current, folder.file(number)) == 0 || errno == ENOENT else {
                throw .system("cannot rename", folder.current)
            }
            pruneForRoom()
            return try Self.open(folder)
        }
        close(state.descriptor)
        (state.descriptor, state.firstWall, state.filesBegun) = (descriptor, nil, state.filesBegun + 1)
    }

    /// Deletes the oldest files beyond the room for those that are aside.
    private func pruneForRoom() {
        var room = limits.bytes - limits.fileBytes
        for number in folder.numbers.reversed() {
            var status = stat()
            guard stat(folder.file(number), &status) == 0 else { continue }
            room -= Int(status.st_size)
            if room < 0 { unlink(folder.file(number)) }
        }
    }

    /// Deletes the files that may contain events older than the limit, once an hour.
    ///
    /// The first time is an hour after the opening or the last jump of the wall clock, which is wrong until then perhaps.
    private func pruneForAge(_ state: inout State) {
        let since = clocks.sinceBoot()
        guard since - max(state.steadySince, state.prunedForAge ?? -.infinity) >= Self.trustAfter else { return }
        state.prunedForAge = since
        // The first event of a file may be up to `fileSeconds` older than its last one.
        let oldest = clocks.wall() - limits.days * 86_400 + limits.fileSeconds
        // Without the lock nothing is deleted until the next time.
        try? folder.withFiles { () throws(HistoryError) in
            for number in folder.numbers {
                let path = folder.file(number)
                if HistoryReader.last(of: path)?.moment.wall ?? .infinity < oldest { unlink(path) }
            }
        }
    }
}
