import AVFAudio
import Foundation
import TestSupport

/// A delegate that keeps what it was told, for tests that wait for it.
// SAFETY: guarded by `lock`.
final class PlayerEvents: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var finishes: [Bool] = []
    private var decodeErrors: [NSError] = []

    var finished: [Bool] { lock.withLock { finishes } }
    var errors: [NSError] { lock.withLock { decodeErrors } }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        lock.withLock { finishes.append(flag) }
    }

    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        lock.withLock { if let error { decodeErrors.append(error as NSError) } }
    }

    func waitForFinish(timeout: Duration = .seconds(15)) async throws {
        try await waitUntil("the player to finish", timeout: timeout) { !finished.isEmpty }
    }
}
