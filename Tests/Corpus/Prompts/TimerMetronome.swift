import AVFoundation

// The metronome of tutorials: a dispatch timer that rewinds one player.
@MainActor
final class TimerMetronome {
    private let player: AVAudioPlayer
    private var timer: DispatchSourceTimer?
    private(set) var beats = 0

    init(_ url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        player.prepareToPlay()
    }

    func start(every seconds: Double) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: seconds)
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.beat() } }
        timer.resume()
        self.timer = timer
    }

    func stop() { timer?.cancel() }

    private func beat() {
        player.currentTime = 0
        player.play()
        beats += 1
    }
}

extension TimerMetronome: Story {
    static func run(_ stage: Stage) async throws {
        let app = try TimerMetronome(stage.sound("tick.wav"))
        app.start(every: 0.15)
        try await stage.until("four beats") { app.beats == 4 }
        app.stop()
        try await stage.until("silence") { !app.player.isPlaying }
        stage.say("beats \(app.beats)")
    }
}
