internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Foundation
internal import Synchronization

/// One recording on its way to the disk: frames come in on the main loop's thread, and a queue of its own writes them.
///
/// The loop's thread gathers frames into pieces, which it hands to the queue. So it never waits for the disk: what the
/// disk does not take is kept in memory for as long as ``TakeBacklog`` allows, a minute as a rule, and memory is used
/// only while that lasts. Beyond that frames are lost; silence takes their place, so that what follows stays in time,
/// and closing tells.
//
// `failure`, `unflushed` and `lastFlush` are only used on `disk`; `piece`, `filled`, `handed`, `gap`, `lost` and `told`
// with the main loop's lock held, and after the stream was closed.
// SAFETY: as told above; besides, the counters are atomic, and `meter` is guarded by its lock.
final class Take: @unchecked Sendable {
    /// How much is gathered before the disk is bothered.
    ///
    /// With what a server has not delivered yet that is well under the second that a kill may cost. A codec keeps
    /// something to itself besides, and is given less at a time.
    private static let secondsPerWrite = (plain: 0.5, coded: 0.25)
    /// How much is written before it is synced.
    private static let secondsPerFlush = 0.75
    /// What fits into a piece: two deliveries, as a rule.
    private static let secondsPerPiece = 0.9

    let format: RecordingFormat
    private let rate: Double
    private let bytesPerFrame: Int
    private let backlog: TakeBacklog
    private let disk = DispatchQueue(label: "AVAudioRecorder.write", qos: .userInitiated)
    private let writer: any TakeWriter
    /// Frames that are worth a write, frames that are worth a flush, and frames that a piece holds.
    private let chunk: Int
    private let flushSize: Int
    private let room: Int
    private var failure: AudioFileError?
    /// Frames written since the last flush.
    private var unflushed = 0
    private var lastFlush = ContinuousClock.now
    /// What is being gathered, and how many frames of it.
    private var piece: TakeBacklog.Piece?
    private var filled = 0
    /// Frames handed over since those that will be flushed.
    private var handed = 0
    /// Frames of silence that stand before the next ones.
    private var gap = 0
    /// Frames that found no room.
    private var lost = 0
    /// Frames that who asked was told of.
    private var told = 0
    private let captured = Atomic<Int>(0)
    private let limit = Atomic<Int>(Int.max)
    private let meterLock = NSLock()
    private let meter: LevelMeter
    private let isMetering = Atomic<Bool>(false)

    /// Called once, on the disk's queue, when writing failed.
    private let onFailure: @Sendable (Take, AudioFileError) -> Void
    /// Called once, on the loop's thread, when the limit has been captured.
    private let onLimit: @Sendable (Take) -> Void

    /// Begins a recording; the format is complete, and the writer its file, which is the take's from now on.
    init(
        format: RecordingFormat, writer: any TakeWriter,
        onFailure: @escaping @Sendable (Take, AudioFileError) -> Void, onLimit: @escaping @Sendable (Take) -> Void
    ) throws(AudioFileError) {
        let rate = format.captureRate
        self.format = format
        self.rate = rate
        self.writer = writer
        self.onFailure = onFailure
        self.onLimit = onLimit
        bytesPerFrame = format.bytesPerCapturedFrame
        // Some headers are only written with the first frames: a full disk is better known now.
        try writer.flush()
        let write = format.formatID == kAudioFormatLinearPCM ? Self.secondsPerWrite.plain : Self.secondsPerWrite.coded
        chunk = max(1, Int(rate * write))
        flushSize = max(1, Int(rate * Self.secondsPerFlush))
        room = max(1, Int(rate * Self.secondsPerPiece))
        backlog = TakeBacklog(bytesPerPiece: room * bytesPerFrame, piecesPerSecond: 1 / Self.secondsPerPiece)
        meter = LevelMeter(channels: format.channels ?? 2)
    }

    // MARK: Frames, with the main loop's lock held

