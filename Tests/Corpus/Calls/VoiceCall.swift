import AVFoundation

// A call: the session is activated when it is answered, and others are told when it is over.
@MainActor
final class VoiceCall {
    enum State: String { case idle, connected, ended }

    private let session = AVAudioSession.sharedInstance()
    private var farEnd: AVAudioPlayer?
    private var microphone: AVAudioRecorder?
    private(set) var state = State.idle

    func answer(farEnd url: URL, microphone file: URL) throws {
        try session.setCategory(.playAndRecord, mode: .voiceChat, options: [])
        try session.setPreferredIOBufferDuration(0.01)
        try session.setActive(true)
        farEnd = try AVAudioPlayer(contentsOf: url)
        farEnd?.numberOfLoops = -1
        microphone = try AVAudioRecorder(url: file, settings: [AVSampleRateKey: 16_000.0, AVNumberOfChannelsKey: 1])
        guard farEnd?.play() == true, microphone?.record() == true else { return hangUp() }
        state = .connected
    }

    var seconds: TimeInterval { microphone?.currentTime ?? 0 }

    func hangUp() {
        farEnd?.stop()
        microphone?.stop()
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        state = .ended
    }
}

extension VoiceCall: Story {
    static func run(_ stage: Stage) async throws {
        let app = VoiceCall()
        try app.answer(farEnd: stage.sound("voice.wav"), microphone: stage.sound("call.wav"))
        stage.say(app.state.rawValue)
        try await stage.until("what was said") { app.seconds > 0.2 }
        try await stage.tap("hang up")
        app.hangUp()
        stage.say(app.state.rawValue)
    }
}
