import AVFoundation

// The shape of a CallKit delegate, with a protocol of its own in its place: audio starts when the session is active.
@MainActor
protocol CallControllerDelegate: AnyObject {
    func callController(_ controller: CallController, didActivate audioSession: AVAudioSession)
    func callController(_ controller: CallController, didDeactivate audioSession: AVAudioSession)
}

@MainActor
final class CallController {
    weak var delegate: CallControllerDelegate?

    func answer() {
        let session = AVAudioSession.sharedInstance()
        try? session.setCategory(.playAndRecord, mode: .voiceChat, options: [.mixWithOthers])
        session.activate(options: []) { activated, error in
            DispatchQueue.main.async {
                guard activated else { return print("not active: \(String(describing: error))") }
                self.delegate?.callController(self, didActivate: .sharedInstance())
            }
        }
    }

    func end() {
        AVAudioSession.sharedInstance().deactivate(options: .notifyOthersOnDeactivation) { _, _ in
            DispatchQueue.main.async { self.delegate?.callController(self, didDeactivate: .sharedInstance()) }
        }
    }
}

@MainActor
final class CallAudio: CallControllerDelegate {
    private let tone: AVAudioPlayer
    private(set) var events: [String] = []

    init(_ url: URL) throws { tone = try AVAudioPlayer(contentsOf: url) }

    func callController(_ controller: CallController, didActivate audioSession: AVAudioSession) {
        events.append("active \(audioSession.mode.rawValue)")
        tone.play()
    }

    func callController(_ controller: CallController, didDeactivate audioSession: AVAudioSession) {
        events.append("inactive")
    }

    var isRinging: Bool { tone.isPlaying }
}

extension CallController: Story {
    static func run(_ stage: Stage) async throws {
        let controller = CallController()
        let audio = try CallAudio(stage.sound("voice.wav"))
        controller.delegate = audio
        controller.answer()
        try await stage.until("the session") { audio.events.count == 1 }
        try await stage.until("the tone's end") { !audio.isRinging }
        controller.end()
        try await stage.until("the end") { audio.events.count == 2 }
        stage.say(audio.events.joined(separator: ", "))
    }
}
