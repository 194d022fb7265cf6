import AVFAudio
import Foundation
import TestSupport

/// What a session's observers were told, in order.
// SAFETY: guarded by `lock`.
final class SessionEvents: @unchecked Sendable {
    enum Event: Hashable {
        case began
        case ended(shouldResume: Bool)
        case lost
        case reset
    }

    private let lock = NSLock()
    private var log: [Event] = []
    private var observers: [any NSObjectProtocol] = []
    /// The began and ended notifications' user infos, as they came.
    private var infos: [[AnyHashable: Any]] = []

    /// Observes as most apps do, with no queue; `action` is run in the observer, on the main queue.
    init(of session: AVAudioSession, action: @escaping @Sendable (Event) -> Void = { _ in }) {
        let center = NotificationCenter.default
        func observe(_ name: Notification.Name, _ read: @escaping @Sendable ([AnyHashable: Any]) -> Event?) {
            observers.append(
                center.addObserver(forName: name, object: session, queue: nil) { [weak self] note in
                    dispatchPrecondition(condition: .onQueue(.main))  // S35
                    guard let event = read(note.userInfo ?? [:]) else { return }
                    self?.append(event, note.userInfo ?? [:])
                    action(event)
                })
        }
        observe(AVAudioSession.interruptionNotification) { info in
            guard let type = info[AVAudioSessionInterruptionTypeKey] as? UInt else { return nil }
            if type == AVAudioSession.InterruptionType.began.rawValue { return .began }
            let options = info[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
            return .ended(shouldResume: options == AVAudioSession.InterruptionOptions.shouldResume.rawValue)
        }
        observe(AVAudioSession.mediaServicesWereLostNotification) { _ in .lost }
        observe(AVAudioSession.mediaServicesWereResetNotification) { _ in .reset }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    private func append(_ event: Event, _ info: [AnyHashable: Any]) {
        lock.withLock {
            log.append(event)
            infos.append(info)
        }
    }

    var all: [Event] { lock.withLock { log } }

    func info(of index: Int) -> [AnyHashable: Any] { lock.withLock { infos[index] } }

    func wait(for expected: [Event], timeout: Duration = hangLimit) async throws {
        try await waitUntil("the events \(expected), having \(all)", timeout: timeout) { all.count >= expected.count }
    }
}
