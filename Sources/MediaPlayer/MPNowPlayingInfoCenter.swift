public import Foundation

/// What the app plays, for media keys, lock screens and remote controls.
///
/// There is one center per process, ``default()``. The app is on the user's session bus from the moment at which it
/// says what it plays, until it ends; nothing is loaded, connected or started before. Without a session bus everything
/// is kept and nothing is told. All members may be used from any thread.
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

    /// What plays: keys are `MPMediaItemProperty…` and `MPNowPlayingInfoProperty…`; nil for nothing.
    ///
    /// The elapsed time counts from the moment at which this is set, at the rate that it says, so it must be set anew
    /// only when one of them changes. Values of a wrong type are left out of what is told.
    ///
    /// Apple: `MPNowPlayingInfoCenter.nowPlayingInfo`; MPRIS: `Metadata`, `Position`, `Rate`, `Seeked`.
    open var nowPlayingInfo: [String: Any]? {
        get { lock.withLock { info } }
        set {
            // Let go of without the lock: it may keep the last reference to something that sets this when it ends.
            let old = lock.withLock {
                defer { info = newValue }
                return info
            }
            NowPlaying.shared.play(newValue)
            withExtendedLifetime(old) {}
        }
    }

    /// Whether the app plays; at first `unknown`.
    ///
    /// While it is unknown, the rate in ``nowPlayingInfo`` says so, and without that, whether the session's players
    /// run. An interrupted session is told as paused, whatever the app says, until it is active again.
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
