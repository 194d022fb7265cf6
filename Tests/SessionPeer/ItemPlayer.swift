import AVFoundation
import CommandLineSupport

/// The `AVPlayer` of this process, and what it tells.
// SAFETY: `player` is guarded by `lock`; the rest does not change.
final class ItemPlayer: @unchecked Sendable {
    private let events: EventPrinter
    private let lock = NSLock()
    private var player: AVPlayer?
    private var observers: [any NSObjectProtocol] = []

    init(events: EventPrinter) {
        self.events = events
        let center = NotificationCenter.default
        observers = [
            center.addObserver(forName: AVPlayer.rateDidChangeNotification, object: nil, queue: nil) {
                [unowned self] notification in
                let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
                self.events.emit(
                    "rateDidChange",
                    [
                        "reason": reason.map { .string($0.name) }, "rate": .number(rate ?? -1),
                        "main": .boolean(Thread.isMainThread),
                    ])
            },
            center.addObserver(forName: AVPlayerItem.didPlayToEndTimeNotification, object: nil, queue: nil) {
                [unowned self] _ in
                self.events.emit("playedToEnd")
            },
        ]
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    /// Its rate; nil before there is one.
    var rate: Double? { lock.withLock { player }.map { Double($0.rate) } }

    /// `avplayer PATH`, `avplay`, `avpause`.
    func perform(_ command: String, _ path: String?) -> EventValue? {
        if let path, command == "avplayer" {
            let new = AVPlayer(url: URL(fileURLWithPath: path))
            lock.withLock { player = new }
            new.play()
        } else if command == "avplay" {
            lock.withLock { player }?.play()
        } else {
            lock.withLock { player }?.pause()
        }
        return rate.map { .number($0) }
    }
}

extension AVPlayer.RateDidChangeReason {
    fileprivate var name: String {
        switch self {
        case .setRateCalled: "setRateCalled"
        case .setRateFailed: "setRateFailed"
        case .audioSessionInterrupted: "audioSessionInterrupted"
        default: rawValue
        }
    }
}
