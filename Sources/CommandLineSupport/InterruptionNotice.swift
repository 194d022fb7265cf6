import AVFAudio
package import Foundation

/// The contents of an interruption notification.
package struct InterruptionNotice: Sendable {
    /// Whether the interruption began; otherwise it ended.
    package let began: Bool
    /// Whether the app should resume; only for an ended interruption.
    package let shouldResume: Bool
    /// The reason, as a case of `AVAudioSession.InterruptionReason`.
    package let reason: String?
    /// The name of the interrupting program, if it is known.
    package let by: String?
    /// The process ID of the interrupting program, if it is known.
    package let pid: Int?

    /// Reads a notification named `AVAudioSession.interruptionNotification`.
    package init(_ notification: Notification) {
        func number(_ key: String) -> UInt? { (notification.userInfo?[key] as? NSNumber)?.uintValue }
        let type = number(AVAudioSessionInterruptionTypeKey).flatMap(AVAudioSession.InterruptionType.init(rawValue:))
        began = type == .began
        let options = AVAudioSession.InterruptionOptions(rawValue: number(AVAudioSessionInterruptionOptionKey) ?? 0)
        shouldResume = options.contains(.shouldResume)
        let origin = notification.userInfo?[AVAudioSessionInterruptionOriginKey] as? AVAudioSession.InterruptionOrigin
        by = origin?.applicationName
        pid = origin?.processIdentifier.map(Int.init)
        reason = began ? word(number(AVAudioSessionInterruptionReasonKey) ?? 0) : nil
    }

    /// The event of the command-line contract.
    package func emit(to events: EventPrinter) {
        if began {
            events.emit(
                "interruption",
                [
                    "type": "began", "reason": .string(reason ?? "default"), "by": by.map { .string($0) },
                    "pid": pid.map { .integer($0) },
                ])
        } else {
            events.emit("interruption", ["type": "ended", "shouldResume": .boolean(shouldResume)])
        }
    }
}

private func word(_ reason: UInt) -> String {
    switch reason {
    case 1: "appWasSuspended"
    case 2: "builtInMicMuted"
    case 4: "routeDisconnected"
    default: "default"
    }
}
