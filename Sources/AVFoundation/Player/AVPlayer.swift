internal import AVFAudio
internal import CoreMedia
internal import Dispatch
internal import Foundation
internal import Locks

/// A player of an item: the sound of a file, or of an http or https stream, which is loaded during playback.
///
/// The sound is mixed with that of all players of the process, under the session's category. A player can be used from
/// any thread; a call may wait for another thread's call on the same player. Notifications are posted, and completion
/// handlers called, on the main queue. Video is not shown.
///
/// Apple: `AVPlayer`.
// Explicitly nonisolated, like all classes that apps subclass. In a module whose default isolation is the main actor,
// the compiler would otherwise isolate the subclass, and reject its overrides.
// SAFETY: it has no state but its core and its ignored settings, which guard themselves.
nonisolated open class AVPlayer: NSObject, @unchecked Sendable {
    /// The player's state, which its items and observers keep instead of the player.
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
    /// Not designated: a designated initializer that apps cannot see would keep their subclasses from inheriting any.
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

    /// The current item, or nil.
    ///
    /// Apple: `AVPlayer.currentItem`.
    open var currentItem: AVPlayerItem? { core.currentItem }

    /// Replaces the current item, by nothing if nil; the rate stays.
    ///
    /// An item of another player traps.
    ///
    /// Apple: `AVPlayer.replaceCurrentItem(with:)`.
    open func replaceCurrentItem(with item: AVPlayerItem?) { core.replaceCurrentItem(with: item) }

    /// Whether the player can play; `unknown` until its first item is ready.
    ///
    /// Apple: `AVPlayer.status`.
    open var status: Status { core.status }

    /// The reason for the status `failed`: the sound server was lost, and the app has to create another player.
    ///
    /// Apple: `AVPlayer.error`.
    open var error: (any Error)? { core.error }

    // MARK: Playing

    /// Plays from the current position, at ``defaultRate``, as soon as the item is ready.
    ///
    /// The call returns at once while the item is being opened. Otherwise it waits as `AVAudioPlayer.play()` does. It
    /// has to be repeated if the session is interrupted or deactivated before the item is ready.
    ///
    /// Apple: `AVPlayer.play()`.
    open func play() { rate = defaultRate }

    /// Pauses at the frame that is heard now; does not wait for the server.
    ///
    /// Apple: `AVPlayer.pause()`.
    open func pause() { rate = 0 }

    /// Plays without waiting for more of a stream, at the risk of a stall; for files like setting ``rate``.
    ///
    /// Apple: `AVPlayer.playImmediately(atRate:)`.
    open func playImmediately(atRate rate: Float) { core.play(atRate: rate, impatiently: true) }

    /// The requested playback rate: 0 is paused, 1 is normal speed.
    ///
    /// Other values are limited to 0.5 … 2, and keep the pitch.
    ///
    /// It is also set while the item is not ready. Setting it starts or pauses the sound, as ``play()`` and ``pause()``
    /// do. It becomes 0 at the end of the item, when the session is interrupted, deactivated or set to a category
    /// without output, and when the sound cannot be played, as with a negative rate.
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

    /// Whether the player is paused, waiting or playing.
    ///
    /// Apple: `AVPlayer.timeControlStatus`.
    open var timeControlStatus: TimeControlStatus { core.timeControlStatus }

    /// The reason for waiting, while ``timeControlStatus`` is `waitingToPlayAtSpecifiedRate`; else nil.
    ///
    /// Apple: `AVPlayer.reasonForWaitingToPlay`.
    open var reasonForWaitingToPlay: WaitingReason? { core.reasonForWaitingToPlay }

    /// The action at the end of the item.
    ///
    /// The default `pause` sets the rate to 0. `none` keeps the rate, and the sound continues after the next seek.
    /// `advance`, the default of ``AVQueuePlayer``, plays the next item. Any other value than `none` takes effect at
    /// once if the item has ended already.
    ///
    /// Apple: `AVPlayer.actionAtItemEnd`.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { core.actionAtItemEnd }
        set { core.actionAtItemEnd = newValue }
    }

    /// Whether the player waits until enough of a stream is loaded to play without a stall, and resumes by itself after
    /// one; at first true.
    ///
    /// Files never wait.
    ///
    /// If false, the player starts with the first data, and a stall sets the rate to 0.
    ///
    /// Apple: `AVPlayer.automaticallyWaitsToMinimizeStalling`.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { core.automaticallyWaitsToMinimizeStalling }
        set { core.automaticallyWaitsToMinimizeStalling = newValue }
    }

    // MARK: Volume

    /// The player's own volume, 0 … 1, linear.
    ///
    /// Apple: `AVPlayer.volume`.
    open var volume: Float {
        get { core.volume }
        set { core.volume = newValue }
    }

    /// Whether the sound is muted, at any volume.
    ///
    /// Apple: `AVPlayer.isMuted`.
    open var isMuted: Bool {
        get { core.isMuted }
        set { core.isMuted = newValue }
    }

    // MARK: Screens

    /// Whether video may be shown on another screen; at first true.
    ///
    /// Stored without effect: there is no video.
    ///
    /// Apple: `AVPlayer.allowsExternalPlayback`.
    open var allowsExternalPlayback: Bool {
        get { ignoredSettings.withLock { $0.allowsExternalPlayback } }
        set { ignoredSettings.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Whether video moves to another screen if there is one.
    ///
    /// Stored without effect: there is no video.
    ///
    /// Apple: `AVPlayer.usesExternalPlaybackWhileExternalScreenIsActive`.
    open var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
        get { ignoredSettings.withLock { $0.usesExternalScreen } }
        set { ignoredSettings.withLock { $0.usesExternalScreen = newValue } }
    }

    /// Whether video is shown on another screen; always false, as there is no video.
    ///
    /// Apple: `AVPlayer.isExternalPlaybackActive`.
    open var isExternalPlaybackActive: Bool { false }

    /// Whether video keeps the display on; at first true.
    ///
    /// Stored without effect: there is no video.
    ///
    /// Apple: `AVPlayer.preventsDisplaySleepDuringVideoPlayback`.
    open var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { ignoredSettings.withLock { $0.preventsDisplaySleep } }
        set { ignoredSettings.withLock { $0.preventsDisplaySleep = newValue } }
    }

    // MARK: Position

    /// The position that is heard now, or from which playback will continue; zero without an item.
    ///
    /// Does not wait for the server.
    ///
    /// Apple: `AVPlayer.currentTime()`.
    open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Seeks to a position, exact to the frame; playback continues from there if the rate is not 0.
    ///
    /// Waits for the server while a file plays, for about 0.5 s at most; a stream seeks in the background. This applies
    /// to all ways to seek.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    open func seek(to time: CMTime) { move(to: time, nil) }

    /// Seeks to a position, exact to the frame.
    ///
    /// The handler is called on the main queue with false if the seek failed, or was superseded by another one.
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

    /// Seeks to a position, exact to the frame.
    ///
    /// The tolerances are ignored.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { move(to: time, nil) }

    /// Seeks to a position, exact to the frame.
    ///
    /// The tolerances are ignored; the handler is called as by `seek(to:completionHandler:)`.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        move(to: time, completionHandler)
    }

    /// Seeks to a position, exact to the frame.
    ///
    /// The tolerances are ignored; returns false if the seek failed, or was superseded by another one.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await move(to: time)
    }

    /// Seeks to a date in an item with dates.
    ///
    /// No item has dates here: the call has no effect.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    open func seek(to date: Date) {}

    /// Seeks to a date in an item with dates.
    ///
    /// No item has dates here: the handler is called with false, on the main queue.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    open func seek(to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void) {
        onMain { completionHandler(false) }
    }

    /// All ways to seek.
    ///
    /// They do not call each other, so that overriding one of them does not affect the rest.
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
    /// - Parameters:
    ///   - interval: The interval in the item's time, at least 1 ms. Without a positive one the block is only called
    ///     when the sound starts, stops or jumps.
    ///   - queue: The serial queue for the calls; nil for the main queue, or the one set by
    ///     `AVAudioSession.deliver(on:)`.
    ///   - block: The block, called with the position.
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

    /// Adds a block that is called each time that playback passes one of some positions; a seek passes none.
    ///
    /// - Parameters:
    ///   - times: The positions, as `NSValue(time:)`.
    ///   - queue: The serial queue for the calls; nil for the main queue, or the one set by
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

    /// Removes an observer; a call in progress is completed.
    ///
    /// Apple: `AVPlayer.removeTimeObserver(_:)`.
    open func removeTimeObserver(_ observer: Any) {
        if let observer = observer as? TimeObserver { core.observers.remove(observer) }
    }
}
