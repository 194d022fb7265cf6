/// The delegate of a player: receives its end, errors and interruptions.
///
/// All members are optional, and called on the main queue, or where `AVAudioSession.deliver(on:)` says.
///
/// Apple: `AVAudioPlayerDelegate`
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound has ended; not called after a stop or an interruption.
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - flag: Whether the whole sound could be decoded.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerDidFinishPlaying(_:successfully:)`
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)

    /// The sound could not be decoded, or only up to some frame.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerDecodeErrorDidOccur(_:error:)`
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)

    /// An interruption of the session stopped the player; new programs observe the session's notification.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerBeginInterruption(_:)`
    func audioPlayerBeginInterruption(_ player: AVAudioPlayer)

    /// The interruption is over.
    ///
    /// Not called for a player that the app stopped meanwhile, unless it did so in
    /// ``audioPlayerBeginInterruption(_:)``.
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - flags: The raw value of an `AVAudioSession.InterruptionOptions`.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerEndInterruption(_:withOptions:)`
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)

    /// The interruption is over, in the older spelling; called if the newer method is not implemented.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerEndInterruption(_:withFlags:)`
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int)

    /// The interruption is over, in the oldest spelling; called if the newer methods are not implemented.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerEndInterruption(_:)`
    func audioPlayerEndInterruption(_ player: AVAudioPlayer)
}

// Optional requirements need the Objective-C runtime; default implementations replace them on Linux.
extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}

    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}

    /// Does nothing.
    public func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {}

    /// Calls the older spelling.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {
        audioPlayerEndInterruption(player, withFlags: flags)
    }

    /// Calls the oldest spelling.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int) {
        audioPlayerEndInterruption(player)
    }

    /// Does nothing.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer) {}
}
