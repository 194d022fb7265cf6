import TestSupport
import Testing

@testable import AVFAudio

/// The spellings of Swift 3 and 4 still compile, and mean the same.
@Suite("Older spellings", .limited)
struct VocabularyOldNamesTests {
    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("Constants, types and notifications (1.1)")
    func spellings() {
        let options: AVAudioSessionCategoryOptions = [.mixWithOthers, .allowBluetooth]
        #expect(options.rawValue == 0x5)
        #expect(AVAudioSessionCategoryPlayAndRecord == .playAndRecord)
        #expect(AVAudioSessionModeVoiceChat == .voiceChat)
        #expect(AVAudioSessionPortHeadphones == .headphones)
        #expect(AVAudioSessionPortUSBAudio == .usbAudio)
        #expect(AVAudioSessionLocationUpper == .upper)
        #expect(AVAudioSessionOrientationFront == .front)
        #expect(AVAudioSessionPolarPatternCardioid == .cardioid)
        #expect(AVAudioSessionInterruptionType(rawValue: 1) == .began)
        #expect(AVAudioSessionRouteChangeReason.oldDeviceUnavailable.rawValue == 2)
        #expect(AVAudioSessionPortOverride.speaker.rawValue == 1_936_747_378)
        #expect(AVAudioSession.RouteSharingPolicy.longForm == .longFormAudio)
        #expect(NSNotification.Name.AVAudioSessionInterruption == AVAudioSession.interruptionNotification)
        #expect(Notification.Name.AVAudioSessionRouteChange == AVAudioSession.routeChangeNotification)
        #expect(AVAudioSessionErrorInsufficientPriority.rawValue == 561_017_449)
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("Methods do what the new ones do (1.1)")
    func methods() throws {
        let session = AVAudioSession(server: nil)
        try session.setCategory(AVAudioSessionCategoryPlayback, with: .duckOthers)
        #expect(session.categoryOptions.rawValue == 0x3)
        try session.setCategory(.playback, mode: .spokenAudio, routeSharingPolicy: .longFormAudio)
        #expect(session.routeSharingPolicy == .longFormAudio)
        #expect(session.mode == .spokenAudio)
    }
}
