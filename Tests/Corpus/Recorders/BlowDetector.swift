import AVFoundation

// The candle that is blown out: a recorder into nowhere, only for its meters.
@MainActor
final class BlowDetector {
    private let recorder: AVAudioRecorder
    private var timer: Timer?
    private(set) var level: Float = -160

    init() throws {
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatAppleLossless, AVSampleRateKey: 44100.0, AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.min.rawValue,
        ]
        recorder = try AVAudioRecorder(url: URL(fileURLWithPath: "/dev/null"), settings: settings)
        recorder.isMeteringEnabled = true
    }

    func listen() -> Bool {
        timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated {
                guard let self = self else { return }
                self.recorder.updateMeters()
                self.level = max(self.level, self.recorder.averagePower(forChannel: 0))
            }
        }
        return recorder.prepareToRecord() && recorder.record()
    }

    func stop() {
        timer?.invalidate()
        recorder.stop()
    }
}

extension BlowDetector: Story {
    static func run(_ stage: Stage) async throws {
        let app = try BlowDetector()
        stage.say("listening \(app.listen())")
        // The monitor of what the app itself plays is its microphone here.
        let wind = try AVAudioPlayer(contentsOf: stage.sound("album.wav"))
        wind.play()
        try await stage.until("the wind") { app.level > -30 }
        app.stop()
        stage.say("blown out at most \(app.level <= 0)")
    }
}
