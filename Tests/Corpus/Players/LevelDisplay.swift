import AVFoundation

// A level display, fed by a timer as a display link would feed it.
@MainActor
final class LevelDisplay {
    private let player: AVAudioPlayer
    private var timer: Timer?
    private(set) var loudest: Float = -160

    init(_ url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        player.isMeteringEnabled = true
    }

    var isPlaying: Bool { player.isPlaying }

    func start() {
        player.play()
        let timer = Timer(timeInterval: 1.0 / 60, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.refresh() }
        }
        RunLoop.main.add(timer, forMode: .common)
        self.timer = timer
    }

    private func refresh() {
        player.updateMeters()
        for channel in 0..<player.numberOfChannels {
            loudest = max(loudest, player.peakPower(forChannel: channel))
        }
        if !player.isPlaying { timer?.invalidate() }
    }
}

extension LevelDisplay: Story {
    static func run(_ stage: Stage) async throws {
        let app = try LevelDisplay(stage.sound("song.wav"))
        app.start()
        try await stage.until("the end") { !app.isPlaying }
        stage.say("peak \(Int(app.loudest.rounded()))")
    }
}
