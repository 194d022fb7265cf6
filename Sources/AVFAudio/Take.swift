internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SoundHost
internal import Synchronization

/// One recording on its way to the disk: frames come in on the main loop's thread, and a queue of its own writes them.
///
/// The disk is never waited for on the loop's thread: what it does not take for ``secondsOfRoom`` is kept in memory.
// SAFETY: `writer`, `scratch`, `failure` and `writesSinceFlush` are only used on `queue`; the ring has one producer, the loop's thread, and
// one consumer, the queue; the counters are atomic; `meter` is guarded by `meterLock`.
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
    private let captured = Atomic<Int>(0)
    private let pending = Atomic<Int>(0)
    private let limit = Atomic<Int>(Int.max)
    private let meterLock = NSLock()
    private let meter: LevelMeter
    private let isMetering = Atomic<Bool>(false)

    /// Called once, on the queue, when writing failed.
    private let onFailure: @Sendable (AudioFileError) -> Void
    /// Called once, on the loop's thread, when the limit has been captured.
    private let onLimit: @Sendable () -> Void

    /// Creates the file, or empties it.
    init(
        format: RecordingFormat, rate: Double, channels: Int, path: String,
        onFailure: @escaping @Sendable (AudioFileError) -> Void, onLimit: @escaping @Sendable () -> Void
    ) throws(AudioFileError) {
        self.format = format
        self.rate = rate
        self.onFailure = onFailure
        self.onLimit = onLimit
        bytesPerFrame = format.bytesPerCapturedFrame
        writer = try AudioFileWriter(
            path: path, container: format.container, encoding: format.encoding, sampleRate: rate, channels: channels,
            bigEndian: format.isBigEndian)
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
            _ = ring.write(source, frames: frames)
            if isMetering.load(ordering: .relaxed) { measure(source, frames) }
        } else {
            writeSilence(frames)
        }
        captured.store(captured.load(ordering: .relaxed) + frames, ordering: .relaxed)
        let waiting = pending.load(ordering: .relaxed) + frames
        let isLast = frames == room
        pending.store(waiting >= chunk || isLast ? 0 : waiting, ordering: .relaxed)
        if waiting >= chunk || isLast { queue.async { self.drain(flushing: false) } }
        if isLast { onLimit() }
    }

    private func writeSilence(_ frames: Int) {
        var left = frames
        withUnsafeTemporaryAllocation(byteCount: 4096 * bytesPerFrame, alignment: 16) { zeros in
            zeros.initializeMemory(as: UInt8.self, repeating: 0)
            guard let source = zeros.baseAddress else { return }
            while left > 0 {
                let written = ring.write(source, frames: min(left, 4096))
                guard written > 0 else { return }
                left -= written
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

    /// Captures no more than that many frames in all.
    func setLimit(_ frames: Int) { limit.store(frames, ordering: .relaxed) }

    func setMetering(_ enabled: Bool) { isMetering.store(enabled, ordering: .relaxed) }

    /// The levels since the last call.
    func takeLevels() -> Levels? { meterLock.withLock { meter.take() } }

    /// Brings what was captured to the disk, in a file that can be played at once.
    func secure() { queue.async { self.drain(flushing: true) } }

    /// Writes what is left and closes the file; blocks until that is done, and throws what went wrong at any time.
    func close() throws(AudioFileError) {
        let result: Result<Void, AudioFileError> = queue.sync {
            drain(flushing: true)
            if let failure {
                try? writer.close()
                return .failure(failure)
            }
            do throws(AudioFileError) { return .success(try writer.close()) } catch { return .failure(error) }
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
            onFailure(error)
        }
    }
}
