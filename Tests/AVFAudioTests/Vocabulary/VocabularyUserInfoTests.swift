import AVFAudio
import TestSupport
import Testing

/// The three ways in which programs read a value from a notification.
@Suite("Values in user info", .limited)
struct VocabularyUserInfoTests {
    /// As the session posts it: the raw value as an `NSNumber`.
    private func userInfo(_ value: UInt) -> [AnyHashable: Any] { ["key": NSNumber(value: value)] }

    @Test("A number casts to UInt, Int and NSNumber")
    func numbers() {
        let info = userInfo(1)
        #expect(info["key"] as? UInt == 1)
        #expect(info["key"] as? Int == 1)
        #expect((info["key"] as? NSNumber)?.uintValue == 1)
    }

    @Test("A number casts to the enumeration, conditionally and by force")
    func enumerations() {
        let info = userInfo(1)
        #expect(info["key"] as? AVAudioSession.InterruptionType == .began)
        #expect((info["key"] as! AVAudioSession.InterruptionType) == .began)
        #expect(info["key"] as? AVAudioSession.RouteChangeReason == .newDeviceAvailable)
        #expect(info["key"] as? AVAudioSession.InterruptionReason == .appWasSuspended)
        #expect(info["key"] as? AVAudioSession.SilenceSecondaryAudioHintType == .begin)
        #expect(info["key"] as? AVAudioSession.RenderingMode == .monoStereo)
    }

    @Test("A number casts to an option set")
    func optionSets() {
        #expect(userInfo(1)["key"] as? AVAudioSession.InterruptionOptions == .shouldResume)
        #expect(userInfo(0)["key"] as? AVAudioSession.InterruptionOptions == [])
    }

    @Test("A number without a case does not cast")
    func unknownCase() {
        #expect(userInfo(5)["key"] as? AVAudioSession.RouteChangeReason == nil)
        #expect(userInfo(7)["key"] as? AVAudioSession.InterruptionType == nil)
        let text: [AnyHashable: Any] = ["key": "1"]
        #expect(text["key"] as? AVAudioSession.InterruptionType == nil)
    }

    @Test("The usual handler reads type and options")
    func handler() throws {
        let info: [AnyHashable: Any] = [
            AVAudioSessionInterruptionTypeKey: NSNumber(value: AVAudioSession.InterruptionType.ended.rawValue),
            AVAudioSessionInterruptionOptionKey: AVAudioSession.InterruptionOptions.shouldResume.userInfoValue,
        ]
        let value = try #require(info[AVAudioSessionInterruptionTypeKey] as? UInt)
        switch try #require(AVAudioSession.InterruptionType(rawValue: value)) {
        case .began: Issue.record("began instead of ended")
        case .ended:
            let options = try #require(info[AVAudioSessionInterruptionOptionKey] as? UInt)
            #expect(AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume))
        @unknown default: Issue.record("an unknown type")
        }
    }
}
