import AVFoundation

// A timer's sound, of System Sound Services, whose names `import AVFoundation` shows.
@MainActor
final class DoneSound {
    private var sound: SystemSoundID = 0
    private(set) var isOver = false

    init(_ url: URL) {
        let status = AudioServicesCreateSystemSoundID(url as CFURL, &sound)
        if status != kAudioServicesNoError { sound = 0 }
    }

    func ring() {
        AudioServicesPlaySystemSoundWithCompletion(sound) {
            Task { @MainActor in self.isOver = true }
        }
    }

    func dispose() { AudioServicesDisposeSystemSoundID(sound) }

    static func isCompressed(_ format: AudioFormatID) -> Bool {
        [kAudioFormatMPEGLayer1, kAudioFormatMPEGLayer2, kAudioFormatMPEGLayer3, kAudioFormatMPEG4AAC].contains(format)
    }
}

extension DoneSound: Story {
    static func run(_ stage: Stage) async throws {
        let app = DoneSound(stage.sound("effect.wav"))
        app.ring()
        try await stage.until("the end") { app.isOver }
        app.dispose()
        stage.say("rung, compressed \(isCompressed(0x2E6D_7032))")
    }
}
