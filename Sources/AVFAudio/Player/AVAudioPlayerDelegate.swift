/// What a player tells the object that it belongs to, always on the main queue.
///
/// Every member may be left out.
///
/// Apple: `AVAudioPlayerDelegate`
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The player came to the end of its sound; not called when it was stopped or interrupted.
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - flag: Whether all of the sound could be decoded.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerDidFinishPlaying(_:successfully:)`
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)

    /// The sound could not be decoded, or not any further.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerDecodeErrorDidOccur(_:error:)`
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)

    /// The session was interrupted while the player played; new programs observe the session's notification.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerBeginInterruption(_:)`
    func audioPlayerBeginInterruption(_ player: AVAudioPlayer)

    /// The interruption is over; the flags are raw `AVAudioSession.InterruptionOptions`. Not told of a player that was
    /// stopped meanwhile, but for one that was when it heard of the beginning.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerEndInterruption(_:withOptions:)`
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)

    /// The interruption is over, in the older spelling; called where the newer one is left out.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerEndInterruption(_:withFlags:)`
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int)

    /// The interruption is over, in the oldest spelling; called where the newer ones are left out.
    ///
    /// Apple: `AVAudioPlayerDelegate.audioPlayerEndInterruption(_:)`
    func audioPlayerEndInterruption(_ player: AVAudioPlayer)
}

// Optional members need the Objective-C runtime; defaults do the same here.
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
