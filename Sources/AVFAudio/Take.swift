internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SoundHost
internal import Synchronization

/// One recording on its way to the disk: frames come in on the main loop's thread, and a queue of its own writes them.
///
/// The disk is never waited for on the loop's thread: what it does not take for ``secondsOfRoom`` is kept in memory.
/// Beyond that frames are lost; silence takes their place, so that what follows stays in time, and closing tells.
//
// `writer`, `scratch`, `failure` and `writesSinceFlush` are only used on `queue`; `owed` and `lost` on the loop's thread,
// and on the queue after the stream was closed; the ring has one producer, the loop's thread, and one consumer, the queue.
// SAFETY: as told above; besides, the counters are atomic, and `meter` is guarded by `meterLock`.
final class Take: @unchecked Sendable {
    private static let secondsOfRoom = 6.0
    /// How much is gathered before the queue is woken: well under the second that may be lost when the power fails.
    private static let secondsPerWrite = 0.25

    let format: RecordingFormat
    private let rate: Double
    private let bytesPerFrame: Int
    private let ring: FrameRing
    private let writer: AudioFileWriter
    private let queue = DispatchQueue(label: "AVAudioRecorder.write", qos: .userInitiated)
    private let scratch: UnsafeMutableRawPointer
    private let chunk: Int
    private var failure: AudioFileError?
    private var writesSinceFlush = 0
    /// Frames of silence that must go into the file before anything else.
    private var owed = 0
    /// Frames that found no room.
    private var lost = 0
    private let captured = Atomic<Int>(0)
    private let pending = Atomic<Int>(0)
    private let limit = Atomic<Int>(Int.max)
    private let meterLock = NSLock()
    private let meter: LevelMeter
    private let isMetering = Atomic<Bool>(false)

    /// Called once, on the queue, when writing failed.
    private let onFailure: @Sendable (Take, AudioFileError) -> Void
    /// Called once, on the loop's thread, when the limit has been captured.
    private let onLimit: @Sendable (Take) -> Void

    /// Creates the file, or empties it; the format is complete.
    init(
        format: RecordingFormat, path: String, onFailure: @escaping @Sendable (Take, AudioFileError) -> Void,
        onLimit: @escaping @Sendable (Take) -> Void
    ) throws(AudioFileError) {
        let rate = format.captureRate
        let channels = format.channels ?? 2
        self.format = format
        self.rate = rate
        self.onFailure = onFailure
        self.onLimit = onLimit
        bytesPerFrame = format.bytesPerCapturedFrame
        writer = try format.makeWriter(path: path)
        // Some headers are only written with the first frames: a full disk is better known now.
        try writer.flush()
        chunk = Int(rate * Self.secondsPerWrite)
        ring = FrameRing(bytesPerFrame: bytesPerFrame, capacity: Int(rate * Self.secondsOfRoom))
        scratch = .allocate(byteCount: chunk * bytesPerFrame, alignment: 16)
        meter = LevelMeter(channels: channels)
    }

    deinit { scratch.deallocate() }

    // MARK: Frames, on the main loop's thread

    /// Takes captured frames, or silence for frames that the server lost.
    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int) {
        let room = limit.load(ordering: .relaxed) - captured.load(ordering: .relaxed)
        guard room > 0 else { return }
        let frames = min(count / bytesPerFrame, room)
        if let source = bytes?.baseAddress {
            put(source, frames)
            if isMetering.load(ordering: .relaxed) { measure(source, frames) }
        } else {
            owed += frames
        }
        captured.store(captured.load(ordering: .relaxed) + frames, ordering: .relaxed)
        let waiting = pending.load(ordering: .relaxed) + frames
        let isLast = frames == room
        pending.store(waiting >= chunk || isLast ? 0 : waiting, ordering: .relaxed)
        if waiting >= chunk || isLast { queue.async { self.drain(flushing: false) } }
        if isLast { onLimit(self) }
    }

    private func put(_ source: UnsafeRawPointer, _ frames: Int) {
        payWhatIsOwed()
        let written = owed == 0 ? ring.write(source, frames: frames) : 0
        owed += frames - written
        lost += frames - written
    }

    private func payWhatIsOwed() {
        guard owed > 0 else { return }
        let size = min(owed, 4096)
        withUnsafeTemporaryAllocation(byteCount: size * bytesPerFrame, alignment: 16) { zeros in
            zeros.initializeMemory(as: UInt8.self, repeating: 0)
            guard let source = zeros.baseAddress else { return }
            while owed > 0 {
                let written = ring.write(source, frames: min(owed, size))
                guard written > 0 else { return }
                owed -= written
            }
        }
    }

    private func measure(_ source: UnsafeRawPointer, _ frames: Int) {
        meterLock.withLock {
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

    /// The same in seconds.
    var seconds: Double { Double(frames) / rate }

    /// Captures so many seconds more, to the frame; false if that is nothing.
    func setLimit(after seconds: Double) -> Bool {
        let more = (seconds * rate).rounded()
        // What is longer than any disk is no limit; neither is NaN.
        limit.store(more < 0x1p60 ? frames + max(0, Int(more)) : .max, ordering: .relaxed)
        return !(more < 1)
    }

    func setMetering(_ enabled: Bool) { isMetering.store(enabled, ordering: .relaxed) }

    /// The levels since the last call.
    func takeLevels() -> Levels? { meterLock.withLock { meter.take() } }

    /// Brings what was captured to the disk, in a file that can be played at once.
    func secure() { queue.async { self.drain(flushing: true) } }

    /// Writes what is left and closes the file; blocks until that is done, and throws what went wrong at any time.
    ///
    /// After the stream was closed.
    func close() throws(AudioFileError) {
        let result: Result<Void, AudioFileError> = queue.sync {
            repeat {
                drain(flushing: true)
                payWhatIsOwed()
            } while failure == nil && ring.readableFrames > 0
            do throws(AudioFileError) { try writer.close() } catch { failure = failure ?? error }
            if failure == nil && lost > 0 {
                let message = "the disk was too slow: silence stands for \(lost) frames"
                failure = AudioFileError(.io(ETIMEDOUT), message, path: writer.path)
            }
            return failure.map { .failure($0) } ?? .success(())
        }
        try result.get()
    }

    // MARK: Writing, on the queue

    private func drain(flushing: Bool) {
        guard failure == nil else { return }
        do throws(AudioFileError) {
            while true {
                let frames = ring.read(into: scratch, frames: chunk)
                guard frames > 0 else { break }
                switch format.captureFormat {
                case .int16: try writer.write(int16: scratch.assumingMemoryBound(to: Int16.self), frames: frames)
                case .int32: try writer.write(int32: scratch.assumingMemoryBound(to: Int32.self), frames: frames)
                case .float32: try writer.write(float: scratch.assumingMemoryBound(to: Float.self), frames: frames)
                }
            }
            writesSinceFlush += 1
            // A flush waits for the disk: once in three writes keeps the second that a power cut may take.
            guard flushing || writesSinceFlush >= 3 else { return }
            writesSinceFlush = 0
            try writer.flush()
        } catch {
            failure = error
            onFailure(self, error)
        }
    }
}
