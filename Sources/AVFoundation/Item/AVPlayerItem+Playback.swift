internal import CoreMedia
internal import Foundation
internal import Locks

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
    /// Whether an item can be played.
    ///
    /// Apple: `AVPlayerItem.Status`.
    public enum Status: Int, Sendable {
        case unknown = 0
        case readyToPlay = 1
        case failed = 2
    }

    /// An item of an asset; what there is to know of it is loaded in any case.
    ///
    /// Apple: `AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)`.
    public convenience init(asset: AVAsset, automaticallyLoadedAssetKeys: [AVPartialAsyncProperty<AVAsset>]) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
    }

    /// Has the player stop at the forward end; called when either is new.
    func watchForwardEnd() {
        // In one step: of two who change it at once, neither leaves an observer behind.
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

/// The playback settings of an item.
struct PlayerItemSettings {
    var pitch = AVAudioTimePitchAlgorithm.timeDomain
    var forwardEnd = CMTime.invalid
    var forwardBuffer: TimeInterval = 0
    var peakBitRate = 0.0
    var loadsWhilePaused = false
    var endObserver: (observers: TimeObservers, observer: TimeObserver)?
}
