import AudioHost
import TestSupport

@testable import AVFAudio

extension AVAudioPlayer {
    /// The position of a paused player once the server has said how much of the queue it played.
    ///
    /// Reading `currentTime` waits for nothing, and is an estimate until then.
    func settledTime() async throws -> Double {
        try await offPool { self.core.binding?.sound.settle(seconds: 2) }
        return currentTime
    }
}
