internal import AVFAudio
internal import AudioFiles
internal import CoreMedia
internal import Foundation
internal import Locks

/// A sound while a player has it: whether it can be played, and where it stands.
///
/// Its file is opened in the background as soon as it has a player. May be used from any thread; notifications are
/// posted on the main queue, with the item as their object.
///
/// Apple: `AVPlayerItem`.
// SAFETY: everything mutable is guarded by `lock`; the sound guards itself.
nonisolated open class AVPlayerItem: NSObject, @unchecked Sendable {
    /// What is played.
    ///
    /// Apple: `AVPlayerItem.asset`.
    open var asset: AVAsset { source }
    private let source: AVAsset
    let sound: ItemSound
    let properties = PropertyObservers()
    let settings = Guarded(PlayerItemSettings())
    private let lock = NSLock()
    private weak var owner: AVPlayerCore?
    private var announcement: [AVMetadataItem]?
    private var outputList: [AVPlayerItemOutput] = []
    private var errorList: [AVPlayerItemErrorLogEvent] = []

    /// An item of a file, or of an http or https address.
    ///
    /// Apple: `AVPlayerItem.init(url:)`.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// An item of an asset.
    ///
    /// Apple: `AVPlayerItem.init(asset:)`.
    public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }

    /// An item of an asset; what there is to know of it is loaded in any case.
    ///
    /// Apple: `AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)`.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
        source = asset
        sound = ItemSound(asset)
        super.init()
        sound.onEvent = { [weak self] event in self?.happened(event) }
    }

    // MARK: State

    /// Whether the item can be played; unknown until a player has it and its file is open.
    ///
    /// Apple: `AVPlayerItem.status`.
    open var status: Status {
        switch sound.state {
        case .closed, .opening: .unknown
        case .ready: .readyToPlay
        case .failed: .failed
        }
    }

    /// Why the item cannot be played.
    ///
    /// Apple: `AVPlayerItem.error`.
    open var error: (any Error)? {
        if case .failed(let error) = sound.state { error } else { nil }
    }

    /// The length; indefinite until the file is open, and for a stream that has no end.
    ///
    /// Apple: `AVPlayerItem.duration`.
    open var duration: CMTime { sound.duration ?? .indefinite }

    // MARK: Buffer

    /// What can be played at once, as objects that hold a `CMTimeRange`: all of a file, and of a stream what is loaded.
    ///
    /// Apple: `AVPlayerItem.loadedTimeRanges`.
    open var loadedTimeRanges: [NSValue] {
        guard let stream = sound.stream else { return whole }
        guard let seconds = stream.loadedSeconds else { return [] }
        let start = CMTime(seconds: seconds.lowerBound, preferredTimescale: 1_000_000_000)
        let end = CMTime(seconds: seconds.upperBound, preferredTimescale: 1_000_000_000)
        return [NSValue(timeRange: CMTimeRange(start: start, end: end))]
    }

    /// Where ``seek(to:)`` can go: anywhere in a file, and in a stream whose server gives parts of it; else where
    /// something is loaded.
    ///
    /// Apple: `AVPlayerItem.seekableTimeRanges`.
    open var seekableTimeRanges: [NSValue] { sound.stream?.format?.isSeekable == true ? whole : loadedTimeRanges }

    private var whole: [NSValue] {
        guard let duration = sound.duration, duration.isNumeric else { return [] }
        return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
    }

    /// Whether nothing is there to be played, so that playing stalls.
    ///
    /// Apple: `AVPlayerItem.isPlaybackBufferEmpty`.
    open var isPlaybackBufferEmpty: Bool { sound.stream?.isBufferEmpty ?? (status != .readyToPlay) }

    /// Whether no more is loaded for now: as much is there as is kept, or all there is.
    ///
    /// Apple: `AVPlayerItem.isPlaybackBufferFull`.
    open var isPlaybackBufferFull: Bool { sound.stream?.isBufferFull ?? (status == .readyToPlay) }

    /// Whether it will probably play without a stall.
    ///
    /// Apple: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
    open var isPlaybackLikelyToKeepUp: Bool { sound.stream?.isLikelyToKeepUp ?? (status == .readyToPlay) }

    // MARK: Position

    /// The position that is heard now, or that playing goes on from.
    ///
    /// Apple: `AVPlayerItem.currentTime()`.
    open func currentTime() -> CMTime { sound.time }

    /// Goes to a position, exact to the frame.
    ///
    /// Apple: `AVPlayerItem.seek(to:)`.
    open func seek(to time: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame; tells on the main queue whether it got there.
    ///
    /// Apple: `AVPlayerItem.seek(to:completionHandler:)`.
    open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame; returns whether it got there.
    ///
    /// Apple: `AVPlayerItem.seek(to:)`.
    @discardableResult
    open func seek(to time: CMTime) async -> Bool { await move(to: time) }

    /// Goes to a position, exact to the frame whatever would do; tells on the main queue whether it got there.
    ///
    /// Apple: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame whatever would do; returns whether it got there.
    ///
    /// Apple: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:)`.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await move(to: time)
    }

    /// Goes to a date: always false, since nothing that plays here has dates.
    ///
    /// The completion handler is not called then.
    ///
    /// Apple: `AVPlayerItem.seek(to:completionHandler:)`.
    @discardableResult
    open func seek(to date: Date, completionHandler: (@Sendable (Bool) -> Void)? = nil) -> Bool { false }

    /// Gives up seeks that are not done: those from before the file was open, and those that a server has not answered.
    ///
    /// Apple: `AVPlayerItem.cancelPendingSeeks()`.
    open func cancelPendingSeeks() { sound.cancelSeek() }

    private func move(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in move(to: time) { continuation.resume(returning: $0) } }
    }

    /// All ways to seek: a subclass that overrides one of them is asked for that one only.
    func move(to time: CMTime, _ completion: (@Sendable (Bool) -> Void)?) {
        guard time.isNumeric || time.isPositiveInfinity || time.isNegativeInfinity else {
            if let completion { onMain { completion(false) } }
            return
        }
        let core = core
        core?.willJump(self)
        sound.seek(to: time.seconds) { [weak self] isDone in
            // One that was refused, or given up for another one, is no jump.
            if isDone, let self {
                NotificationCenter.default.post(name: Self.timeJumpedNotification, object: self)
            }
            completion?(isDone)
        }
        core?.jumped(self)
    }

    // MARK: How it plays

    /// How the pitch is kept at other rates than 1; at first `timeDomain`.
    ///
    /// All keep the pitch in the same way. `varispeed`, which would not, is not taken: the property stays as it was.
    ///
    /// Apple: `AVPlayerItem.audioTimePitchAlgorithm`.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { settings.withLock { $0.pitch } }
        set { if newValue != .varispeed { settings.withLock { $0.pitch = newValue } } }
    }

    /// Where playing ends, if that is before the end of the sound; at first invalid.
    ///
    /// The player does there what its ``AVPlayer/actionAtItemEnd`` says, and ``didPlayToEndTimeNotification`` is
    /// posted; nothing more is heard until a seek, or until this is set again. What notices is a boundary observer,
    /// late by as much as the machine is; a pause then takes back what the server has not played yet, so that the sound
    /// ends within a cycle of the server of the time asked for.
    ///
    /// Apple: `AVPlayerItem.forwardPlaybackEndTime`.
    open var forwardPlaybackEndTime: CMTime {
        get { settings.withLock { $0.forwardEnd } }
        set {
            settings.withLock { $0.forwardEnd = newValue }
            let wasEnded = sound.forgetForwardEnd()
            watchForwardEnd()
            // A player that was left playing there goes on.
            if wasEnded { core?.jumped(self) }
        }
    }

    /// Where playing backwards ends; nothing here plays backwards, so it stays invalid.
    ///
    /// Apple: `AVPlayerItem.reversePlaybackEndTime`.
    open var reversePlaybackEndTime: CMTime {
        get { .invalid }
        set {}
    }

    /// How many seconds of a stream are loaded ahead, 0 for the player's choice; kept without effect: it is some 20.
    ///
    /// Apple: `AVPlayerItem.preferredForwardBufferDuration`.
    open var preferredForwardBufferDuration: TimeInterval {
        get { settings.withLock { $0.forwardBuffer } }
        set { settings.withLock { $0.forwardBuffer = newValue } }
    }

    /// The most bits a second of a stream with variants, 0 for no limit; kept without effect: the first one is played.
    ///
    /// Apple: `AVPlayerItem.preferredPeakBitRate`.
    open var preferredPeakBitRate: Double {
        get { settings.withLock { $0.peakBitRate } }
        set { settings.withLock { $0.peakBitRate = newValue } }
    }

    /// Whether a live stream is loaded also while paused; kept without effect: it is, until the buffer is full.
    ///
    /// Apple: `AVPlayerItem.canUseNetworkResourcesForLiveStreamingWhilePaused`.
    open var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { settings.withLock { $0.loadsWhilePaused } }
        set { settings.withLock { $0.loadsWhilePaused = newValue } }
    }

    // MARK: Metadata

    /// What a radio says of the sound that is heard now; nil if it has said nothing.
    ///
    /// Apple: `AVPlayerItem.timedMetadata`.
    open var timedMetadata: [AVMetadataItem]? { lock.withLock { announcement } }

    /// Who is told of what belongs to the sound.
    ///
    /// Apple: `AVPlayerItem.outputs`.
    open var outputs: [AVPlayerItemOutput] { lock.withLock { outputList } }

    /// Tells an output of what belongs to the sound, from now on.
    ///
    /// Apple: `AVPlayerItem.add(_:)`.
    open func add(_ output: AVPlayerItemOutput) {
        lock.withLock { if !outputList.contains(where: { $0 === output }) { outputList.append(output) } }
    }

    /// Tells an output no more.
    ///
    /// Apple: `AVPlayerItem.remove(_:)`.
    open func remove(_ output: AVPlayerItemOutput) { lock.withLock { outputList.removeAll { $0 === output } } }

    private func announced(_ text: String, at seconds: Double) {
        let time = CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
        let items = AVMetadataItem.items(radio: text, at: time)
        guard !items.isEmpty else { return }
        let outputs = lock.withLock {
            announcement = items
            return outputList
        }
        let group = AVTimedMetadataGroup(
            items: items, timeRange: CMTimeRange(start: time, duration: .positiveInfinity))
        for output in outputs { (output as? AVPlayerItemMetadataOutput)?.tell(group) }
    }

    // MARK: Logs

    /// What the network has given so far; nil for a file, and until a stream is open.
    ///
    /// Apple: `AVPlayerItem.accessLog()`.
    open func accessLog() -> AVPlayerItemAccessLog? {
        guard let report = sound.report else { return nil }
        return AVPlayerItemAccessLog([AVPlayerItemAccessLogEvent(report, url: source.location)])
    }

    /// What the network has refused or broken so far; nil if it has done neither, and for a file.
    ///
    /// Apple: `AVPlayerItem.errorLog()`.
    open func errorLog() -> AVPlayerItemErrorLog? {
        let events = errorEvents
        return events.isEmpty ? nil : AVPlayerItemErrorLog(events)
    }

    /// What the network has refused or broken.
    var errorEvents: [AVPlayerItemErrorLogEvent] { lock.withLock { errorList } }

    private func log(_ event: ItemSound.Event) {
        switch event {
        case .opened:
            if let error = error as NSError? { return log(error, uri: source.location.absoluteString) }
            onMain { NotificationCenter.default.post(name: Self.newAccessLogEntryNotification, object: self) }
        case .ended(let error?): log(error, uri: source.location.absoluteString)
        case .partFailed(let error, let uri): log(error, uri: uri)
        default: return
        }
    }

    private func log(_ error: NSError, uri: String) {
        lock.withLock {
            if errorList.count == Self.mostErrors { errorList.removeFirst() }
            errorList.append(AVPlayerItemErrorLogEvent(error, uri: uri))
        }
        onMain { NotificationCenter.default.post(name: Self.newErrorLogEntryNotification, object: self) }
    }

    /// A list that loses segments for days does not fill the memory.
    private static let mostErrors = 1000

    // MARK: Its player

    /// What has this item: its player's core, until the app lets go of the player.
    var core: AVPlayerCore? { lock.withLock { owner } }

    /// Lets a player go first that is kept for nothing but to tell of it.
    func awaitRelease(for new: AVPlayerCore) {
        if let core, core !== new { core.callbacks.awaitEnd() }
    }

    /// Takes a player.
    func join(_ new: AVPlayerCore) {
        let isFree = lock.withLock {
            guard owner == nil || owner === new else { return false }
            owner = new
            return true
        }
        precondition(isFree, "An AVPlayerItem cannot be associated with more than one AVPlayer.")
        watchForwardEnd()
    }

    /// Stops, and has no player any more, unless it has another one by now.
    func leave(_ old: AVPlayerCore) {
        guard core === old else { return }
        // First: whoever takes it then may play it at once.
        sound.pause()
        lock.withLock { if owner === old { owner = nil } }
        watchForwardEnd()
    }

    func happened(_ event: ItemSound.Event) {
        defer { properties.changed() }
        core?.happened(event, to: self)
        if case .stalled = event {
            onMain { NotificationCenter.default.post(name: Self.playbackStalledNotification, object: self) }
        }
        if case .announced(let text, let seconds) = event { announced(text, at: seconds) }
        if source.isStream { log(event) }
        guard case .ended(let error) = event else { return }
        // After what the player does about it, and in order with what it tells.
        onMain {
            guard let error else {
                return NotificationCenter.default.post(name: Self.didPlayToEndTimeNotification, object: self)
            }
            NotificationCenter.default.post(
                name: Self.failedToPlayToEndTimeNotification, object: self,
                userInfo: [AVPlayerItemFailedToPlayToEndTimeErrorKey: error])
        }
    }
}
