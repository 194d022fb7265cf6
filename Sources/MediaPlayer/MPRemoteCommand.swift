public import Foundation

/// The result of a command.
///
/// Apple: `MPRemoteCommandHandlerStatus`.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// The command was carried out.
    case success = 0
    /// The requested content does not exist.
    case noSuchContent = 100
    /// No item is playing.
    case noActionableNowPlayingItem = 110
    /// The device is missing.
    case deviceNotFound = 120
    /// The command failed.
    case commandFailed = 200
}

/// A command that a remote control can send to the app.
///
/// A command is offered while it is enabled and has targets. The sender gets an error unless a target returns
/// `success`. All members can be used from any thread; targets are called on the main queue.
///
/// Apple: `MPRemoteCommand`.
// SAFETY: everything mutable is guarded by `lock`; targets are called on the main queue only.
nonisolated open class MPRemoteCommand: NSObject, @unchecked Sendable {
    typealias Handler = (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus

    /// A handler with an identity, for its removal.
    private final class Target: NSObject {
        let handler: Handler
        init(_ handler: @escaping Handler) { self.handler = handler }
    }

    private let lock = NSLock()
    private var targets: [Target] = []
    private var isOn = true

    override init() {}

    /// Whether the command is enabled; at first true.
    ///
    /// Apple: `MPRemoteCommand.isEnabled`; MPRIS: `CanPlay` and its like.
    open var isEnabled: Bool {
        get { withLock { isOn } }
        set { change { isOn = newValue } }
    }

    /// Adds a handler, which is called on the main queue for each such command until it is removed.
    ///
    /// All targets are called; the command succeeds if one of them returns `success`.
    ///
    /// - Parameter handler: Carries out the command, and returns its result.
    /// - Returns: The target, for ``removeTarget(_:)``.
    ///
    /// Apple: `MPRemoteCommand.addTarget(handler:)`; `addTarget(_:action:)` needs selectors, which Linux does not have.
    @discardableResult
    open func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
        let target = Target(handler)
        change { targets.append(target) }
        return target
    }

    /// Removes a target; nil removes all targets.
    ///
    /// Any other value than one from ``addTarget(handler:)`` has no effect.
    ///
    /// Apple: `MPRemoteCommand.removeTarget(_:)`.
    open func removeTarget(_ target: Any?) {
        // Released without the lock: a handler may hold the last reference to a player that plays, or to an object that
        // removes targets in its `deinit`.
        let old = withLock {
            defer { targets = target.map { gone in targets.filter { $0 !== gone as AnyObject } } ?? [] }
            return targets
        }
        NowPlaying.shared.commandsChanged()
        withExtendedLifetime(old) {}
    }

    // MARK: Within the module

    /// Whether the command is offered.
    var isUsable: Bool { withLock { isOn && !targets.isEmpty } }
    /// Whether the command has targets, enabled or not.
    var isHandled: Bool { withLock { !targets.isEmpty } }

    func withLock<Value>(_ body: () -> Value) -> Value { lock.withLock(body) }

    /// Changes a value that remote controls see.
    func change(_ body: () -> Void) {
        lock.withLock(body)
        NowPlaying.shared.commandsChanged()
    }

    /// Calls all targets, on the main queue.
    func send(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
        guard isUsable else { return .commandFailed }
        // A target may remove another one.
        let statuses = withLock { targets }.compactMap { target in
            withLock { targets.contains { $0 === target } } ? target.handler(event) : nil
        }
        return statuses.contains(.success) ? .success : statuses.first ?? .commandFailed
    }
}

/// A command to skip a stretch of time.
///
/// Apple: `MPSkipIntervalCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    private var intervals: [NSNumber] = []

    /// The app's preferred distances, in seconds.
    ///
    /// Remote controls on Linux send their own: use the event's `interval`.
    ///
    /// Apple: `MPSkipIntervalCommand.preferredIntervals`.
    open var preferredIntervals: [NSNumber] {
        get { withLock { intervals } }
        set { change { intervals = newValue } }
    }
}

