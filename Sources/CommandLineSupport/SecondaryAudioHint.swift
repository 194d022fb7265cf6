import AVFAudio
package import Foundation

/// Whether another app's main sound began to be heard, taken out of its notification.
package struct SecondaryAudioHint: Sendable {
    /// Whether it began (else it is over).
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