    /// Takes captured frames, or silence for frames that never came.
    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int) {
        let room = limit.load(ordering: .relaxed) - captured.load(ordering: .relaxed)
        guard room > 0 else { return }
        let frames = min(count / bytesPerFrame, room)
        if let source = bytes?.baseAddress {
            gather(source, frames)
        } else {
            handOver()
            gap += frames
        }
        if isMetering.load(ordering: .relaxed) { measure(bytes?.baseAddress, frames) }
        captured.store(captured.load(ordering: .relaxed) + frames, ordering: .relaxed)
        let isLast = frames == room
        // For a disk that is late, what is not full yet can wait.
        let isDue = filled >= chunk || handed + filled >= flushSize
        if isDue && backlog.isKeepingUp || gap >= chunk || isLast { handOver() }
        if isLast { onLimit(self) }
    }

    private func gather(_ source: UnsafeRawPointer, _ frames: Int) {
        var done = 0
        while done < frames {
            guard let target = piece ?? backlog.take() else {
                lost += frames - done
                gap += frames - done
                return
            }
            if piece == nil {
                sendGap()
                piece = target
            }
            let count = min(frames - done, room - filled)
            target.bytes.advanced(by: filled * bytesPerFrame).copyMemory(
                from: source + done * bytesPerFrame, byteCount: count * bytesPerFrame)
            filled += count
            done += count
            if filled == room { handOver() }
        }
    }

    /// Gives the queue what was gathered.
    private func handOver() {
        guard let full = piece else { return sendGap() }
        let frames = filled
        piece = nil
        filled = 0
        handed = handed + frames < flushSize ? handed + frames : 0
        disk.async {
            self.write(full.bytes, frames)
            self.backlog.giveBack(full)
        }
    }

    private func sendGap() {
        guard gap > 0 else { return }
        let frames = gap
        gap = 0
        disk.async { self.writeSilence(frames) }
    }

    private func measure(_ source: UnsafeRawPointer?, _ frames: Int) {
        meterLock.withLock {
            guard let source else { return meter.measureSilence(frames: frames) }
            switch format.captureFormat {
            case .int16: meter.measure(int16: source.assumingMemoryBound(to: Int16.self), frames: frames)
            case .int32: meter.measure(int32: source.assumingMemoryBound(to: Int32.self), frames: frames)
            case .float32: meter.measure(float: source.assumingMemoryBound(to: Float.self), frames: frames)
            }
        }
    }

    // MARK: Any thread

    /// Frames captured so far.
    var frames: Int { captured.load(ordering: .relaxed) }

    /// Whether the last second that is wanted has begun.
    var isNearLimit: Bool { limit.load(ordering: .relaxed) - frames < Int(rate) }

    /// Whether it has had all that was wanted of it.
    var isComplete: Bool { limit.load(ordering: .relaxed) <= frames }

    /// Captures so many seconds more, to the frame, than has been heard; false if that is nothing.
    ///
    /// - Parameter coming: Frames that were heard already, and are on their way.
    func setLimit(after seconds: Double, plus coming: Int) -> Bool {
        let more = (seconds * rate).rounded()
        // What is longer than any disk is no limit; neither is NaN.
        limit.store(more < 0x1p60 ? frames + coming + Int(max(0, more)) : .max, ordering: .relaxed)
        return !(more < 1)
    }

    func setMetering(_ enabled: Bool) { isMetering.store(enabled, ordering: .relaxed) }

    /// The levels since the last call.
    func takeLevels() -> Levels? { meterLock.withLock { meter.take() } }

    /// Seconds captured so far, with frames that are on their way; no more than are wanted.
    ///
    /// While it runs that never goes back, though less is known when it is to be found out what an input has lost. With
    /// the main loop's lock held.
    func seconds(plus coming: Int, isRunning: Bool) -> Double {
        told = max(isRunning ? told : 0, frames + coming)
        return Double(min(told, limit.load(ordering: .relaxed))) / rate
    }

    /// Brings what was captured to the disk, in a file that can be played at once.
    ///
    /// With the main loop's lock held.
    func secure() {
        handOver()
        disk.async { self.flush() }
    }

    /// Writes what is left and makes the file whole; blocks until that is done, and throws what went wrong at any time.
    ///
    /// After the stream was closed; ``close(_:)`` is still to come.
    func finish() throws(AudioFileError) {
        handOver()
        let lost = lost
        let result: Result<Void, AudioFileError> = disk.sync {
            do throws(AudioFileError) { try writer.finish() } catch { failure = failure ?? error }
            if failure == nil && lost > 0 {
                let message = "the disk was too slow: silence stands for \(lost) frames"
                failure = AudioFileError(.io(ETIMEDOUT), message, path: writer.path)
            }
            return failure.map { .failure($0) } ?? .success(())
        }
        try result.get()
    }

    /// Closes the finished file, and says when it is on the disk, or what went wrong at any time.
    ///
    /// Nobody waits for the disk here; `done` is called on its queue.
    func close(_ done: @escaping @Sendable (AudioFileError?) -> Void = { _ in }) {
        disk.async { [self] in
            do throws(AudioFileError) { try writer.close() } catch { failure = failure ?? error }
            done(failure)
        }
    }

    // MARK: Writing, on the disk's queue

    private func write(_ bytes: UnsafeMutableRawPointer, _ frames: Int) {
        attempt { () throws(AudioFileError) in
            switch format.captureFormat {
            case .int16: try writer.write(int16: bytes.assumingMemoryBound(to: Int16.self), frames: frames)
            case .int32: try writer.write(int32: bytes.assumingMemoryBound(to: Int32.self), frames: frames)
            case .float32: try writer.write(float: bytes.assumingMemoryBound(to: Float.self), frames: frames)
            }
            unflushed += frames
            // A flush waits for the disk: so many keep the second that a power cut may take, and sound that has queued
            // up for a slow disk is not worth more of them.
            if unflushed >= flushSize, ContinuousClock.now - lastFlush >= .seconds(0.5) { try synchronize() }
        }
    }

    private func writeSilence(_ frames: Int) {
        let size = min(frames, 4096)
        withUnsafeTemporaryAllocation(byteCount: size * bytesPerFrame, alignment: 16) { zeros in
            zeros.initializeMemory(as: UInt8.self, repeating: 0)
            guard let bytes = zeros.baseAddress else { return }
            for first in stride(from: 0, to: frames, by: size) { write(bytes, min(size, frames - first)) }
        }
    }

    private func flush() { attempt { () throws(AudioFileError) in try synchronize() } }

    private func synchronize() throws(AudioFileError) {
        unflushed = 0
        lastFlush = .now
        try writer.flush()
    }

    private func attempt(_ body: () throws(AudioFileError) -> Void) {
        guard failure == nil else { return }
        do throws(AudioFileError) { try body() } catch {
            failure = error
            onFailure(self, error)
        }
    }
}
