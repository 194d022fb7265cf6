internal import CoreMedia
internal import Foundation
internal import Locks

/// An algorithm that keeps the pitch of a sound, or not, at other rates than 1.
///
/// Apple: `AVAudioTimePitchAlgorithm`.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    /// The algorithm's name, as Apple's.
    public let rawValue: String

    /// The algorithm of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Stretches in the time domain; the algorithm of this library.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// Stretches the spectrum; the same as `timeDomain` here.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// Stretches with little computation; the same as `timeDomain` here.
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
    /// Changes the pitch with the rate; refused by items.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
}

extension AVPlayerItem {
    /// The status of an item.
    ///
    /// Apple: `AVPlayerItem.Status`.
    public enum Status: Int, Sendable {
        case unknown = 0
        case readyToPlay = 1
        case failed = 2
    }

    /// An item of an asset; all keys are loaded in any case.
    ///
    /// Apple: `AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)`.
    public convenience init(asset: AVAsset, automaticallyLoadedAssetKeys: [AVPartialAsyncProperty<AVAsset>]) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
    }

    /// Replaces the boundary observer of the forward end; called when the player or that end has changed.
    func watchForwardEnd() {
        // In one step: two threads that change it at once leave no observer behind.
        let (old, new) = settings.withLock { settings in
            let (core, old) = (core, settings.endObserver)
            let end = settings.forwardEnd
            settings.endObserver = nil
            if let core, end.isNumeric {
                let observer = TimeObserver(.at([end.seconds]), queue: nil) { [weak self] _ in
                    self?.reachedForwardEnd()
                }
                settings.endObserver = (core.observers, observer)
            }
            return (old, settings.endObserver)
        }
        if let (observers, observer) = old { observers.remove(observer) }
        if let (observers, observer) = new { observers.add(observer) }
    }

    /// Handles the forward end; on the main queue, when the app may have sought elsewhere or replaced the item.
    private func reachedForwardEnd() {
        guard let core, core.facts.run({ core.item === self }) else { return }
        let end = forwardPlaybackEndTime.seconds
        // The sound's own end is reported by the sound.
        if let duration = sound.duration, duration.isNumeric, end >= duration.seconds { return }
        // A pause may have taken back the frames before the end, which are played again.
        guard sound.end(at: end) else { return watchForwardEnd() }
        core.reachedForwardEnd()
        // In order with the player's notifications.
        onMain { NotificationCenter.default.post(name: Self.didPlayToEndTimeNotification, object: self) }
    }
}

/// The playback settings of an item.
struct PlayerItemSettings {
    var pitch = AVAudioTimePitchAlgorithm.timeDomain
    var forwardEnd = CMTime.invalid
    var loadsWhilePaused = false
    var endObserver: (observers: TimeObservers, observer: TimeObserver)?
}
