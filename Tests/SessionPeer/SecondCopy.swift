import AVFAudio
import SoundAnalysis

/// The session of a second copy of the library in this process: a connection, a claim and players of its own.
// SAFETY: only the thread that carries out commands touches `players`.
final class SecondCopy: @unchecked Sendable {
    let session = AVAudioSession(server: nil)
    private var players: [AVAudioPlayer] = []

    /// Plays a sine for ever, which activates the session; returns whether it plays.
    func play(_ frequency: Double) throws -> Bool {
        let signal = TestSignal.sine(frequency: frequency, level: -12, seconds: 1)
        let player = try AVAudioPlayer(data: signal.wavData, session: session)
        player.numberOfLoops = -1
        players.append(player)
        return player.play()
    }
}
