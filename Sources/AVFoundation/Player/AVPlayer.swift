internal import AVFAudio
internal import CoreMedia
internal import Dispatch
internal import Foundation
internal import Locks

/// Plays an item: the sound of a file, or of an http or https address, that is loaded while it plays.
///
/// Its sound is mixed with that of all players of the process, under the session's category. A player may be used from
/// any thread. Notifications are posted, and completion handlers called, on the main queue. Video is not shown.
///
/// Apple: `AVPlayer`.
// It says that it belongs to no actor, as do all classes that apps make subclasses of: in a module whose default is the
// main actor the compiler would take the subclass for one of that, and refuse whatever it overrides.
// SAFETY: it has no state but its core and its ignored settings, which guard themselves.
nonisolated open class AVPlayer: NSObject, @unchecked Sendable {
    /// What others of ours keep in its place.
    let core = AVPlayerCore()
    private let ignoredSettings = Guarded(IgnoredPlayerSettings())

    // MARK: Making a player

    /// A player that has no item yet.
    ///
    /// Apple: `AVPlayer.init()`.
    public override init() {
        super.init()
        setUp(nil)
    }

    /// A player of a file, or of an http or https address, which is opened in the background.
    ///
    /// Apple: `AVPlayer.init(url:)`.
    public init(url: URL) {
        super.init()
        setUp(AVPlayerItem(url: url))
    }

    /// A player of an item.
    ///
    /// Apple: `AVPlayer.init(playerItem:)`.
    public init(playerItem item: AVPlayerItem?) {
        super.init()
        setUp(item)
    }

    /// A player in a session of its own, for tests.
    ///
    /// Not a designated one: what others cannot see would keep subclasses from inheriting any.
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

    /// What is played.
    ///
    /// Apple: `AVPlayer.currentItem`.
    open var currentItem: AVPlayerItem? { core.currentItem }

    /// Plays something else from now on, or nothing; the rate stays.
    ///
    /// Apple: `AVPlayer.replaceCurrentItem(with:)`.
    open func replaceCurrentItem(with item: AVPlayerItem?) { core.replaceCurrentItem(with: item) }

    /// Whether the player can play; unknown until its first item can.
    ///
    /// Apple: `AVPlayer.status`.
    open var status: Status { core.status }

    /// Why the player cannot play: the sound server was lost, and another player has to be made.
    ///
    /// Apple: `AVPlayer.error`.
    open var error: (any Error)? { core.error }

    // MARK: Playing

    /// Plays from the position on, at ``defaultRate``: as soon as the item is ready, if it is not yet.
    ///
    /// Where the session is interrupted or deactivated before that, it has to be asked for again.
    ///
    /// Apple: `AVPlayer.play()`.
    open func play() { rate = defaultRate }

    /// Stops at the frame that is heard now.
    ///
    /// Apple: `AVPlayer.pause()`.
    open func pause() { rate = 0 }

    /// Plays with as little of a stream as there is, at the risk of a stall; files need no more in any case.
    ///
    /// Apple: `AVPlayer.playImmediately(atRate:)`.
    open func playImmediately(atRate rate: Float) { core.play(atRate: rate, impatiently: true) }

    /// How fast the sound plays: 0 is paused, 1 as usual; others are brought to 0.5 … 2, and leave the pitch as it is.
    ///
    /// It is what was asked for, also while the item is not ready. Setting it starts and stops the sound. It becomes 0
    /// at the end of the item, where the session is interrupted, deactivated or given a category without output, and
    /// where the sound cannot be played: backwards, for one.
    ///
    /// Apple: `AVPlayer.rate`.
    open var rate: Float {
        get { core.rate }
        set { core.rate = newValue }
    }

    /// The rate of ``play()``.
    ///
    /// Apple: `AVPlayer.defaultRate`.
    open var defaultRate: Float {
        get { core.defaultRate }
        set { core.defaultRate = newValue }
    }

    /// Whether the sound is heard, or why not.
    ///
    /// Apple: `AVPlayer.timeControlStatus`.
    open var timeControlStatus: TimeControlStatus { core.timeControlStatus }

    /// Why the sound is not heard although it should be; nil if it is, or should not be.
    ///
    /// Apple: `AVPlayer.reasonForWaitingToPlay`.
    open var reasonForWaitingToPlay: WaitingReason? { core.reasonForWaitingToPlay }

    /// What happens at the end of the item: `pause`, as at first, sets the rate to 0; with `none` it stays, and the
    /// sound goes on with the next seek; `advance`, as at first in an ``AVQueuePlayer``, goes on with the next item.
    ///
    /// Another action than `none` is taken at once where the item has come to its end.
    ///
    /// Apple: `AVPlayer.actionAtItemEnd`.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { core.actionAtItemEnd }
        set { core.actionAtItemEnd = newValue }
    }

    /// Whether the player waits until enough of a stream is there to play on without a stall, and goes on by itself
    /// after one; files never need that.
    ///
    /// Otherwise it plays as soon as anything is there, and a stall sets the rate to 0.
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

    /// Whether the sound is not heard, at any volume.
    ///
    /// Apple: `AVPlayer.isMuted`.
    open var isMuted: Bool {
        get { core.isMuted }
        set { core.isMuted = newValue }
    }

    // MARK: Screens

    /// Whether a picture may be shown elsewhere, at first true; kept without effect: no picture is shown.
    ///
    /// Apple: `AVPlayer.allowsExternalPlayback`.
    open var allowsExternalPlayback: Bool {
        get { ignoredSettings.withLock { $0.allowsExternalPlayback } }
        set { ignoredSettings.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Whether a picture goes to another screen if there is one; kept without effect: no picture is shown.
    ///
    /// Apple: `AVPlayer.usesExternalPlaybackWhileExternalScreenIsActive`.
    open var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
        get { ignoredSettings.withLock { $0.usesExternalScreen } }
        set { ignoredSettings.withLock { $0.usesExternalScreen = newValue } }
    }

    /// Whether a picture is shown elsewhere, which is always false: no picture is shown.
    ///
    /// Apple: `AVPlayer.isExternalPlaybackActive`.
    open var isExternalPlaybackActive: Bool { false }

    /// Whether a picture keeps the screen on, at first true; kept without effect: sound keeps no screen on.
    ///
    /// Apple: `AVPlayer.preventsDisplaySleepDuringVideoPlayback`.
    open var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { ignoredSettings.withLock { $0.preventsDisplaySleep } }
        set { ignoredSettings.withLock { $0.preventsDisplaySleep = newValue } }
    }

    // MARK: Position

    /// The position that is heard now, or that playing goes on from; zero without an item.
    ///
    /// Apple: `AVPlayer.currentTime()`.
    open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Goes to a position, exact to the frame, and plays on from there if the rate is not 0.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    open func seek(to time: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame; tells on the main queue whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame; returns whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    @discardableResult
    open func seek(to time: CMTime) async -> Bool { await move(to: time) }

    /// Goes to a position, exact to the frame whatever would do.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame whatever would do; tells on the main queue whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame whatever would do; returns whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await move(to: time)
    }

    /// Goes to a date, where the item has dates, which none has here: nothing happens.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    open func seek(to date: Date) {}

    /// Goes to a date, where the item has dates, which none has here; tells so on the main queue, with false.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    open func seek(to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void) {
        onMain { completionHandler(false) }
    }

    /// All ways to seek: a subclass that overrides one of them is asked for that one only.
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

    /// Calls a block while the item plays: whenever its position is a multiple of an interval, and when the sound
    /// starts, stops or jumps.
    ///
    /// - Parameters:
    ///   - interval: In the item's time. One that is no time, or not more than zero, leaves starts, stops and jumps.
    ///   - queue: Where the block is called, nil for the main queue, or what was chosen with
    ///     `AVAudioSession.deliver(on:)`. It must be a serial one.
    ///   - block: Is given the position.
    /// - Returns: What ``removeTimeObserver(_:)`` takes.
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

    /// Calls a block whenever the item plays across one of some positions; a seek is no playing.
    ///
    /// - Parameters:
    ///   - times: Positions, as `NSValue(time:)`.
    ///   - queue: Where the block is called, nil for the main queue, or what was chosen with
    ///     `AVAudioSession.deliver(on:)`. It must be a serial one.
    ///   - block: What is called.
    /// - Returns: What ``removeTimeObserver(_:)`` takes.
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

    /// Calls an observer's block no more, but for a call that has begun.
    ///
    /// Apple: `AVPlayer.removeTimeObserver(_:)`.
    open func removeTimeObserver(_ observer: Any) {
        if let observer = observer as? TimeObserver { core.observers.remove(observer) }
    }
}
