internal import CoreMedia
internal import Foundation

/// How the pitch of a sound is kept, or not, while it plays faster or slower.
///
/// Apple: `AVAudioTimePitchAlgorithm`.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// The one of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// In the time domain, which is what happens here.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// By the spectrum; here it is as `timeDomain`.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// Fast; here it is as `timeDomain`.
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
    /// The pitch goes with the rate, which no item does here.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
}

extension AVPlayerItem {
    /// How the pitch is kept at other rates than 1; at first `timeDomain`.
    ///
    /// All keep the pitch in the same way. `varispeed`, which would not, is not taken: the property stays as it was.
    ///
    /// Apple: `AVPlayerItem.audioTimePitchAlgorithm`.
    public var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { wishes.withLock { $0.pitch } }
        set { if newValue != .varispeed { wishes.withLock { $0.pitch = newValue } } }
    }

    /// Where playing ends, if that is before the end of the sound; at first invalid.
    ///
    /// The player does there what its ``AVPlayer/actionAtItemEnd`` says, and ``didPlayToEndTimeNotification`` is
    /// posted; nothing more is heard until a seek, or until this is set again. What notices is a boundary observer,
    /// late by as much as the machine is; a pause then takes back what the server has not played yet, so that the sound
    /// ends within a cycle of the server of the time asked for.
    ///
    /// Apple: `AVPlayerItem.forwardPlaybackEndTime`.
    public var forwardPlaybackEndTime: CMTime {
        get { wishes.withLock { $0.forwardEnd } }
        set {
            wishes.withLock { $0.forwardEnd = newValue }
            let wasEnded = sound.forgetForwardEnd()
            watchForwardEnd()
            // A player that was left playing there goes on.
            if wasEnded { core?.jumped(self) }
        }
    }

    /// Where playing backwards ends; nothing here plays backwards, so it stays invalid.
    ///
    /// Apple: `AVPlayerItem.reversePlaybackEndTime`.
    public var reversePlaybackEndTime: CMTime {
        get { .invalid }
        set {}
    }

    /// Goes to a date: always false, since nothing that plays here has dates.
    ///
    /// The completion handler is not called then.
    ///
    /// Apple: `AVPlayerItem.seek(to:completionHandler:)`.
    @discardableResult
    public func seek(to date: Date, completionHandler: (@Sendable (Bool) -> Void)? = nil) -> Bool { false }

    /// Has the player stop at the forward end; called when either is new.
    func watchForwardEnd() {
        // In one step: of two who change it at once, neither leaves an observer behind.
        let (old, new) = wishes.withLock { wishes in
            let (core, old) = (core, wishes.endObserver)
            let end = wishes.forwardEnd
            wishes.endObserver = nil
            if let core, end.isNumeric {
                let observer = TimeObserver(.at([end.seconds]), queue: nil) { [weak self] _ in
                    self?.reachedForwardEnd()
                }
                wishes.endObserver = (core.observers, observer)
            }
            return (old, wishes.endObserver)
        }
        if let (observers, observer) = old { observers.remove(observer) }
        if let (observers, observer) = new { observers.add(observer) }
    }

    /// On the main queue, when the app may have gone elsewhere.
    private func reachedForwardEnd() {
        guard let core, core.currentItem === self else { return }
        let end = forwardPlaybackEndTime.seconds
        // The sound's own end is told for itself.
        if let duration = sound.duration, duration.isNumeric, end >= duration.seconds { return }
        // A pause may have taken back what led there, which is played again.
        guard sound.end(at: end) else { return watchForwardEnd() }
        core.reachedForwardEnd()
        // In order with what the player tells.
        onMain { NotificationCenter.default.post(name: Self.didPlayToEndTimeNotification, object: self) }
    }
}

/// What an app wishes of how an item is played.
// SAFETY: guarded by `lock`.
final class ItemWishes: @unchecked Sendable {
    struct Values {
        var pitch = AVAudioTimePitchAlgorithm.timeDomain
        var forwardEnd = CMTime.invalid
        var endObserver: (observers: TimeObservers, observer: TimeObserver)?
    }

    private let lock = NSLock()
    private var values = Values()

    func withLock<Result>(_ body: (inout Values) -> Result) -> Result { lock.withLock { body(&values) } }
}

extension AVPlayer {
    /// Goes to a date, where the item has dates, which none has here: nothing happens.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    public func seek(to date: Date) {}

    /// Goes to a date, where the item has dates, which none has here; tells so on the main queue, with false.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    public func seek(to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void) {
        onMain { completionHandler(false) }
    }
}
