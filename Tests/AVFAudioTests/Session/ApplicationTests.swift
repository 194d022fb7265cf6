import AVFAudio
import Foundation
import TestSupport
import Testing

/// The app itself, as far as it needs no sound server.
@Suite("AVAudioApplication", .limited)
struct ApplicationTests {
    private let application = AVAudioApplication(session: AVAudioSession(server: "unix:/nonexistent/pulse"))

    @Test("Names and raw values are Apple's")
    func vocabulary() {
        #expect(AVAudioApplication.recordPermission.undetermined.rawValue == 1_970_168_948)
        #expect(AVAudioApplication.recordPermission.denied.rawValue == 1_684_369_017)
        #expect(AVAudioApplication.recordPermission.granted.rawValue == 1_735_552_628)
        let injection: [AVAudioApplication.MicrophoneInjectionPermission] = [
            .serviceDisabled, .undetermined, .denied, .granted,
        ]
        #expect(injection.map(\.rawValue) == [0x7372_6473, 0x756E_6474, 0x6465_6E79, 0x6772_6E74])
        #expect(
            AVAudioApplication.inputMuteStateChangeNotification.rawValue
                == "AVAudioApplicationInputMuteStateChangeNotification")
        #expect(AVAudioApplication.muteStateKey == "AVAudioApplicationMuteStateKey")
        #expect(AVAudioApplication.shared === AVAudioApplication.shared)
    }

    @Test("The input is muted without a session, and a handler that refuses leaves everything as it is")
    func handler() throws {
        #expect(!application.isInputMuted)
        try application.setInputMuted(true)
        #expect(application.isInputMuted)
        try application.setInputMuteStateChangeHandler { $0 }
        #expect(throws: NSError.self) { try application.setInputMuted(false) }
        #expect(application.isInputMuted)
        // What is so already needs nobody's consent.
        try application.setInputMuteStateChangeHandler { _ in false }
        try application.setInputMuted(true)
        try application.setInputMuteStateChangeHandler(nil)
        try application.setInputMuted(false)
        #expect(!application.isInputMuted)
    }

    @Test("A handler may be the last to keep something that sets another as it goes")
    func lettingGo() async throws {
        // Where it may not, the process hangs.
        await #expect(processExitsWith: .success) {
            final class Guest: Sendable {
                deinit { try? AVAudioApplication.shared.setInputMuteStateChangeHandler { _ in false } }
            }
            func handler() -> @Sendable (Bool) -> Bool {
                let guest = Guest()
                return { _ in withExtendedLifetime(guest) { true } }
            }
            try AVAudioApplication.shared.setInputMuteStateChangeHandler(handler())
            try AVAudioApplication.shared.setInputMuteStateChangeHandler(nil)
        }
    }

    @Test("There is no service that adds sound to calls, and nobody is asked for it")
    func injection() async {
        #expect(application.microphoneInjectionPermission == .serviceDisabled)
        #expect(await AVAudioApplication.requestMicrophoneInjectionPermission() == .serviceDisabled)
        let answer = await withCheckedContinuation { continuation in
            AVAudioApplication.requestMicrophoneInjectionPermission { continuation.resume(returning: $0) }
        }
        #expect(answer == .serviceDisabled)
    }

    @Test("recordPermission() of Swift 3 and 4 is the property")
    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    func oldSpelling() {
        let session = AVAudioSession(server: "unix:/nonexistent/pulse")
        #expect(session.recordPermission() == session.recordPermission)
    }
}
