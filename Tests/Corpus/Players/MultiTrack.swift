import AVFoundation

// Stems of one song that have to begin on the same sample.
final class MultiTrack {
    private let tracks: [AVAudioPlayer]

    init(_ urls: [URL]) throws { tracks = try urls.map { try AVAudioPlayer(contentsOf: $0) } }

    func start() {
        tracks.forEach { $0.prepareToPlay() }
        let now = tracks[0].deviceCurrentTime
        for track in tracks { track.play(atTime: now + 0.3) }
    }

    var isPlaying: Bool { tracks.contains { $0.isPlaying } }
}

extension MultiTrack: Story {
    static func run(_ stage: Stage) async throws {
        let app = try MultiTrack([stage.sound("left.wav"), stage.sound("right.wav")])
        app.start()
        try await stage.until("the end") { !app.isPlaying }
        stage.say("over")
    }
}
