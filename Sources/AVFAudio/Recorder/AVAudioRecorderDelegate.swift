/// The delegate of a recorder: receives its end, errors and interruptions.
///
/// All members are optional, and called on the main queue, or where `AVAudioSession.deliver(on:)` says.
///
/// Apple: `AVAudioRecorderDelegate`
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
    /// The recording was stopped, or has reached its duration; not called after an interruption.
    ///
    /// - Parameters:
    ///   - recorder: The recorder.
    ///   - flag: Whether the whole recording is in the file; also false if the input failed and gave no frame.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderDidFinishRecording(_:successfully:)`
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)

    /// The sound could not be written any further, or the input gave none.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEncodeErrorDidOccur(_:error:)`
    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)

    /// The microphone went away, gives only zeros, or is back; called on **Linux only**.
    ///
    /// The recording goes on in its own format and in time, whatever the app does.
    ///
    /// Apple: none.
    func audioRecorder(_ recorder: AVAudioRecorder, inputDidChange change: AVAudioRecorderInputChange)

    /// An interruption of the session stopped the recorder; new programs observe the session's notification.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderBeginInterruption(_:)`
    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder)

    /// The interruption is over.
    ///
    /// Not called for a recording that was stopped meanwhile.
    ///
    /// - Parameters:
    ///   - recorder: The recorder.
    ///   - flags: The raw value of an `AVAudioSession.InterruptionOptions`.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEndInterruption(_:withOptions:)`
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int)

    /// The interruption is over, in the older spelling; called if the newer method is not implemented.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEndInterruption(_:withFlags:)`
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int)

    /// The interruption is over, in the oldest spelling; called if the newer methods are not implemented.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEndInterruption(_:)`
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder)
}

// Optional requirements need the Objective-C runtime; default implementations replace them on Linux.
extension AVAudioRecorderDelegate {
    /// Does nothing.
    public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {}

    /// Does nothing.
    public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}

    /// Does nothing.
    public func audioRecorder(_ recorder: AVAudioRecorder, inputDidChange change: AVAudioRecorderInputChange) {}

    /// Does nothing.
    public func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) {}

    /// Calls the older spelling.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {
        audioRecorderEndInterruption(recorder, withFlags: flags)
    }

    /// Calls the oldest spelling.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int) {
        audioRecorderEndInterruption(recorder)
    }

    /// Does nothing.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder) {}
}
