public import Foundation

/// What became of a command.
///
/// Apple: `MPRemoteCommandHandlerStatus`.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// It was done.
    case success = 0
    /// There is nothing that it could be done with.
    case noSuchContent = 100
    /// Nothing plays.
    case noActionableNowPlayingItem = 110
    /// The device is not there.
    case deviceNotFound = 120
    /// It was tried, and did not work.
    case commandFailed = 200
}

/// Something that a remote control can ask the app for.
///
/// It is offered while it is enabled and has targets; where no target says `success`, whoever asked gets an error. All
/// members may be used from any thread; targets are called on the main queue.
///
/// Apple: `MPRemoteCommand`.
// SAFETY: everything mutable is guarded by `lock`; targets are called on the main queue only.
nonisolated open class MPRemoteCommand: NSObject, @unchecked Sendable {
    typealias Handler = (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus

    /// Names a target.
    private final class Target: NSObject {
        let handler: Handler
        init(_ handler: @escaping Handler) { self.handler = handler }
    }

    private let lock = NSLock()
    private var targets: [Target] = []
    private var isOn = true

    override init() {}

    /// Whether the app can do it now; at first true.
    ///
    /// Apple: `MPRemoteCommand.isEnabled`; MPRIS: `CanPlay` and its like.
    open var isEnabled: Bool {
        get { withLock { isOn } }
        set { change { isOn = newValue } }
    }

    /// Has a handler called, on the main queue, whenever somebody asks for it; it stays until the target is removed.
    ///
    /// With several targets all are called; the command worked if one of them says so.
    ///
    /// - Parameter handler: Does what is asked, and says what became of it.
    /// - Returns: What ``removeTarget(_:)`` takes.
    ///
    /// Apple: `MPRemoteCommand.addTarget(handler:)`; `addTarget(_:action:)` needs selectors, which Linux does not have.
    @discardableResult
    open func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
        let target = Target(handler)
        change { targets.append(target) }
        return target
    }

    /// Removes a target; nil, or anything else that ``addTarget(handler:)`` did not return, removes all or none.
    ///
    /// Apple: `MPRemoteCommand.removeTarget(_:)`.
    open func removeTarget(_ target: Any?) {
        // They are let go of without the lock: a handler may keep the last reference to a player that plays, or to
        // something that removes targets when it ends.
        let old = withLock {
            defer { targets = target.map { gone in targets.filter { $0 !== gone as AnyObject } } ?? [] }
            return targets
        }
        NowPlaying.shared.commandsChanged()
        withExtendedLifetime(old) {}
    }

    // MARK: Within the module

    /// Whether it is offered.
    var isUsable: Bool { withLock { isOn && !targets.isEmpty } }
    /// Whether the app handles it at all, be it enabled now or not.
    var isHandled: Bool { withLock { !targets.isEmpty } }

    func withLock<Value>(_ body: () -> Value) -> Value { lock.withLock(body) }

    /// Changes something that remote controls may see.
    func change(_ body: () -> Void) {
        lock.withLock(body)
        NowPlaying.shared.commandsChanged()
    }

    /// Calls all targets, on the main queue.
    func send(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
        guard isUsable else { return .commandFailed }
        // One target may remove another.
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

    /// How far the app would like to skip, in seconds; remote controls on Linux bring their own, so go by the event.
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

    /// How fast the app can play; at first not said.
    ///
    /// A remote control's wish becomes the nearest of them; none means anything from 0.5 to 2.
    ///
    /// Apple: `MPChangePlaybackRateCommand.supportedPlaybackRates`; MPRIS: `MinimumRate`, `MaximumRate`.
    open var supportedPlaybackRates: [NSNumber] {
        get { withLock { rates } }
        set { change { rates = newValue } }
    }

    private var possible: [Double] { supportedPlaybackRates.map(\.doubleValue).filter { $0.isFinite && $0 > 0 } }

    /// From the slowest to the fastest; 1 is always among them.
    var range: ClosedRange<Double> {
        let possible = possible
        return possible.isEmpty ? 0.5...2 : min(1, possible.min() ?? 1)...max(1, possible.max() ?? 1)
    }

    /// The rate that comes nearest.
    func nearest(_ rate: Double) -> Double { possible.min { abs($0 - rate) < abs($1 - rate) } ?? rate }
}

/// A command to go to a position.
///
/// Apple: `MPChangePlaybackPositionCommand`; MPRIS: `SetPosition`, `Seek`.
// SAFETY: as in its superclass.
nonisolated open class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// A command to play something again, or not.
///
/// Apple: `MPChangeRepeatModeCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private var type = MPRepeatType.off

    /// What the app repeats now; at first nothing.
    ///
    /// Apple: `MPChangeRepeatModeCommand.currentRepeatType`; MPRIS: `LoopStatus`.
    open var currentRepeatType: MPRepeatType {
        get { withLock { type } }
        set { change { type = newValue } }
    }
}

/// A command to play in another order, or not.
///
/// Apple: `MPChangeShuffleModeCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private var type = MPShuffleType.off

    /// What the app shuffles now; at first nothing.
    ///
    /// Apple: `MPChangeShuffleModeCommand.currentShuffleType`; MPRIS: `Shuffle`.
    open var currentShuffleType: MPShuffleType {
        get { withLock { type } }
        set { change { type = newValue } }
    }
}

/// A command to rate what plays; kept for the app, since MPRIS does not know it.
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

/// A command to like, dislike or bookmark what plays; kept for the app, since MPRIS does not know it.
///
/// Apple: `MPFeedbackCommand`.
// SAFETY: as in its superclass.
nonisolated open class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private var shown: (isActive: Bool, title: String, shortTitle: String) = (false, "", "")

    /// Whether the user has done it already; at first false.
    ///
    /// Apple: `MPFeedbackCommand.isActive`.
    open var isActive: Bool {
        get { withLock { shown.isActive } }
        set { change { shown.isActive = newValue } }
    }

    /// What it is called; at first empty.
    ///
    /// Apple: `MPFeedbackCommand.localizedTitle`.
    open var localizedTitle: String {
        get { withLock { shown.title } }
        set { change { shown.title = newValue } }
    }

    /// What it is called where there is little room; at first empty.
    ///
    /// Apple: `MPFeedbackCommand.localizedShortTitle`.
    open var localizedShortTitle: String {
        get { withLock { shown.shortTitle } }
        set { change { shown.shortTitle = newValue } }
    }
}

/// A command to change the app's own loudness, on **Linux only**: remote controls have a slider for it.
///
/// MPRIS: `Volume`.
// SAFETY: as in its superclass.
nonisolated open class MPChangeVolumeCommand: MPRemoteCommand, @unchecked Sendable {
    private var loudness: Float = 1

    /// How loud the app is now, from 0 to 1; at first 1.
    ///
    /// Linux only.
    open var currentVolume: Float {
        get { withLock { loudness } }
        set { change { loudness = newValue } }
    }
}
