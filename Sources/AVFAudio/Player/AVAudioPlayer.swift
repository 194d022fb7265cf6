internal import AudioFiles
internal import AudioSession

/// Plays a sound from a file or from memory.
///
/// All players of a process are mixed into one stream, under the session's category. A player may be used from any
/// thread; its delegate is called on the main queue.
///
/// Apple: `AVAudioPlayer`.
// SAFETY: the core guards its state; `delegate` is a weak reference, which the runtime loads and stores atomically, and
// is used on the main queue.
nonisolated open class AVAudioPlayer: NSObject, @unchecked Sendable {
    let core: PlayerCore
    private let file: URL?
    private let contents: Data?

    /// Told of the end of the sound, of errors, and of interruptions.
    ///
    /// Apple: `AVAudioPlayer.delegate`.
    open weak var delegate: (any AVAudioPlayerDelegate)? { didSet { core.listener.isThere = delegate != nil } }

    /// The file that the sound comes from; nil for a player of data.
    ///
    /// Apple: `AVAudioPlayer.url`.
    open var url: URL? { file }

    /// The bytes that the sound comes from; nil for a player of a file.
    ///
    /// Apple: `AVAudioPlayer.data`.
    open var data: Data? { contents }

    // MARK: Making a player

    /// A player without a sound, for a property that gets another player later.
    ///
    /// ``play()`` and ``prepareToPlay()`` return false, there are no channels and no seconds, and ``settings`` are empty.
    /// It takes nothing of the system: no session is activated, no thread started, no server asked. What apps set is kept.
    ///
    /// Apple: `AVAudioPlayer.init()`, of `NSObject`.
    public override init() {
        core = PlayerCore(withoutSoundIn: .sharedInstance())
        file = nil
        contents = nil
        super.init()
    }

    /// Opens a sound file.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain` for a file that is missing, not readable or not sound; a player
    /// is never half usable. docs/errors.md lists the codes.
    ///
    /// Apple: `AVAudioPlayer.init(contentsOf:)`.
    public init(contentsOf url: URL) throws {
        core = try .make(contentsOf: url, session: .sharedInstance())
        file = url
        contents = nil
        super.init()
        connect()
    }

    /// Opens a sound file; the hint, a uniform type identifier such as `public.mp3`, counts only where the file's
    /// contents do not tell its type.
    ///
    /// Apple: `AVAudioPlayer.init(contentsOf:fileTypeHint:)`.
    public init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        core = try .make(contentsOf: url, hint: utiString, session: .sharedInstance())
        file = url
        contents = nil
        super.init()
        connect()
    }

    /// Opens sound that is in memory as the bytes of a file.
    ///
    /// Apple: `AVAudioPlayer.init(data:)`.
    public init(data: Data) throws {
        core = try .make(data: data, session: .sharedInstance())
        file = nil
        contents = data
        super.init()
        connect()
    }

    /// Opens sound that is in memory as the bytes of a file; the hint counts only where these do not tell their type.
    ///
    /// Apple: `AVAudioPlayer.init(data:fileTypeHint:)`.
    public init(data: Data, fileTypeHint utiString: String?) throws {
        core = try .make(data: data, hint: utiString, session: .sharedInstance())
        file = nil
        contents = data
        super.init()
        connect()
    }

    /// A player of a file in a session of its own, for tests.
    package init(contentsOf url: URL, session: AVAudioSession) throws {
        core = try .make(contentsOf: url, session: session)
        file = url
        contents = nil
        super.init()
        connect()
    }

    /// A player of data in a session of its own, for tests.
    package init(data: Data, session: AVAudioSession) throws {
        core = try .make(data: data, session: session)
        file = nil
        contents = data
        super.init()
        connect()
    }

    private func connect() {
        core.onFinished = { [weak self] successfully in
            guard let self else { return }
            delegate?.audioPlayerDidFinishPlaying(self, successfully: successfully)
        }
        core.onDecodeError = { [weak self] error in
            guard let self else { return }
            delegate?.audioPlayerDecodeErrorDidOccur(self, error: NSError.audioFile(error))
        }
        core.onInterruption = { [weak self] began, shouldResume in
            guard let self else { return }
            if began {
                delegate?.audioPlayerBeginInterruption(self)
            } else {
                let options: AVAudioSession.InterruptionOptions = shouldResume ? .shouldResume : []
                delegate?.audioPlayerEndInterruption(self, withOptions: Int(options.rawValue))
            }
        }
    }

    // MARK: Playing

    /// Activates the session, opens the output and decodes the first second, so that ``play()`` starts at once; false
    /// if that is not possible.
    ///
    /// Any thread. Waits for the server, for 2 s at most where it hangs.
    ///
    /// Apple: `AVAudioPlayer.prepareToPlay()`.
    @discardableResult
    open func prepareToPlay() -> Bool { core.prepare() }

    /// Plays from ``currentTime`` on; false if it cannot start: no sound server, a category without output, or a player
    /// whose sound server was lost.
    ///
    /// Any thread. Returns at once if the player is prepared; else it prepares it, as ``prepareToPlay()`` does.
    ///
    /// Apple: `AVAudioPlayer.play()`.
    @discardableResult
    open func play() -> Bool { core.play() }

    /// Plays from ``currentTime`` on at a time of ``deviceCurrentTime``, in seconds; false if it cannot start.
    ///
    /// Players that are given the same time begin on the same frame. Leave 50 ms or more for the server, and prepare
    /// the players first; a time that has passed plays at once.
    ///
    /// Apple: `AVAudioPlayer.play(atTime:)`.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool { core.play(at: time.isFinite ? time : nil) }

    /// The time of the output, which all players of the process share, in seconds.
    ///
    /// It grows, in frames that are heard, while any of them plays, and goes on while they are paused or stopped; 0
    /// before the first has been prepared.
    ///
    /// Apple: `AVAudioPlayer.deviceCurrentTime`.
    open var deviceCurrentTime: TimeInterval { core.deviceTime }

    /// Stops at the frame that is heard now; stays prepared.
    ///
    /// Any thread; does not wait for the server.
    ///
    /// Apple: `AVAudioPlayer.pause()`.
    open func pause() { core.pause() }

    /// Stops at the frame that is heard now, and gives up what was prepared.
    ///
    /// It does not rewind: set ``currentTime``. It waits until the server has said how much was heard, for two seconds at
    /// most.
    ///
    /// Apple: `AVAudioPlayer.stop()`.
    open func stop() { core.stop() }

    /// Whether the sound is on its way to the listener.
    ///
    /// Any thread; waits for nothing, also while another thread prepares or stops the player.
    ///
    /// Apple: `AVAudioPlayer.isPlaying`.
    open var isPlaying: Bool { core.isPlaying }

    /// Where the sound stands: what ``isPlaying`` tells, and why it does not play.
    package var standing: PlayerStanding { core.standing }

    /// Whether the sound ended where its file could not be read on; damage that was passed over ends nothing.
    package var hasBrokenOff: Bool { core.hasBrokenOff }

    /// Waits until the position of a paused sound is exact, for 0.25 s at most; it is an estimate until then.
    package func settle() { core.settle() }

    // MARK: Position

    /// The position that is heard now, or from which ``play()`` goes on, in seconds.
    ///
    /// Reading it waits for nothing, on any thread: just after a pause it is an estimate, and exact as soon as the server
    /// has answered. Setting it seeks, to the exact frame, and waits for the server while the sound plays, for 0.5 s at
    /// most; beyond the end it ends what plays, and rewinds what does not.
    ///
    /// Apple: `AVAudioPlayer.currentTime`.
    open var currentTime: TimeInterval {
        get { core.currentTime }
        set { core.currentTime = newValue }
    }

    /// The length of the sound in seconds, exact to the frame.
    ///
    /// Apple: `AVAudioPlayer.duration`.
    open var duration: TimeInterval { core.duration }

    /// How often the sound is repeated: 0 plays it once, n plays it n + 1 times, a negative number until it is stopped.
    ///
    /// It may be changed while the sound plays.
    ///
    /// Apple: `AVAudioPlayer.numberOfLoops`.
    open var numberOfLoops: Int {
        get { core.numberOfLoops }
        set { core.numberOfLoops = newValue }
    }

    // MARK: Rate

    /// Whether ``rate`` counts; off at first.
    ///
    /// It must be set before ``prepareToPlay()``, and before ``play()``, which prepares too: later it counts from the
    /// next preparation on.
    ///
    /// Apple: `AVAudioPlayer.enableRate`.
    open var enableRate: Bool {
        get { core.enableRate }
        set { core.enableRate = newValue }
    }

    /// How fast the sound plays, from 0.5 (half as fast) to 2; the pitch stays.
    ///
    /// It may be changed while the sound plays. ``currentTime`` and ``duration`` are those of the sound, at any rate.
    ///
    /// Apple: `AVAudioPlayer.rate`.
    open var rate: Float {
        get { core.rate }
        set { core.rate = newValue }
    }

    // MARK: Volume

    /// The player's own volume, 0 … 1, linear; 1 leaves every sample as it is.
    ///
    /// Apple: `AVAudioPlayer.volume`.
    open var volume: Float {
        get { core.volume }
        set { core.volume = newValue }
    }

    /// Moves the volume linearly to a value of 0 … 1 within so many seconds; a later call replaces an earlier one.
    ///
    /// Apple: `AVAudioPlayer.setVolume(_:fadeDuration:)`.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        core.setVolume(volume, fade: duration)
    }

    /// −1 is left, 0 the centre, 1 right; constant power, with the centre as loud as without panning.
    ///
    /// Apple: `AVAudioPlayer.pan`.
    open var pan: Float {
        get { core.pan }
        set { core.pan = newValue }
    }

    // MARK: Meters

    /// Whether levels are measured; off at first.
    ///
    /// Apple: `AVAudioPlayer.isMeteringEnabled`.
    open var isMeteringEnabled: Bool {
        get { core.isMeteringEnabled }
        set { core.isMeteringEnabled = newValue }
    }

    /// Takes the levels of what is heard now; to be called before each reading.
    ///
    /// Apple: `AVAudioPlayer.updateMeters()`.
    open func updateMeters() { core.updateMeters() }

    /// The average level of a channel, in dBFS from −160 to 0.
    ///
    /// Apple: `AVAudioPlayer.averagePower(forChannel:)`.
    open func averagePower(forChannel channelNumber: Int) -> Float { core.averagePower(channelNumber) }

    /// The highest level of a channel, in dBFS from −160.
    ///
    /// Apple: `AVAudioPlayer.peakPower(forChannel:)`.
    open func peakPower(forChannel channelNumber: Int) -> Float { core.peakPower(channelNumber) }

    // MARK: Route

    /// The outputs that the sound's channels go to, one for each of ``numberOfChannels``; nil, as at first, for the
    /// usual ones.
    ///
    /// A channel goes to the output of its description's number. In category `multiRoute` all go to the port that owns
    /// the first of them; elsewhere there is one port, whatever they say. A list of another length is ignored. May be
    /// set while the sound plays.
    ///
    /// Apple: `AVAudioPlayer.channelAssignments`.
    open var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { core.channelAssignments }
        set { core.channelAssignments = newValue }
    }

    /// The name of the output device that the sound has to be played on; nil, as at first, for that of the session.
    ///
    /// All players share the session's route, so a device that the session does not play on is an unknown one: as long
    /// as it is set, ``prepareToPlay()`` and ``play()`` return false.
    ///
    /// Apple: `AVAudioPlayer.currentDevice` (macOS).
    open var currentDevice: String? {
        get { core.currentDevice }
        set { core.currentDevice = newValue }
    }

    // MARK: Format

    /// The number of channels of the sound.
    ///
    /// Apple: `AVAudioPlayer.numberOfChannels`.
    open var numberOfChannels: Int { core.fileFormat.channels }

    /// The format of the sound's file.
    ///
    /// Apple: `AVAudioPlayer.format`.
    open var format: AVAudioFormat { core.fileFormat.audioFormat }

    /// The format of the sound's file as a dictionary of settings.
    ///
    /// Apple: `AVAudioPlayer.settings`.
    open var settings: [String: Any] { core.hasSound ? core.fileFormat.settings : [:] }
}
