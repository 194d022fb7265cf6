internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SoundHost
internal import Synchronization

/// One recording on its way to the disk: frames come in on the main loop's thread, and two queues of its own take them on.
///
/// The first queue empties the ring into pieces, and the second one writes the pieces. So the loop's thread never waits for
/// the disk, nor does the ring: what the disk does not take is kept in memory for as long as ``TakeBacklog`` allows, a
/// minute as a rule, and memory is used only while that lasts. Beyond that frames are lost; silence takes their place, so
/// that what follows stays in time, and closing tells.
//
// `failure`, `unflushed` and `lastFlush` are only used on `disk`; `pending` and `lost` on the loop's thread, and after the stream
// was closed; the ring has one producer, the loop's thread, and one consumer, `collector`.
// SAFETY: as told above; besides, the counters are atomic, and `meter` and `silences` are guarded by their locks.
final class Take: @unchecked Sendable {
    /// How long the first queue may be late: five seconds, but no less than one, as long as that is not too much memory.
    private static func ringCapacity(rate: Double, bytesPerFrame: Int) -> Int {
        max(Int(rate), min(Int(5 * rate), (4 << 20) / bytesPerFrame))
    }

    /// How much is gathered before the queue is woken: well under the second that may be lost when the power fails.
    private static let secondsPerWrite = 0.25

    let format: RecordingFormat
    private let rate: Double
    private let bytesPerFrame: Int
    private let ring: FrameRing
    private let backlog: TakeBacklog
    private let collector = DispatchQueue(label: "AVAudioRecorder.collect", qos: .userInitiated)
    private let disk = DispatchQueue(label: "AVAudioRecorder.write", qos: .userInitiated)
    private let writer: any TakeWriter
    private let chunk: Int
    private var failure: AudioFileError?
    /// Frames written since the last flush.
    private var unflushed = 0
    private var lastFlush = ContinuousClock.now
    /// Frames that nobody was woken for yet.
    private var pending = 0
    /// Frames that found no room.
    private var lost = 0
    private let captured = Atomic<Int>(0)
    private let limit = Atomic<Int>(Int.max)
    private let silenceLock = NSLock()
    /// Frames of silence, and the ring's position that they stand before.
    private var silences: [(position: Int, frames: Int)] = []
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
        chunk = Int(rate * Self.secondsPerWrite)
        ring = FrameRing(
            bytesPerFrame: bytesPerFrame, capacity: Self.ringCapacity(rate: rate, bytesPerFrame: bytesPerFrame))
        backlog = TakeBacklog(bytesPerPiece: chunk * bytesPerFrame, piecesPerSecond: 1 / Self.secondsPerWrite)
        meter = LevelMeter(channels: format.channels ?? 2)
    }

    // MARK: Frames, on the main loop's thread

    /// Takes captured frames, or silence for frames that never came.
    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int) {
        let room = limit.load(ordering: .relaxed) - captured.load(ordering: .relaxed)
        guard room > 0 else { return }
        let frames = min(count / bytesPerFrame, room)
        if let source = bytes?.baseAddress {
            let written = ring.write(source, frames: frames)
            lost += frames - written
            addSilence(frames - written)
            if isMetering.load(ordering: .relaxed) { measure(source, frames) }
        } else {
            addSilence(frames)
        }
        captured.store(captured.load(ordering: .relaxed) + frames, ordering: .relaxed)
        pending += frames
        let isLast = frames == room
        if pending >= chunk || isLast {
            pending = 0
            collector.async { self.collect() }
        }
        if isLast { onLimit(self) }
    }

    private func addSilence(_ frames: Int) {
        guard frames > 0 else { return }
        let position = ring.framesWritten
        silenceLock.withLock {
            if silences.last?.position == position {
                silences[silences.count - 1].frames += frames
            } else {
                silences.append((position, frames))
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
    func secure() {
        collector.async {
            self.collect()
            self.disk.async { self.flush() }
        }
    }

    /// Writes what is left and closes the file; blocks until that is done, and throws what went wrong at any time.
    ///
    /// After the stream was closed.
    func close() throws(AudioFileError) {
        var hasFailed = false
        repeat {
            collector.sync { collect() }
            disk.sync { hasFailed = failure != nil }
        } while !hasFailed && hasMore
        let result: Result<Void, AudioFileError> = disk.sync {
            do throws(AudioFileError) { try writer.close() } catch { failure = failure ?? error }
            if failure == nil && lost > 0 {
                let message = "the disk was too slow: silence stands for \(lost) frames"
                failure = AudioFileError(.io(ETIMEDOUT), message, path: writer.path)
            }
            return failure.map { .failure($0) } ?? .success(())
        }
        try result.get()
    }

    private var hasMore: Bool { ring.readableFrames > 0 || silenceLock.withLock { !silences.isEmpty } }

    // MARK: Gathering, on the collector

    private func collect() {
        while true {
            // Silence that was put before frames is known when they are.
            let written = ring.framesWritten
            let position = ring.framesRead
            let silence = silenceLock.withLock {
                silences.first.map { $0.position > position ? $0 : silences.removeFirst() }
            }
            if let silence, silence.position <= position {
                disk.async { self.writeSilence(silence.frames) }
                continue
            }
            let end = min(written, silence?.position ?? written)
            guard end > position, let piece = backlog.take() else { return }
            let frames = ring.read(into: piece.bytes, frames: min(end - position, chunk))
            disk.async {
                self.write(piece.bytes, frames)
                self.backlog.giveBack(piece)
            }
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
            // A flush waits for the disk: once in three writes keeps the second that a power cut may take, and sound that
            // has queued up for a slow disk is not worth more of them.
            if unflushed >= 3 * chunk, ContinuousClock.now - lastFlush >= .seconds(0.5) { try synchronize() }
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
