import AVFoundation

// A level meter: a class of the main actor whose tap tells it how loud the microphone is.
@MainActor
final class InputMeter {
    private let engine = AVAudioEngine()
    private(set) var level: Float = -120

    func start() throws {
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord, options: [.defaultToSpeaker])
        try AVAudioSession.sharedInstance().setActive(true)
        engine.inputNode.installTap(onBus: 0, bufferSize: 1024, format: nil) { [weak self] buffer, _ in
            guard let channel = buffer.floatChannelData?[0] else { return }
            let frames = Int(buffer.frameLength)
            let mean = (0..<frames).reduce(Float(0)) { $0 + channel[$1] * channel[$1] } / Float(frames)
            let level = 10 * log10(max(mean, 1e-12))
            Task { @MainActor [weak self] in self?.level = level }
        }
        try engine.start()
    }

    func stop() {
        engine.stop()
        engine.inputNode.removeTap(onBus: 0)
    }
}

extension InputMeter: Story {
    static func run(_ stage: Stage) async throws {
        let meter = InputMeter()
        try meter.start()
        let sound = try AVAudioPlayer(contentsOf: stage.sound("album.wav"))
        sound.play()
        try await stage.until("some level") { meter.level > -30 }
        meter.stop()
        stage.say("level at most \(meter.level < 0)")
    }
}
