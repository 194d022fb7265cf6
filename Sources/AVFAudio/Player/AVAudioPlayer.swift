internal import AudioFiles
internal import AudioSession

/// A player of a sound from a file or from memory.
///
/// All players of a process are mixed into one stream, under the session's category.
///
/// Any thread may use a player, and the delegate is called on the main queue. Reading properties waits for nothing.
/// Commands and setters of one player take turns: a call waits while another thread prepares, seeks, stops or reroutes
/// the same player. The comments say how long each of them waits for the sound server by itself.
///
/// Apple: `AVAudioPlayer`.
// SAFETY: the core guards its state. `delegate` is a weak reference, which the runtime loads and stores atomically, and
// is used on the main queue.
nonisolated open class AVAudioPlayer: NSObject, @unchecked Sendable {
    let core: PlayerCore
    private let file: URL?
    private let contents: Data?

    /// The receiver of the sound's end, errors and interruptions; a weak reference.
    ///
    /// Apple: `AVAudioPlayer.delegate`.
    open weak var delegate: (any AVAudioPlayerDelegate)? { didSet { core.listener.isThere = delegate != nil } }

    /// The URL of the sound's file; nil for a player of data.
    ///
    /// Apple: `AVAudioPlayer.url`.
    open var url: URL? { file }

    /// The file data of the sound; nil for a player of a file.
    ///
    /// Apple: `AVAudioPlayer.data`.
    open var data: Data? { contents }

    // MARK: Creating a player

    /// A player without a sound, for a property that gets another player later.
    ///
    /// ``play()`` and ``prepareToPlay()`` return false, and ``numberOfChannels``, ``duration`` and ``settings`` are 0
    /// or empty. Setters keep their values. No session is activated, no thread started and no server asked.
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
    /// Any thread. Reads the beginning of the file, without a sound server. Throws an `NSError` in
    /// `NSOSStatusErrorDomain` for a file that is missing, not readable or not a sound file; docs/errors.md lists the
    /// codes.
    ///
    /// Apple: `AVAudioPlayer.init(contentsOf:)`.
    public init(contentsOf url: URL) throws {
        core = try .make(contentsOf: url, session: .sharedInstance())
        file = url
        contents = nil
        super.init()
        connect()
    }

    /// Opens a sound file whose contents may not tell its type.
    ///
    /// Reads and throws as ``init(contentsOf:)`` does.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - utiString: A uniform type identifier such as `public.mp3`, used only if the contents do not tell the type.
    ///
    /// Apple: `AVAudioPlayer.init(contentsOf:fileTypeHint:)`.
    public init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        core = try .make(contentsOf: url, hint: utiString, session: .sharedInstance())
        file = url
        contents = nil
        super.init()
        connect()
    }

    /// Opens a sound from the bytes of a file.
    ///
    /// Any thread. Throws an `NSError` in `NSOSStatusErrorDomain` for bytes that are not a sound file; docs/errors.md
    /// lists the codes.
    ///
    /// Apple: `AVAudioPlayer.init(data:)`.
    public init(data: Data) throws {
        core = try .make(data: data, session: .sharedInstance())
        file = nil
        contents = data
        super.init()
        connect()
    }

    /// Opens a sound from the bytes of a file, which may not tell their type.
    ///
    /// Throws as ``init(data:)`` does.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - utiString: A uniform type identifier such as `public.mp3`, used only if the bytes do not tell the type.
    ///
    /// Apple: `AVAudioPlayer.init(data:fileTypeHint:)`.
    public init(data: Data, fileTypeHint utiString: String?) throws {
        core = try .make(data: data, hint: utiString, session: .sharedInstance())
        file = nil
        contents = data
        super.init()
        connect()
    }

    /// A player of a file in a separate session, for tests.
    package init(contentsOf url: URL, session: AVAudioSession) throws {
        core = try .make(contentsOf: url, session: session)
        file = url
        contents = nil
        super.init()
        connect()
    }

    /// A player of data in a separate session, for tests.
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

    /// Activates the session, opens the output and begins to decode, so that ``play()`` starts at once; false if that
    /// fails.
    ///
    /// Any thread. Decodes about 0.1 s before it returns, and the rest of the first second in the background. Waits for
    /// the sound server, for 2 s at most; if the server does not answer in that time, it returns false.
    ///
    /// Apple: `AVAudioPlayer.prepareToPlay()`.
    @discardableResult
    open func prepareToPlay() -> Bool { core.prepare() }

    /// Plays from ``currentTime`` on; false if playback cannot start.
    ///
    /// Playback cannot start without a sound server, in a category without output, and if the player's sound server was
    /// lost. If the file is at fault, the delegate receives the error.
    ///
    /// Any thread. A prepared player in an active session starts at once; after its end it decodes the beginning anew,
    /// for which it waits 0.5 s at most. Any other player is prepared first, as by ``prepareToPlay()``.
    ///
    /// Apple: `AVAudioPlayer.play()`.
    @discardableResult
    open func play() -> Bool { core.play() }

    /// Plays from ``currentTime`` on at a time of ``deviceCurrentTime``; false if playback cannot start.
    ///
    /// Players with the same start time begin on the same frame. Prepare the players first, and leave the server 50 ms
    /// or more; a time in the past means now. Thread, waiting and failures are those of ``play()``.
    ///
    /// - Parameter time: The start time in seconds.
    ///
    /// Apple: `AVAudioPlayer.play(atTime:)`.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool { core.play(at: time.isFinite ? time : nil) }

    /// The clock of the output that all players of the process share, in seconds.
    ///
    /// The clock counts the frames heard while a player runs, and goes on while all are paused or stopped. It is 0
    /// before the first preparation. Waits for nothing.
    ///
    /// Apple: `AVAudioPlayer.deviceCurrentTime`.
    open var deviceCurrentTime: TimeInterval { core.deviceTime }

    /// Pauses at the frame that is heard now; the player stays prepared.
    ///
    /// Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.pause()`.
    open func pause() { core.pause() }

    /// Stops at the frame that is heard now, and releases the prepared output.
    ///
    /// The position is kept: set ``currentTime`` to rewind. Any thread. Waits until the server has reported how much
    /// was heard, for 2 s at most.
    ///
    /// Apple: `AVAudioPlayer.stop()`.
    open func stop() { core.stop() }

    /// Whether the player is running: heard, or waiting for its start time.
    ///
    /// Any thread; waits for nothing.
    ///
    /// Apple: `AVAudioPlayer.isPlaying`.
    open var isPlaying: Bool { core.isPlaying }

    /// The state of the player: running, finished, interrupted or stopped.
    package var standing: PlayerStanding { core.standing }

    /// Whether the last sound ended at unreadable data; skipped damage does not count.
    package var hasBrokenOff: Bool { core.hasBrokenOff }

    /// Waits until the position of a paused sound is exact, for 0.25 s at most; it is an estimate until then.
    package func settle() { core.settle() }

    // MARK: Position

    /// The position in seconds: the frame heard now, or the start of the next ``play()``.
    ///
    /// Reading it waits for nothing, on any thread. Just after a pause the value is an estimate, exact as soon as the
    /// server has answered.
    ///
    /// Setting it seeks to the exact frame, and waits for the sound server for 0.5 s at most. A position beyond the end
    /// ends a running player, and rewinds any other.
    ///
    /// Apple: `AVAudioPlayer.currentTime`.
    open var currentTime: TimeInterval {
        get { core.currentTime }
        set { core.currentTime = newValue }
    }

    /// The length of the sound in seconds, exact to the frame.
    ///
    /// Any thread; waits for nothing.
    ///
    /// Apple: `AVAudioPlayer.duration`.
    open var duration: TimeInterval { core.duration }

    /// The number of repetitions: 0 plays once, n plays n + 1 times, a negative number repeats until ``stop()``.
    ///
    /// A change takes effect while the sound plays. Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.numberOfLoops`.
    open var numberOfLoops: Int {
        get { core.numberOfLoops }
        set { core.numberOfLoops = newValue }
    }

    // MARK: Rate

    /// Whether ``rate`` has an effect; initially false.
    ///
    /// Set it before ``prepareToPlay()``, or before ``play()``, which prepares too: a change takes effect at the next
    /// preparation. Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.enableRate`.
    open var enableRate: Bool {
        get { core.enableRate }
        set { core.enableRate = newValue }
    }

    /// The playback rate, 0.5 (half speed) … 2 (double speed), with unchanged pitch; other values are clamped.
    ///
    /// A change takes effect while the sound plays. ``currentTime`` and ``duration`` count seconds of the sound at any
    /// rate. Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.rate`.
    open var rate: Float {
        get { core.rate }
        set { core.rate = newValue }
    }

    // MARK: Volume

    /// The player's volume, 0 … 1, linear; 1 leaves the samples unchanged, and other values are clamped.
    ///
    /// A change of a running player takes effect over 5 ms, to avoid a click. Any thread; does not wait for the sound
    /// server.
    ///
    /// Apple: `AVAudioPlayer.volume`.
    open var volume: Float {
        get { core.volume }
        set { core.volume = newValue }
    }

    /// Fades the volume linearly to a value of 0 … 1 over a number of seconds; a later call replaces an earlier one.
    ///
    /// On a player that does not run, the fade begins with the sound. Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.setVolume(_:fadeDuration:)`.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        core.setVolume(volume, fade: duration)
    }

    /// The pan, −1 (left) … 1 (right), with constant power; 0 leaves the samples unchanged.
    ///
    /// Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.pan`.
    open var pan: Float {
        get { core.pan }
        set { core.pan = newValue }
    }

    // MARK: Meters

    /// Whether levels are measured; initially false.
    ///
    /// Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.isMeteringEnabled`.
    open var isMeteringEnabled: Bool {
        get { core.isMeteringEnabled }
        set { core.isMeteringEnabled = newValue }
    }

    /// Reads the levels of the frames heard now; to be called before each use of the levels.
    ///
    /// Any thread; waits for nothing.
    ///
    /// Apple: `AVAudioPlayer.updateMeters()`.
    open func updateMeters() { core.updateMeters() }

    /// The average level of a channel over 50 ms, in dBFS from −160 to 0, as of the last ``updateMeters()``.
    ///
    /// Apple: `AVAudioPlayer.averagePower(forChannel:)`.
    open func averagePower(forChannel channelNumber: Int) -> Float { core.averagePower(channelNumber) }

    /// The peak level of a channel, in dBFS from −160; above 0 for samples beyond full scale.
    ///
    /// Apple: `AVAudioPlayer.peakPower(forChannel:)`.
    open func peakPower(forChannel channelNumber: Int) -> Float { core.peakPower(channelNumber) }

    // MARK: Route

    /// The output channels of the sound's channels, one for each of ``numberOfChannels``; nil, the default, uses the
    /// standard order.
    ///
    /// A channel goes to the output channel with the description's number. In category `multiRoute` all channels go to
    /// the port that owns the first description; other categories have one port. A list of another length is ignored.
    ///
    /// A change of a prepared player takes effect at once: it opens the output, for which it waits for the sound server
    /// like ``prepareToPlay()``.
    ///
    /// Apple: `AVAudioPlayer.channelAssignments`.
    open var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { core.channelAssignments }
        set { core.channelAssignments = newValue }
    }

    /// The name of the output device that the player requires; nil, the default, accepts the session's.
    ///
    /// All players share the session's route. ``prepareToPlay()`` and ``play()`` return false while the session plays
    /// on another device. Any thread; does not wait for the sound server.
    ///
    /// Apple: `AVAudioPlayer.currentDevice` (macOS).
    open var currentDevice: String? {
        get { core.currentDevice }
        set { core.currentDevice = newValue }
    }

    // MARK: Format

    /// The number of channels of the sound's file.
    ///
    /// Apple: `AVAudioPlayer.numberOfChannels`.
    open var numberOfChannels: Int { core.fileFormat.channels }

    /// The format of the sound's file.
    ///
    /// Apple: `AVAudioPlayer.format`.
    open var format: AVAudioFormat { core.fileFormat.audioFormat }

    /// The format of the sound's file as a settings dictionary; empty for a player without a sound.
    ///
    /// Apple: `AVAudioPlayer.settings`.
    open var settings: [String: Any] { core.hasSound ? core.fileFormat.settings : [:] }
}
