public import Foundation

/// The app's now-playing information, for media keys, lock screens and remote controls.
///
/// There is one center per process, ``default()``. The app is registered on the user's session bus from its first
/// now-playing information until its exit; nothing is loaded, connected or started before. Without a session bus all
/// values are kept and none is published. All members can be used from any thread; none of them waits for the bus.
///
/// Apple: `MPNowPlayingInfoCenter`; MPRIS: `org.mpris.MediaPlayer2.Player`.
// SAFETY: everything mutable is guarded by `lock`.
nonisolated open class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
    private static let center = MPNowPlayingInfoCenter()
    private let lock = NSLock()
    private var info: [String: Any]?
    private var state = MPNowPlayingPlaybackState.unknown

    /// The center of this process; always the same object.
    ///
    /// Apple: `MPNowPlayingInfoCenter.default()`.
    open class func `default`() -> MPNowPlayingInfoCenter { center }

    override private init() {}

    /// The item that plays: keys are `MPMediaItemProperty…` and `MPNowPlayingInfoProperty…`; nil for no item.
    ///
    /// The elapsed time advances from the moment of this assignment, at the given rate. A new assignment is only needed
    /// when one of the values changes otherwise. Values of a wrong type are not published.
    ///
    /// Apple: `MPNowPlayingInfoCenter.nowPlayingInfo`; MPRIS: `Metadata`, `Position`, `Rate`, `Seeked`.
    open var nowPlayingInfo: [String: Any]? {
        get { lock.withLock { info } }
        set {
            // Released without the lock: the old value may hold the last reference to an object that sets this in its
            // `deinit`.
            let old = lock.withLock {
                defer { info = newValue }
                return info
            }
            NowPlaying.shared.play(newValue)
            withExtendedLifetime(old) {}
        }
    }

    /// The app's playback state; at first `unknown`.
    ///
    /// While the state is unknown, the rate in ``nowPlayingInfo`` decides, and without a rate, whether the session's
    /// players run. During an interruption the desktop sees `paused` in place of `playing`, until the session is active
    /// again.
    ///
    /// Apple: `MPNowPlayingInfoCenter.playbackState`; MPRIS: `PlaybackStatus`.
    open var playbackState: MPNowPlayingPlaybackState {
        get { lock.withLock { state } }
        set {
            lock.withLock { state = newValue }
            NowPlaying.shared.say(newValue)
        }
    }
}
