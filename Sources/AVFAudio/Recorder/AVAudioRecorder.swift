internal import AudioFiles
internal import AudioSession

/// A recorder of sound into a file.
///
/// The formats are: linear PCM, A-law and µ-law in WAV, RF64, W64, AIFC, CAF and AU files; linear PCM in AIFF files;
/// IMA4 in AIFC and CAF files; FLAC in FLAC files; Vorbis and Opus in Ogg files; AAC and Apple Lossless in MPEG-4 and
/// CAF files; AAC in ADTS files. The file can be played at any time, up to about the last second.
///
/// Any thread may use a recorder, and the delegate is called on the main queue. Reading properties waits for nothing.
/// Commands and setters of one recorder take turns: a call waits while another thread prepares, pauses or stops the
/// same recorder. The comments say how long each of them waits for the sound server and the disk by itself.
///
/// Apple: `AVAudioRecorder`.
// SAFETY: the core guards its state. `delegate` is a weak reference, which the runtime loads and stores atomically, and
// is used on the main queue.
nonisolated open class AVAudioRecorder: NSObject, @unchecked Sendable {
    private let core: RecorderCore

    /// The receiver of the recording's end, errors and interruptions; a weak reference.
    ///
    /// Apple: `AVAudioRecorder.delegate`.
    open weak var delegate: (any AVAudioRecorderDelegate)?

    /// A recorder without a file, for a property that gets another recorder later.
    ///
    /// ``record()``, ``prepareToRecord()`` and ``deleteRecording()`` return false, ``url`` is `/dev/null`, and
    /// ``settings`` are empty. Setters keep their values. No session is activated, no thread started and no server
    /// asked.
    ///
    /// Apple: `AVAudioRecorder.init()`, of `NSObject`.
    public override init() {
        core = RecorderCore(withoutFileIn: .sharedInstance())
        super.init()
    }

    /// Checks the settings; the file is created by ``prepareToRecord()``.
    ///
    /// Any thread; waits for nothing but the loading of an encoder's library. The type of the file is the value of
    /// `AVAudioFileTypeKey`, or else the type of the extension. Throws an `NSError` in `NSOSStatusErrorDomain`: 'fmt?'
    /// for a format that cannot be recorded into that type of file, 'typ?' for another type of file.
    ///
    /// - Parameters:
    ///   - url: The file to record into; an existing file is overwritten.
    ///   - settings: The format; a missing sample rate or number of channels is the input's own.
    ///
    /// Apple: `AVAudioRecorder.init(url:settings:)`.
    public init(url: URL, settings: [String: Any]) throws {
        core = try RecorderCore(url: url, settings: settings, session: .sharedInstance())
        super.init()
        connect()
    }

    /// Checks the format; the file is created by ``prepareToRecord()``.
    ///
    /// Throws as ``init(url:settings:)`` does.
    ///
    /// - Parameters:
    ///   - url: The file to record into; an existing file is overwritten.
    ///   - format: The format.
    ///
    /// Apple: `AVAudioRecorder.init(url:format:)`.
    public init(url: URL, format: AVAudioFormat) throws {
        core = try RecorderCore(url: url, settings: format.settings, session: .sharedInstance())
        super.init()
        connect()
    }

    /// A recorder in a separate session, for tests.
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

    /// Activates the session, opens the input, and creates or empties the file; false if that fails.
    ///
    /// If the file is at fault, the delegate's `audioRecorderEncodeErrorDidOccur` receives the error. The file is at
    /// fault, too, while another recorder of the process records into it; one that is merely prepared releases the
    /// file, and prepares again when it records.
    ///
    /// Any thread. Waits for the disk, and for 2 s at most for the sound server and for the desktop's first answer about
    /// the microphone permission; if they do not answer in that time, it returns false.
    ///
    /// Apple: `AVAudioRecorder.prepareToRecord()`.
    @discardableResult
    open func prepareToRecord() -> Bool { core.prepare() }

    /// Starts recording, or resumes in the same file after a pause or an interruption; false if recording cannot start.
    ///
    /// After ``stop()`` the file is begun anew.
    ///
    /// The recording has no limit, also where one of ``record(forDuration:)`` was paused before. Recording cannot start
    /// without a sound server, in a category without input, or if the file cannot be created.
    ///
    /// Any thread. A prepared recorder in an active session starts at once, except after an interruption, whose last
    /// frames it waits for, 0.5 s at most. Any other recorder is prepared first, as by ``prepareToRecord()``.
    ///
    /// Apple: `AVAudioRecorder.record()`.
    @discardableResult
    open func record() -> Bool { core.record() }

    /// Records a number of seconds, to the frame, and stops by itself; false if recording cannot start.
    ///
    /// The duration is that of the whole recording: what was recorded before a pause, or before this call, counts. Thread,
    /// waiting and failures are those of ``record()``.
    ///
    /// Apple: `AVAudioRecorder.record(forDuration:)`.
    @discardableResult
    open func record(forDuration duration: TimeInterval) -> Bool { core.record(forDuration: duration) }

    /// Starts with the frame that is heard at a time of ``deviceCurrentTime``, to within 1 ms; false if that fails.
    ///
    /// The input's stream runs from ten seconds before the start, to learn the device's clock; with less notice the
    /// start is less exact. A time in the past means now. Until the start ``isRecording`` is true and ``currentTime``
    /// stands still. Thread, waiting and failures are those of ``record()``; a time that is not finite fails too.
    ///
    /// Apple: `AVAudioRecorder.record(atTime:)`.
    @discardableResult
    open func record(atTime time: TimeInterval) -> Bool { core.record(at: time) }

    /// Starts at a time as ``record(atTime:)`` does, and stops after a number of seconds as ``record(forDuration:)``
    /// does.
    ///
    /// Apple: `AVAudioRecorder.record(atTime:forDuration:)`.
    @discardableResult
    open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
        core.record(at: time, forDuration: duration)
    }

    /// Pauses after the frames that are heard now; the file stays open.
    ///
    /// Any thread. Waits for these frames, for 0.5 s at most. No silence is written. The microphone is released two
    /// seconds later, so that a short pause ends at the exact frame.
    ///
    /// Apple: `AVAudioRecorder.pause()`.
    open func pause() { core.pause() }

    /// Stops after the frames that are heard now, and completes the file.
    ///
    /// Any thread. Waits for these frames, for 0.5 s at most, and for the disk, without a limit. The delegate is called
    /// when the file is on the disk.
    ///
    /// Apple: `AVAudioRecorder.stop()`.
    open func stop() {
        core.stop()
        guard delegate != nil else { return }
        // The app may release the recorder now; the delegate must be called nevertheless.
        core.afterNews { [self] in withExtendedLifetime(self) {} }
    }

    /// Deletes the file of a stopped recorder; false if the recorder is not stopped, or there is no file.
    ///
    /// Any thread; waits for the disk.
    ///
    /// Apple: `AVAudioRecorder.deleteRecording()`.
    @discardableResult
    open func deleteRecording() -> Bool { core.deleteRecording() }

    /// Whether the recorder is recording, or waiting for its start time.
    ///
    /// Any thread; waits for nothing.
    ///
    /// Apple: `AVAudioRecorder.isRecording`.
    open var isRecording: Bool { core.isRecording }

    /// The URL of the file to record into.
    ///
    /// Apple: `AVAudioRecorder.url`.
    open var url: URL { core.url }

    /// The recorded seconds, pauses excluded; 0 when stopped.
    ///
    /// Any thread; waits for nothing.
    ///
    /// Apple: `AVAudioRecorder.currentTime`.
    open var currentTime: TimeInterval { core.currentTime }

    /// The clock of ``record(atTime:)``, in seconds: monotonic, and the same for all recorders of the machine.
    ///
    /// Apple: `AVAudioRecorder.deviceCurrentTime`.
    open var deviceCurrentTime: TimeInterval { core.deviceCurrentTime }

    // MARK: Format

    /// The format as a settings dictionary; complete from the first ``prepareToRecord()`` on.
    ///
    /// Apple: `AVAudioRecorder.settings`.
    open var settings: [String: Any] { core.format?.settings ?? [:] }

    /// The format; complete from the first ``prepareToRecord()`` on.
    ///
    /// Apple: `AVAudioRecorder.format`.
    open var format: AVAudioFormat { core.format?.audioFormat ?? AudioFileFormat.nothing.audioFormat }

    /// The input channels to record, one for each channel of the file; nil, the default, leaves the choice to the
    /// server.
    ///
    /// The channels belong to a port of `AVAudioSession.availableInputs`, which is the source unless the session
    /// prefers another one. A change takes effect at the next ``prepareToRecord()``. A list of another length than the
    /// number of channels is ignored. Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioRecorder.channelAssignments`.
    open var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { core.channelAssignments }
        set { core.channelAssignments = newValue }
    }

    // MARK: Meters

    /// Whether levels are measured; initially false.
    ///
    /// Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioRecorder.isMeteringEnabled`.
    open var isMeteringEnabled: Bool {
        get { core.isMeteringEnabled }
        set { core.isMeteringEnabled = newValue }
    }

    /// Reads the levels of the frames captured since the last call; to be called before each use of the levels.
    ///
    /// Any thread; waits for nothing.
    ///
    /// Apple: `AVAudioRecorder.updateMeters()`.
    open func updateMeters() { core.updateMeters() }

    /// The average level of a channel, in dBFS from −160 to 0, as of the last ``updateMeters()``.
    ///
    /// Apple: `AVAudioRecorder.averagePower(forChannel:)`.
    open func averagePower(forChannel channelNumber: Int) -> Float { core.averagePower(channelNumber) }

    /// The peak level of a channel, in dBFS from −160; above 0 for samples beyond full scale.
    ///
    /// Apple: `AVAudioRecorder.peakPower(forChannel:)`.
    open func peakPower(forChannel channelNumber: Int) -> Float { core.peakPower(channelNumber) }
}
