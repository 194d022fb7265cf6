import AVFoundation

// Hearing test: a sound on the left ear, then on the right one.
struct Balance {
    let url: URL

    func play(pan: Float) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(contentsOf: url)
        player.pan = pan
        player.play()
        return player
    }
}

extension Balance: Story {
    static func run(_ stage: Stage) async throws {
        for pan: Float in [-1, 1] {
            let player = try Balance(url: stage.sound("voice.wav")).play(pan: pan)
            try await stage.until("the end") { !player.isPlaying }
            stage.say("pan \(player.pan)")
        }
    }
}
