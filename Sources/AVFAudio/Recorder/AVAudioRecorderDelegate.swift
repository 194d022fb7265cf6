/// What a recorder tells the object that it belongs to, always on the main queue.
///
/// Every member may be left out.
///
/// Apple: `AVAudioRecorderDelegate`
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
    /// The recording was stopped or reached its duration; not called when it was interrupted.
    ///
    /// - Parameters:
    ///   - recorder: The recorder.
    ///   - flag: Whether the whole recording is in the file; false too where it has no frame since its input failed.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderDidFinishRecording(_:successfully:)`
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)

    /// The sound could not be written further, or none came.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEncodeErrorDidOccur(_:error:)`
    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)

    /// The microphone went away, gives nothing but zeros, or is back; called on **Linux only**.
    ///
    /// The recording goes on all the same, in its own format and in time; what the app does about it is its own matter.
    ///
    /// Apple: none.
    func audioRecorder(_ recorder: AVAudioRecorder, inputDidChange change: AVAudioRecorderInputChange)

    /// The session was interrupted while it recorded; new programs observe the session's notification.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderBeginInterruption(_:)`
    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder)

    /// The interruption is over; the flags are raw `AVAudioSession.InterruptionOptions`. Not told of a take that was
    /// stopped meanwhile.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEndInterruption(_:withOptions:)`
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int)

    /// The interruption is over, in the older spelling; called where the newer one is left out.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEndInterruption(_:withFlags:)`
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int)

    /// The interruption is over, in the oldest spelling; called where the newer ones are left out.
    ///
    /// Apple: `AVAudioRecorderDelegate.audioRecorderEndInterruption(_:)`
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder)
}

// Optional members need the Objective-C runtime; defaults do the same here.
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
