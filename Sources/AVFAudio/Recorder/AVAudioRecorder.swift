internal import AudioFiles
internal import AudioSession

/// Records sound into a file.
///
/// Linear PCM, A-law and µ-law go into WAV, RF64, W64, AIFC, CAF and AU files, linear PCM into AIFF too, IMA4 into AIFC
/// and CAF, FLAC into FLAC files, Vorbis and Opus into Ogg files, AAC and Apple Lossless into MPEG-4 and CAF files, AAC
/// also into ADTS files. The file can be played up to the last second at any moment. A recorder may be used from any
/// thread; its delegate is called on the main queue.
///
/// Apple: `AVAudioRecorder`.
// SAFETY: the core guards its state; `delegate` is a weak reference, which the runtime loads and stores atomically, and
// is used on the main queue.
nonisolated open class AVAudioRecorder: NSObject, @unchecked Sendable {
    private let core: RecorderCore

    /// Told of the end of the recording, of errors, and of interruptions.
    ///
    /// Apple: `AVAudioRecorder.delegate`.
    open weak var delegate: (any AVAudioRecorderDelegate)?

    /// A recorder without a file, for a property that gets another recorder later.
    ///
    /// ``record()`` and ``prepareToRecord()`` return false, ``deleteRecording()`` too; ``url`` is `/dev/null`, and
    /// ``settings`` are empty. It takes nothing of the system: no session is activated, no thread started, no server
    /// asked. What apps set is kept.
    ///
    /// Apple: `AVAudioRecorder.init()`, of `NSObject`.
    public override init() {
        core = RecorderCore(withoutFileIn: .sharedInstance())
        super.init()
    }

    /// Checks the settings; the file is created when the recorder is prepared.
    ///
    /// The type of the file comes from `AVAudioFileTypeKey` or from the extension. Throws an `NSError` in
    /// `NSOSStatusErrorDomain`: 'fmt?' for a format that cannot be recorded into that type, 'typ?' for another type.
    ///
    /// - Parameters:
    ///   - url: The file to record into; an existing one is overwritten.
    ///   - settings: The format; a missing rate or number of channels is the input's own.
    ///
    /// Apple: `AVAudioRecorder.init(url:settings:)`.
    public init(url: URL, settings: [String: Any]) throws {
        core = try RecorderCore(url: url, settings: settings, session: .sharedInstance())
        super.init()
        connect()
    }

    /// Records in the given format.
    ///
    /// Apple: `AVAudioRecorder.init(url:format:)`.
    public init(url: URL, format: AVAudioFormat) throws {
        core = try RecorderCore(url: url, settings: format.settings, session: .sharedInstance())
        super.init()
        connect()
    }

    /// A recorder in a session of its own, for tests.
    package init(url: URL, settings: [String: Any], session: AVAudioSession) throws {
        core = try RecorderCore(url: url, settings: settings, session: session)
        super.init()
        connect()
    }

    private func connect() {
        core.onFinished = { [weak self] successfully in
            guard let self else { return }
            delegate?.audioRecorderDidFinishRecording(self, successfully: successfully)
        }
        core.onEncodeError = { [weak self] error in
            guard let self else { return }
            delegate?.audioRecorderEncodeErrorDidOccur(self, error: error)
        }
        core.onInputChange = { [weak self] change in
            guard let self else { return }
            delegate?.audioRecorder(self, inputDidChange: change)
        }
        core.onInterruption = { [weak self] began, shouldResume in
            guard let self else { return }
            if began {
                delegate?.audioRecorderBeginInterruption(self)
            } else {
                let options: AVAudioSession.InterruptionOptions = shouldResume ? .shouldResume : []
                delegate?.audioRecorderEndInterruption(self, withOptions: Int(options.rawValue))
            }
        }
    }

    // MARK: Recording

    /// Activates the session, creates the file, or empties it, and opens the input; false if that is not possible.
    ///
    /// Where the file is at fault, the delegate's `audioRecorderEncodeErrorDidOccur` tells why; so it does where another
    /// recorder of the process has begun to record into the file and has not stopped. One that is merely prepared lets go
    /// of it, and prepares anew when it records.
    ///
    /// Any thread. Waits for the server, for 2 s at most where it hangs, and for the disk.
    ///
    /// Apple: `AVAudioRecorder.prepareToRecord()`.
    @discardableResult
    open func prepareToRecord() -> Bool { core.prepare() }

    /// Starts, or goes on in the same file after a pause or an interruption; after ``stop()`` it begins the file anew.
    ///
    /// A limit of ``record(forDuration:)`` stays in force after a pause. False if it cannot start: no sound server, a
    /// category without input, or a file that cannot be created.
    ///
    /// Any thread. Returns at once if the recorder is prepared; else it prepares it, as ``prepareToRecord()`` does.
    ///
    /// Apple: `AVAudioRecorder.record()`.
    @discardableResult
    open func record() -> Bool { core.record() }

    /// Records so many seconds, to the frame, and stops by itself; a recorder that records already goes on for so long.
    ///
    /// Apple: `AVAudioRecorder.record(forDuration:)`.
    @discardableResult
    open func record(forDuration duration: TimeInterval) -> Bool { core.record(forDuration: duration) }

    /// Starts with the frame that is heard at a time of ``deviceCurrentTime``, to within a millisecond.
    ///
    /// The input is opened ten seconds before, so that the device's clock is known by then; one given less notice
    /// begins as exactly as it is known after that long. A time that is past is now. Until then ``isRecording`` is true
    /// and ``currentTime`` stands still. False as of ``record()``, and for a time that is not finite.
    ///
    /// Apple: `AVAudioRecorder.record(atTime:)`.
    @discardableResult
    open func record(atTime time: TimeInterval) -> Bool { core.record(at: time) }

    /// Starts at a time as ``record(atTime:)`` does, and stops by itself as ``record(forDuration:)`` does.
    ///
    /// Apple: `AVAudioRecorder.record(atTime:forDuration:)`.
    @discardableResult
    open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
        core.record(at: time, forDuration: duration)
    }

    /// Pauses after what is heard at the moment, for which it waits up to 0.5 s; the file stays open.
    ///
    /// No silence is written. The microphone is let go two seconds later, so that a short pause ends at the right
    /// frame.
    ///
    /// Apple: `AVAudioRecorder.pause()`.
    open func pause() { core.pause() }

    /// Stops after what is heard at the moment and closes the file; blocks until it is whole.
    ///
    /// Apple: `AVAudioRecorder.stop()`.
    open func stop() {
        core.stop()
        guard delegate != nil else { return }
        // Who lets go of the recorder now shall be told all the same.
        core.afterNews { [self] in withExtendedLifetime(self) {} }
    }

    /// Removes the file of a recorder that is stopped; false if it is not stopped, or there is no file.
    ///
    /// Apple: `AVAudioRecorder.deleteRecording()`.
    @discardableResult
    open func deleteRecording() -> Bool { core.deleteRecording() }

    /// Whether frames are being recorded.
    ///
    /// Apple: `AVAudioRecorder.isRecording`.
    open var isRecording: Bool { core.isRecording }

    /// The file that is recorded into.
    ///
    /// Apple: `AVAudioRecorder.url`.
    open var url: URL { core.url }

    /// Seconds recorded so far, without pauses; 0 when stopped.
    ///
    /// Apple: `AVAudioRecorder.currentTime`.
    open var currentTime: TimeInterval { core.currentTime }

    /// The clock of ``record(atTime:)``, in seconds: the same for all recorders of the machine, and it never goes back.
    ///
    /// Apple: `AVAudioRecorder.deviceCurrentTime`.
    open var deviceCurrentTime: TimeInterval { core.deviceCurrentTime }

    // MARK: Format

    /// The format as a dictionary of settings; complete from the first ``prepareToRecord()`` on.
    ///
    /// Apple: `AVAudioRecorder.settings`.
    open var settings: [String: Any] { core.format?.settings ?? [:] }

    /// The format; complete from the first ``prepareToRecord()`` on.
    ///
    /// Apple: `AVAudioRecorder.format`.
    open var format: AVAudioFormat { core.format?.audioFormat ?? AudioFileFormat.nothing.audioFormat }

    /// The channels of the input to record, one for each channel of the file; nil, as at first, leaves that to the
    /// server.
    ///
    /// They are those of a port in `AVAudioSession.availableInputs`, which is recorded from if the session prefers no
    /// other. They count from the next ``prepareToRecord()`` on; another number of them than of channels is ignored.
    ///
    /// Apple: `AVAudioRecorder.channelAssignments`.
    open var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { core.channelAssignments }
        set { core.channelAssignments = newValue }
    }

    // MARK: Meters

    /// Whether levels are measured; off at first.
    ///
    /// Apple: `AVAudioRecorder.isMeteringEnabled`.
    open var isMeteringEnabled: Bool {
        get { core.isMeteringEnabled }
        set { core.isMeteringEnabled = newValue }
    }

    /// Takes the levels of what was captured since the last call; to be called before each reading.
    ///
    /// Apple: `AVAudioRecorder.updateMeters()`.
    open func updateMeters() { core.updateMeters() }

    /// The average level of a channel, in dBFS from −160 to 0.
    ///
    /// Apple: `AVAudioRecorder.averagePower(forChannel:)`.
    open func averagePower(forChannel channelNumber: Int) -> Float { core.averagePower(channelNumber) }

    /// The highest level of a channel, in dBFS from −160.
    ///
    /// Apple: `AVAudioRecorder.peakPower(forChannel:)`.
    open func peakPower(forChannel channelNumber: Int) -> Float { core.peakPower(channelNumber) }
}
