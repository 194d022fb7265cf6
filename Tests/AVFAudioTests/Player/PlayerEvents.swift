import AVFAudio
import Foundation
import TestSupport

/// A delegate that keeps what it was told, for tests that wait for it.
// SAFETY: guarded by `lock`.
final class PlayerEvents: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {
    enum Interruption: Hashable {
        case began
        case ended(options: Int)
    }

    private let lock = NSLock()
    /// Whether it stops a player that is interrupted, as it hears of that.
    private let stopsWhenInterrupted: Bool
    private var finishes: [Bool] = []
    private var decodeErrors: [NSError] = []
    private var interruptionLog: [Interruption] = []

    init(stopsWhenInterrupted: Bool = false) { self.stopsWhenInterrupted = stopsWhenInterrupted }

    var finished: [Bool] { lock.withLock { finishes } }
    var errors: [NSError] { lock.withLock { decodeErrors } }
    var interruptions: [Interruption] { lock.withLock { interruptionLog } }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        lock.withLock { finishes.append(flag) }
    }

    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        lock.withLock { if let error { decodeErrors.append(error as NSError) } }
    }

    func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {
        if stopsWhenInterrupted { player.stop() }
        lock.withLock { interruptionLog.append(.began) }
    }

    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {
        lock.withLock { interruptionLog.append(.ended(options: flags)) }
    }

    func waitForFinish(timeout: Duration = hangLimit) async throws {
        try await waitUntil("the player to finish", timeout: timeout) { !finished.isEmpty }
    }
}
