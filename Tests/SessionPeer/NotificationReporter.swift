import AVFAudio
import CommandLineSupport
import Foundation

/// Prints every notification of the session as it comes.
// SAFETY: `observers` does not change after init.
final class NotificationReporter: @unchecked Sendable {
    private var observers: [any NSObjectProtocol] = []

    /// Observes as most apps do, with no queue, so that what is printed shows where it was posted.
    init(of peer: SessionPeer) {
        func observe(_ name: Notification.Name, _ tell: @escaping @Sendable (SessionPeer, Notification) -> Void) {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: peer.session, queue: nil) {
                    [unowned peer] notification in
                    tell(peer, notification)
                })
        }
        observe(AVAudioSession.interruptionNotification, interruption)
        observe(AVAudioSession.didBecomeActiveNotification) { peer, notification in
            peer.isToldActive = true
            let isEmpty = notification.userInfo?.isEmpty ?? true
            peer.events.emit("didBecomeActive", ["main": onMain, "empty": .boolean(isEmpty)])
        }
        observe(AVAudioSession.didBecomeInactiveNotification, didBecomeInactive)
        observe(AVAudioSession.resumptionRecommendationNotification) { peer, notification in
            let key = AVAudioSession.resumptionContextKey
            let context = notification.userInfo?[key] as? AVAudioSession.ResumptionContext
            let value = context.map { EventValue.integer($0.recommendation.rawValue) }
            peer.events.emit("resumptionRecommendation", ["recommendation": value, "main": onMain])
        }
        observe(AVAudioSession.silenceSecondaryAudioHintNotification) { peer, notification in
            let type = number(notification, AVAudioSessionSilenceSecondaryAudioHintTypeKey)
            peer.events.emit("hint", ["type": type.map { .integer($0) }, "main": onMain])
        }
        observe(AVAudioSession.outputMuteStateChangeNotification) { peer, notification in
            let muted = number(notification, AVAudioSession.muteStateKey)
            peer.events.emit("outputMute", ["muted": muted.map { .integer($0) }, "main": onMain])
        }
        observers.append(
            NotificationCenter.default.addObserver(
                forName: AVAudioApplication.inputMuteStateChangeNotification, object: peer.application, queue: nil
            ) { [unowned peer] notification in
                let muted = number(notification, AVAudioApplication.muteStateKey)
                peer.events.emit("inputMute", ["muted": muted.map { .integer($0) }, "main": onMain])
            })
        observe(AVAudioSession.mediaServicesWereLostNotification) { peer, _ in
            peer.isToldActive = false
            peer.events.emit("servicesLost", ["main": onMain])
        }
        observe(AVAudioSession.mediaServicesWereResetNotification) { peer, _ in
            peer.events.emit("servicesReset", ["main": onMain])
        }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
}

/// Prints every change of the route as it comes, for tests that ask for it (`watch-routes`).
// SAFETY: `observer` does not change after init.
final class RouteReporter: @unchecked Sendable {
    private let observer: any NSObjectProtocol

    init(of session: AVAudioSession, events: EventPrinter) {
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { notification in
            let reason = number(notification, AVAudioSessionRouteChangeReasonKey)
            events.emit(
                "route",
                [
                    "reason": reason.map { .integer($0) },
                    "output": session.currentRoute.outputs.first.map { .string($0.uid) },
                ])
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }
}

/// Where the notification was posted: apps written for Apple's systems rely on the main thread.
private var onMain: EventValue { .boolean(Thread.isMainThread) }

private func number(_ notification: Notification, _ key: String) -> Int? {
    (notification.userInfo?[key] as? NSNumber)?.intValue
}

/// A key that is absent is left out of the line.
private func interruption(_ peer: SessionPeer, _ notification: Notification) {
    let type = number(notification, AVAudioSessionInterruptionTypeKey)
    let reason = number(notification, AVAudioSessionInterruptionReasonKey)
    let option = number(notification, AVAudioSessionInterruptionOptionKey)
    let origin = notification.userInfo?[AVAudioSessionInterruptionOriginKey] as? AVAudioSession.InterruptionOrigin
    let pid = origin?.processIdentifier
    peer.events.emit(
        "interruption",
        [
            "type": .string(type == 1 ? "began" : type == 0 ? "ended" : "none"),
            "reason": reason.map { .integer($0) }, "option": option.map { .integer($0) },
            "originName": origin?.applicationName.map { .string($0) }, "originPID": pid.map { .integer(Int($0)) },
            "isPlaying": .boolean(peer.isPlaying), "isRecording": .boolean(peer.isRecording), "main": onMain,
            "rate": peer.itemPlayer.rate.map { .number($0) },
        ])
}

private func didBecomeInactive(_ peer: SessionPeer, _ notification: Notification) {
    peer.isToldActive = false
    let key = AVAudioSession.deactivationContextKey
    let context = notification.userInfo?[key] as? AVAudioSession.DeactivationContext
    let reason = context?.interruptionContext?.reason.rawValue
    peer.events.emit(
        "didBecomeInactive",
        [
            "source": context.map { .string($0.source == .app ? "app" : "system") },
            "reason": reason.map { .integer(Int($0)) }, "main": onMain,
        ])
}