/// A command to play faster or slower.
///
/// Apple: `MPChangePlaybackRateCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private var rates: [NSNumber] = []

    /// The playback rates that the app supports; at first empty.
    ///
    /// A requested rate is replaced by the nearest supported one. An empty list supports all rates from 0.5 to 2.
    ///
    /// Apple: `MPChangePlaybackRateCommand.supportedPlaybackRates`; MPRIS: `MinimumRate`, `MaximumRate`.
    open var supportedPlaybackRates: [NSNumber] {
        get { withLock { rates } }
        set { change { rates = newValue } }
    }

    private var possible: [Double] { supportedPlaybackRates.map(\.doubleValue).filter { $0.isFinite && $0 > 0 } }

    /// The range from the slowest to the fastest rate; 1 is always inside.
    var range: ClosedRange<Double> {
        let possible = possible
        return possible.isEmpty ? 0.5...2 : min(1, possible.min() ?? 1)...max(1, possible.max() ?? 1)
    }

    /// The supported rate nearest to `rate`.
    func nearest(_ rate: Double) -> Double { possible.min { abs($0 - rate) < abs($1 - rate) } ?? rate }
}

/// A command to go to a position.
///
/// Apple: `MPChangePlaybackPositionCommand`; MPRIS: `SetPosition`, `Seek`.
// SAFETY: as in its superclass.
nonisolated open class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// A command to change the repeat mode.
///
/// Apple: `MPChangeRepeatModeCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private var type = MPRepeatType.off

    /// The app's current repeat mode; at first off.
    ///
    /// Apple: `MPChangeRepeatModeCommand.currentRepeatType`; MPRIS: `LoopStatus`.
    open var currentRepeatType: MPRepeatType {
        get { withLock { type } }
        set { change { type = newValue } }
    }
}

/// A command to change the shuffle mode.
///
/// Apple: `MPChangeShuffleModeCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private var type = MPShuffleType.off

    /// The app's current shuffle mode; at first off.
    ///
    /// Apple: `MPChangeShuffleModeCommand.currentShuffleType`; MPRIS: `Shuffle`.
    open var currentShuffleType: MPShuffleType {
        get { withLock { type } }
        set { change { type = newValue } }
    }
}

/// A command to rate the current item. MPRIS has no such request: the values are only published.
///
/// Apple: `MPRatingCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
    private var limits: (least: Float, most: Float) = (0, 5)

    /// The worst rating; at first 0.
    ///
    /// Apple: `MPRatingCommand.minimumRating`.
    open var minimumRating: Float {
        get { withLock { limits.least } }
        set { change { limits.least = newValue } }
    }

    /// The best rating; at first 5.
    ///
    /// Apple: `MPRatingCommand.maximumRating`.
    open var maximumRating: Float {
        get { withLock { limits.most } }
        set { change { limits.most = newValue } }
    }
}

/// A command to like, dislike or bookmark the current item. MPRIS has no such request: the values are only published.
///
/// Apple: `MPFeedbackCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private var shown: (isActive: Bool, title: String, shortTitle: String) = (false, "", "")

    /// Whether the user has given this feedback already; at first false.
    ///
    /// Apple: `MPFeedbackCommand.isActive`.
    open var isActive: Bool {
        get { withLock { shown.isActive } }
        set { change { shown.isActive = newValue } }
    }

    /// The command's title; at first empty.
    ///
    /// Apple: `MPFeedbackCommand.localizedTitle`.
    open var localizedTitle: String {
        get { withLock { shown.title } }
        set { change { shown.title = newValue } }
    }

    /// The command's title where space is short; at first empty.
    ///
    /// Apple: `MPFeedbackCommand.localizedShortTitle`.
    open var localizedShortTitle: String {
        get { withLock { shown.shortTitle } }
        set { change { shown.shortTitle = newValue } }
    }
}

/// A command to change the app's own volume, on **Linux only**: remote controls have a slider for it.
///
/// MPRIS: `Volume`.
// SAFETY: as in its superclass.
nonisolated open class MPChangeVolumeCommand: MPRemoteCommand, @unchecked Sendable {
    private var loudness: Float = 1

    /// The app's current volume, from 0 to 1; at first 1.
    ///
    /// Linux only.
    open var currentVolume: Float {
        get { withLock { loudness } }
        set { change { loudness = newValue } }
    }
}
