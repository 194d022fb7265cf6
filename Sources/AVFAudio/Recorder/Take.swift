internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Foundation
internal import Synchronization

/// A recording on its way to the disk: receives frames on the main loop's thread, and writes them on its own queue.
///
/// The loop's thread gathers frames into pieces, which it hands to the queue, so it never waits for the disk. If the
/// disk falls behind, pieces are kept in memory up to the limit of ``TakeBacklog``, usually a minute. Frames beyond
/// that are lost: silence takes their place, so that later frames stay in time, and closing the file reports an error.
// `failure`, `unflushed` and `lastFlush` are only used on `disk`; `piece`, `filled`, `handed`, `gap`, `lost` and `told`
// with the main loop's lock held, and after the stream was closed.
// SAFETY: as stated above; besides, the counters are atomic, and `meter` is guarded by its lock.
final class Take: @unchecked Sendable {
    /// The amount of sound for one write, in seconds.
    ///
    /// With the frames that a server has not delivered yet it is well under the second that a killed process may lose.
    /// A codec buffers frames besides, so it gets shorter writes.
    private static let secondsPerWrite = (plain: 0.5, coded: 0.25)
    /// The amount of sound after which the file is flushed to the disk, in seconds.
    private static let secondsPerFlush = 0.75
    /// The capacity of a piece, in seconds: usually two deliveries.
    private static let secondsPerPiece = 0.9

    let format: RecordingFormat
    private let rate: Double
    private let bytesPerFrame: Int
    private let backlog: TakeBacklog
    private let disk = DispatchQueue(label: "AVAudioRecorder.write", qos: .userInitiated)
    private let writer: any TakeWriter
    /// The frames of one write, of one flush, and of one piece.
    private let chunk: Int
    private let flushSize: Int
    private let room: Int
    private var failure: AudioFileError?
    /// The number of frames written since the last flush.
    private var unflushed = 0
    private var lastFlush = ContinuousClock.now
    /// The piece being filled, and its number of frames.
    private var piece: TakeBacklog.Piece?
    private var filled = 0
    /// The number of frames handed over since the last due flush.
    private var handed = 0
    /// The number of frames of silence before the next frames.
    private var gap = 0
    /// The number of lost frames.
    private var lost = 0
    /// The highest number of frames reported by ``seconds(plus:isRunning:)``.
    private var told = 0
    private let captured = Atomic<Int>(0)
    private let limit = Atomic<Int>(Int.max)
    private let meterLock = NSLock()
    private let meter: LevelMeter
    private let isMetering = Atomic<Bool>(false)

    /// Called once, on the disk's queue, when writing has failed.
    private let onFailure: @Sendable (Take, AudioFileError) -> Void
    /// Called once, on the loop's thread, when the limit has been captured.
    private let onLimit: @Sendable (Take) -> Void

    /// A recording with a complete format; it owns the writer from now on.
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
        // Some headers are only written with the first frames: a full disk should be noticed now.
        try writer.flush()
        let write = format.formatID == kAudioFormatLinearPCM ? Self.secondsPerWrite.plain : Self.secondsPerWrite.coded
        chunk = max(1, Int(rate * write))
        flushSize = max(1, Int(rate * Self.secondsPerFlush))
        room = max(1, Int(rate * Self.secondsPerPiece))
        backlog = TakeBacklog(bytesPerPiece: room * bytesPerFrame, piecesPerSecond: 1 / Self.secondsPerPiece)
        meter = LevelMeter(channels: format.channels ?? 2)
    }

    // MARK: Frames, with the main loop's lock held

    /// Receives captured frames, or silence for lost frames.
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
        // If the disk is late, a piece is filled first.
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

    /// Hands the piece being filled to the queue.
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

    /// The number of frames captured so far.
    var frames: Int { captured.load(ordering: .relaxed) }

    /// Whether less than a second of the limit is left.
    var isNearLimit: Bool { limit.load(ordering: .relaxed) - frames < Int(rate) }

    /// Whether the limit has been captured.
    var isComplete: Bool { limit.load(ordering: .relaxed) <= frames }

    /// Limits the recording to a number of seconds in all, to the frame; returns false if less than a frame is missing.
    ///
    /// - Parameters:
    ///   - seconds: The duration; infinity for no limit.
    ///   - coming: The number of frames that were heard already and are on their way.
    func setLimit(_ seconds: Double, plus coming: Int) -> Bool {
        let wanted = (seconds * rate).rounded()
        let captured = frames + coming
        // A duration longer than any disk is no limit, and neither is NaN.
        limit.store(wanted < 0x1p60 ? max(captured, Int(max(0, wanted))) : .max, ordering: .relaxed)
        return !(wanted < Double(captured) + 1)
    }

    func setMetering(_ enabled: Bool) { isMetering.store(enabled, ordering: .relaxed) }

    /// The levels of the frames since the last call.
    func takeLevels() -> Levels? { meterLock.withLock { meter.take() } }

    /// The seconds captured so far, frames on their way included; never more than the limit.
    ///
    /// With the main loop's lock held. The value never decreases while the recording runs, even if the number of frames
    /// on their way turns out lower when an input's losses are known.
    func seconds(plus coming: Int, isRunning: Bool) -> Double {
        told = max(isRunning ? told : 0, frames + coming)
        return Double(min(told, limit.load(ordering: .relaxed))) / rate
    }

    /// Writes all captured frames to the disk, so that the file can be played at once.
    ///
    /// With the main loop's lock held; returns at once.
    func secure() {
        handOver()
        disk.async { self.flush() }
    }

    /// Writes the remaining frames and completes the file; blocks until that is done, and throws the first error of the
    /// recording.
    ///
    /// To be called after the stream was closed; ``close(_:)`` must follow.
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

    /// Closes the completed file, and reports when it is on the disk, with the first error of the recording.
    ///
    /// Returns at once; `done` is called on the disk's queue.
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
            // A flush waits for the disk. Two a second keep a power cut's loss below a second, and frames queued for a
            // slow disk are not worth more.
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
