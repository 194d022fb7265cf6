import AVFAudio
package import Foundation

/// The contents of a secondary audio hint: whether another app's main sound began.
package struct SecondaryAudioHint: Sendable {
    /// Whether the sound began; otherwise it ended.
    package let begins: Bool

    /// Reads a notification named `AVAudioSession.silenceSecondaryAudioHintNotification`.
    package init(_ notification: Notification) {
        let number = notification.userInfo?[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? NSNumber
        begins = number?.uintValue == AVAudioSession.SilenceSecondaryAudioHintType.begin.rawValue
    }

    /// The event of the command-line contract.
    package func emit(to events: EventPrinter) {
        events.emit("secondaryAudioHint", ["type": begins ? "begin" : "end"])
    }
}
