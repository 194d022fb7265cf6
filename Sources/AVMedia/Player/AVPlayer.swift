internal import AVFAudio
internal import CoreMedia
internal import Dispatch
internal import Foundation
internal import Locks

/// A player of an item: of a file, or of an http or https address, which is loaded while it plays.
///
/// The sound is mixed with that of all players of the process, under the session's category. A player may be used from
/// any thread. Notifications are posted, and completion handlers called, on the main queue. Video is not shown.
///
/// Reading a property waits for nothing, also while another thread's command does: until that command returns, the
/// property has the value from before it. Commands run one after the other, and each waits for the sound server for 2 s
/// at most. A command that had to wait for another thread's start, which the server did not answer, begins no second
/// one: the rate becomes 0.
///
/// Apple: `AVPlayer`.
// `nonisolated`, as all classes that apps may subclass: in a module whose default actor is the main actor the compiler
// would isolate the subclass, and refuse its overrides.
// SAFETY: its only state is its core and its ignored settings, which guard themselves.
nonisolated open class AVPlayer: NSObject, @unchecked Sendable {
    /// The player's state; threads of the library keep it instead of the player.
    let core = AVPlayerCore()
    private let ignoredSettings = Guarded(IgnoredPlayerSettings())

    // MARK: Making a player

    /// Creates a player without an item.
    ///
    /// Apple: `AVPlayer.init()`.
    public override init() {
        super.init()
        setUp(nil)
    }

    /// Creates a player of a file, or of an http or https URL, which is opened in the background.
    ///
    /// Apple: `AVPlayer.init(url:)`.
    public init(url: URL) {
        super.init()
        setUp(AVPlayerItem(url: url))
    }

    /// Creates a player of an item.
    ///
    /// An item of another player is a programming error, and traps.
    ///
    /// Apple: `AVPlayer.init(playerItem:)`.
    public init(playerItem item: AVPlayerItem?) {
        super.init()
        setUp(item)
    }

    /// Creates a player in a separate session, for tests.
    ///
    /// Not a designated initializer: one that apps cannot see would keep their subclasses from inheriting any.
    package convenience init(playerItem item: AVPlayerItem?, session: AVAudioSession) {
        self.init()
        core.session = session
        setUp(item)
    }

    private func setUp(_ item: AVPlayerItem?) {
        core.isQueue = isQueue
        core.begin(for: self, with: item)
    }

    deinit { core.close() }

    /// Whether other items may follow the current one.
    var isQueue: Bool { false }

    // MARK: The item

    /// The current item.
    ///
    /// Apple: `AVPlayer.currentItem`.
    open var currentItem: AVPlayerItem? { core.currentItem }

    /// Replaces the current item, or removes it; the rate stays.
    ///
    /// Waits for the sound server, for 2 s at most, and before that for callbacks of a player that had the item and is
    /// being released, for 2 s at most.
    ///
    /// Apple: `AVPlayer.replaceCurrentItem(with:)`.
    open func replaceCurrentItem(with item: AVPlayerItem?) { core.replaceCurrentItem(with: item) }

    /// Whether the player can play; `unknown` until its first item is ready.
    ///
    /// Apple: `AVPlayer.status`.
    open var status: Status { core.status }

    /// The reason why the player cannot play: the sound server was lost, and a new player is needed.
    ///
    /// Apple: `AVPlayer.error`.
    open var error: (any Error)? { core.error }

    // MARK: Playing

    /// Plays from the current position, at ``defaultRate``, as soon as the item is ready.
    ///
    /// If the session is interrupted or deactivated before that, the app has to call it again. Activates the session,
    /// and waits for the sound server, for 2 s at most.
    ///
    /// Apple: `AVPlayer.play()`.
    open func play() { rate = defaultRate }

    /// Stops at the frame that is heard now; does not wait for the sound server.
    ///
    /// Just after it ``currentTime()`` is an estimate, which is exact as soon as the server has answered.
    ///
    /// Apple: `AVPlayer.pause()`.
    open func pause() { rate = 0 }

    /// Plays with as little of a stream as is loaded, at the risk of a stall; for a file it is ``play()`` at a rate.
    ///
    /// Waits for the sound server, for 2 s at most.
    ///
    /// Apple: `AVPlayer.playImmediately(atRate:)`.
    open func playImmediately(atRate rate: Float) { core.play(atRate: rate, impatiently: true) }

    /// The playing rate: 0 is paused, 1 is normal; others are brought to 0.5 … 2, and leave the pitch as it is.
    ///
    /// The requested rate, also while the item is not ready. Setting it starts and stops the sound, as ``play()`` and
    /// ``pause()`` do, and waits as long. It becomes 0 at the end of the item, when the session is interrupted,
    /// deactivated or given a category without output, and when the sound cannot be played, as backwards.
    ///
    /// Apple: `AVPlayer.rate`.
    open var rate: Float {
        get { core.rate }
        set { core.rate = newValue }
    }

    /// The rate for ``play()``; at first 1.
    ///
    /// Apple: `AVPlayer.defaultRate`.
    open var defaultRate: Float {
        get { core.defaultRate }
        set { core.defaultRate = newValue }
    }

    /// Whether the player plays, is paused, or waits for its item.
    ///
    /// Apple: `AVPlayer.timeControlStatus`.
    open var timeControlStatus: TimeControlStatus { core.timeControlStatus }

    /// The reason for ``TimeControlStatus/waitingToPlayAtSpecifiedRate``; nil in another status.
    ///
    /// Apple: `AVPlayer.reasonForWaitingToPlay`.
    open var reasonForWaitingToPlay: WaitingReason? { core.reasonForWaitingToPlay }

    /// The action at the end of the item: `pause`, the default, sets the rate to 0; with `none` the rate stays, and the
    /// sound goes on with the next seek; `advance`, the default of an ``AVQueuePlayer``, goes on with the next item.
    ///
    /// At the end of the item a new action other than `none` takes effect at once. Setting it waits for the sound
    /// server, for 2 s at most.
    ///
    /// Apple: `AVPlayer.actionAtItemEnd`.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { core.actionAtItemEnd }
        set { core.actionAtItemEnd = newValue }
    }

    /// Whether the player waits until enough of a stream is loaded to play without a stall, and goes on by itself after
    /// one; without effect on files.
    ///
    /// Otherwise it plays as soon as anything is loaded, and a stall sets the rate to 0. Setting it may start a stream,
    /// and waits for the sound server, for 2 s at most.
    ///
    /// Apple: `AVPlayer.automaticallyWaitsToMinimizeStalling`.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { core.automaticallyWaitsToMinimizeStalling }
        set { core.automaticallyWaitsToMinimizeStalling = newValue }
    }

    // MARK: Volume

    /// The player's own volume, 0 … 1, linear; setting it does not wait for the sound server.
    ///
    /// Apple: `AVPlayer.volume`.
    open var volume: Float {
        get { core.volume }
        set { core.volume = newValue }
    }

    /// Whether the player is muted; setting it does not wait for the sound server.
    ///
    /// Apple: `AVPlayer.isMuted`.
    open var isMuted: Bool {
        get { core.isMuted }
        set { core.isMuted = newValue }
    }

    // MARK: Screens

    /// Whether video may be shown on another screen, by default true; stored without effect: no video is shown.
    ///
    /// Apple: `AVPlayer.allowsExternalPlayback`.
    open var allowsExternalPlayback: Bool {
        get { ignoredSettings.withLock { $0.allowsExternalPlayback } }
        set { ignoredSettings.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Whether video goes to an active external screen; stored without effect: no video is shown.
    ///
    /// Apple: `AVPlayer.usesExternalPlaybackWhileExternalScreenIsActive`.
    open var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
        get { ignoredSettings.withLock { $0.usesExternalScreen } }
        set { ignoredSettings.withLock { $0.usesExternalScreen = newValue } }
    }

    /// Whether video is shown on another screen; always false.
    ///
    /// Apple: `AVPlayer.isExternalPlaybackActive`.
    open var isExternalPlaybackActive: Bool { false }

    /// Whether video keeps the screen on, by default true; stored without effect: sound keeps no screen on.
    ///
    /// Apple: `AVPlayer.preventsDisplaySleepDuringVideoPlayback`.
    open var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { ignoredSettings.withLock { $0.preventsDisplaySleep } }
        set { ignoredSettings.withLock { $0.preventsDisplaySleep = newValue } }
    }

    /// The effect of going to the background on a player with video, by default `automatic`; stored without effect: a
    /// player of sound goes on with each policy, as on Apple's systems.
    ///
    /// Apple: `AVPlayer.audiovisualBackgroundPlaybackPolicy`.
    open var audiovisualBackgroundPlaybackPolicy: AVPlayerAudiovisualBackgroundPlaybackPolicy {
        get { ignoredSettings.withLock { $0.backgroundPolicy } }
        set { ignoredSettings.withLock { $0.backgroundPolicy = newValue } }
    }

    // MARK: Position

    /// The position that is heard now, or from which playback will continue; zero without an item.
    ///
    /// Does not wait for the server.
    ///
    /// Waits for nothing.
    ///
    /// Apple: `AVPlayer.currentTime()`.
    open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Seeks to a position, exact to the frame; playback continues from there if the rate is not 0.
    ///
    /// Waits for the server while a file plays, for about 0.5 s at most; a stream seeks in the background. This applies
    /// to all ways to seek.
    ///
    /// This and all other seeks wait for the sound server, for 2 s at most; for the web server of a stream they do not
    /// wait.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    open func seek(to time: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame; reports on the main queue whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        move(to: time, completionHandler)
    }

    /// Seeks to a position, exact to the frame; returns false if the seek failed, or was superseded by another one.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    @discardableResult
    open func seek(to time: CMTime) async -> Bool { await move(to: time) }

    /// Goes to a position, exact to the frame at any tolerance.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame at any tolerance; reports on the main queue whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame at any tolerance; returns whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await move(to: time)
    }

    /// Does nothing: no item has dates here.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    open func seek(to date: Date) {}

    /// Calls the handler on the main queue with false: no item has dates here.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    open func seek(to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void) {
        onMain { completionHandler(false) }
    }

    /// The implementation of all seeks: each overridable method calls this one, and no other overridable one.
    private func move(to time: CMTime, _ completion: (@Sendable (Bool) -> Void)?) {
        guard let item = currentItem else {
            if let completion { onMain { completion(false) } }
            return
        }
        item.move(to: time, completion)
    }

    private func move(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in move(to: time) { continuation.resume(returning: $0) } }
    }

    // MARK: Observers

    /// Adds a block that is called at each multiple of an interval during playback, and when the sound starts, stops or
    /// jumps.
    ///
    /// Waits for nothing; nor does ``removeTimeObserver(_:)``.
    ///
    /// - Parameters:
    ///   - interval: The interval in the item's time. An invalid time, or one that is not positive, leaves starts,
    ///     stops and jumps.
    ///   - queue: A serial queue for the block; nil for the main queue, or the place that was chosen with
    ///     `AVAudioSession.deliver(on:)`.
    ///   - block: The block, which gets the position.
    /// - Returns: The observer, for ``removeTimeObserver(_:)``.
    ///
    /// Apple: `AVPlayer.addPeriodicTimeObserver(forInterval:queue:using:)`.
    @discardableResult
    open func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        let observer = TimeObserver(.every(interval.isNumeric ? interval.seconds : 0), queue: queue, block)
        core.observers.add(observer)
        return observer
    }

    /// Calls a block whenever the item plays across one of the given positions; a seek across them does not count.
    ///
    /// Waits for nothing.
    ///
    /// - Parameters:
    ///   - times: Positions, as `NSValue(time:)`.
    ///   - queue: A serial queue for the block; nil for the main queue, or the place that was chosen with
    ///     `AVAudioSession.deliver(on:)`.
    ///   - block: The block.
    /// - Returns: The observer, for ``removeTimeObserver(_:)``.
    ///
    /// Apple: `AVPlayer.addBoundaryTimeObserver(forTimes:queue:using:)`.
    @discardableResult
    open func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
    ) -> Any {
        let seconds = times.map(\.timeValue.seconds).filter(\.isFinite).sorted()
        let observer = TimeObserver(.at(seconds), queue: queue) { _ in block() }
        core.observers.add(observer)
        return observer
    }

    /// Removes an observer; a call of its block that has begun goes on.
    ///
    /// Apple: `AVPlayer.removeTimeObserver(_:)`.
    open func removeTimeObserver(_ observer: Any) {
        if let observer = observer as? TimeObserver { core.observers.remove(observer) }
    }
}
