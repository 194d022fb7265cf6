import AVFoundation

// A metronome that schedules its ticks on the clock of the sound device.
final class Metronome {
    private let players: [AVAudioPlayer]
    let interval: TimeInterval

    init(tick url: URL, beatsPerMinute: Double, bars: Int) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, options: .mixWithOthers)
        interval = 60 / beatsPerMinute
        players = try (0..<bars).map { _ in try AVAudioPlayer(contentsOf: url) }
    }

    func start() {
        players.forEach { $0.prepareToPlay() }
        guard let first = players.first else { return }
        let start = first.deviceCurrentTime + 0.3
        for (beat, player) in players.enumerated() { player.play(atTime: start + Double(beat) * interval) }
    }

    var isTicking: Bool { players.contains(where: \.isPlaying) }
}

extension Metronome: Story {
    static func run(_ stage: Stage) async throws {
        let app = try Metronome(tick: stage.sound("tick.wav"), beatsPerMinute: 480, bars: 8)
        app.start()
        try await stage.until("the last tick") { !app.isTicking }
        stage.say("ticked")
    }
}
