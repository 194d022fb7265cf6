import Foundation
import PulseClient
import PulseSimple

/// A recorder of a sink's monitor, on a thread of its own, that notes when sound begins.
// SAFETY: `heard` is guarded by `condition`; the recording is only read on the thread.
final class Ear: @unchecked Sendable {
    private let condition = NSCondition()
    private var heard: ContinuousClock.Instant?
    private var isSilent = false
    private let recording: SimpleRecording
    private static let rate = 48_000

    init(server: String) throws {
        recording = try SimpleRecording(
            server: server, name: "playback-bench", streamName: "ear", source: "@DEFAULT_MONITOR@",
            spec: SampleSpec(format: .float32, rate: UInt32(Self.rate), channels: 1), fragment: 0.002)
        Thread.detachNewThread { [self] in listen() }
    }

    private func listen() {
        while let (samples, _) = try? recording.read(float: Self.rate / 1000) {
            let now = ContinuousClock.now
            let isLoud = samples.contains { abs($0) > 1e-4 }
            condition.withLock {
                isSilent = !isLoud
                if isLoud && heard == nil { heard = now }
                condition.broadcast()
            }
        }
    }

    /// Waits for silence, until the server has put away what made the sound, and forgets what was heard.
    ///
    /// It then waits for a random part of the server's quantum: a start right after a sound would always fall on the
    /// same part, which differs between programs.
    func clear() {
        condition.withLock {
            while !isSilent { condition.wait() }
        }
        Thread.sleep(forTimeInterval: .random(in: 0.1...0.13))
        condition.withLock {
            heard = nil
        }
    }

    /// The time of the first sound since ``clear()``; nil if none comes in time.
    func firstSound(within seconds: Double) -> ContinuousClock.Instant? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while heard == nil, condition.wait(until: deadline) {}
            return heard
        }
    }
}
