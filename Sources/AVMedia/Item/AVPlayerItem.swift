internal import AVFAudio
internal import AudioFiles
internal import CoreMedia
internal import Foundation
internal import Locks

/// The sound of an asset in a player: its status, its position and its playback settings.
///
/// The file or stream is opened in the background as soon as the item has a player. May be used from any thread.
/// Notifications are posted on the main queue, with the item as their object. Reading a property waits for nothing,
/// also while another thread's command does; a seek waits for the sound server, for 2 s at most.
///
/// Apple: `AVPlayerItem`.
// SAFETY: everything mutable is guarded by `lock`, a leaf; `sound`, `settings` and `properties` guard themselves.
nonisolated open class AVPlayerItem: NSObject, @unchecked Sendable {
    /// The asset that the item plays.
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

    /// An item of an asset; all keys are loaded in any case.
    ///
    /// Apple: `AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)`.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
        source = asset
        sound = ItemSound(asset)
        super.init()
        sound.onEvent = { [weak self] event in self?.happened(event) }
    }

    // MARK: State

    /// Whether the item can be played; unknown until it has a player and its file or stream is open.
    ///
    /// Apple: `AVPlayerItem.status`.
    open var status: Status {
        switch sound.state {
        case .closed, .opening: .unknown
        case .ready: .readyToPlay
        case .failed: .failed
        }
    }

    /// The reason why the item cannot be played; nil in another status.
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

    /// The ranges that can be played at once, as objects that hold a `CMTimeRange`: the whole of a file, the loaded
    /// part of a stream.
    ///
    /// Apple: `AVPlayerItem.loadedTimeRanges`.
    open var loadedTimeRanges: [NSValue] {
        guard let stream = sound.stream else { return whole }
        guard let seconds = stream.outlook.loadedSeconds else { return [] }
        let start = CMTime(seconds: seconds.lowerBound, preferredTimescale: 1_000_000_000)
        let end = CMTime(seconds: seconds.upperBound, preferredTimescale: 1_000_000_000)
        return [NSValue(timeRange: CMTimeRange(start: start, end: end))]
    }

    /// The ranges in which ``seek(to:)`` succeeds: the whole of a file, and of a stream whose server serves parts of
    /// it; the loaded part of another stream.
    ///
    /// Apple: `AVPlayerItem.seekableTimeRanges`.
    open var seekableTimeRanges: [NSValue] { sound.stream?.format?.isSeekable == true ? whole : loadedTimeRanges }

    private var whole: [NSValue] {
        guard let duration = sound.duration, duration.isNumeric else { return [] }
        return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
    }

    /// Whether no sound is loaded beyond the position, so that playing stalls.
    ///
    /// Apple: `AVPlayerItem.isPlaybackBufferEmpty`.
    open var isPlaybackBufferEmpty: Bool { sound.stream?.outlook.isEmpty ?? (status != .readyToPlay) }

    /// Whether loading has stopped: the buffer is full, or the whole sound is loaded.
    ///
    /// Apple: `AVPlayerItem.isPlaybackBufferFull`.
    open var isPlaybackBufferFull: Bool { sound.stream?.outlook.isFull ?? (status == .readyToPlay) }

    /// Whether the item will probably play without a stall.
    ///
    /// Apple: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
    open var isPlaybackLikelyToKeepUp: Bool { sound.stream?.outlook.isLikelyToKeepUp ?? (status == .readyToPlay) }

    // MARK: Position

    /// The position that is heard now, or that playing goes on from; just after a pause an estimate.
    ///
    /// Waits for nothing.
    ///
    /// Apple: `AVPlayerItem.currentTime()`.
    open func currentTime() -> CMTime { sound.time }

    /// The date of the position; always nil, as no item has dates here.
    ///
    /// Apple: `AVPlayerItem.currentDate()`.
    open func currentDate() -> Date? { nil }

    /// Goes to a position, exact to the frame.
    ///
    /// This and all other seeks wait for the sound server, for 2 s at most; for the web server of a stream they do not
    /// wait.
    ///
    /// Apple: `AVPlayerItem.seek(to:)`.
    open func seek(to time: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame; reports on the main queue whether it got there.
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

    /// Goes to a position, exact to the frame at any tolerance; reports on the main queue whether it got there.
    ///
    /// Apple: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame at any tolerance; returns whether it got there.
    ///
    /// Apple: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:)`.
    @discardableResult
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await move(to: time)
    }

    /// Returns false: no item has dates here.
    ///
    /// The completion handler is not called.
    ///
    /// Apple: `AVPlayerItem.seek(to:completionHandler:)`.
    @discardableResult
    open func seek(to date: Date, completionHandler: (@Sendable (Bool) -> Void)? = nil) -> Bool { false }

    /// Gives up pending seeks: one from before the file was open, and one that the web server has not answered.
    ///
    /// Does not wait for the sound server.
    ///
    /// Apple: `AVPlayerItem.cancelPendingSeeks()`.
    open func cancelPendingSeeks() { sound.cancelSeek() }

    private func move(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in move(to: time) { continuation.resume(returning: $0) } }
    }

    /// The implementation of all seeks: each overridable method calls this one, and no other overridable one.
    func move(to time: CMTime, _ completion: (@Sendable (Bool) -> Void)?) {
        guard time.isNumeric || time.isPositiveInfinity || time.isNegativeInfinity else {
            if let completion { onMain { completion(false) } }
            return
        }
        let core = core
        core?.willJump(self)
        sound.seek(to: time.seconds) { [weak self] isDone in
            // A seek that was refused, or given up for a later one, is no jump.
            if isDone, let self {
                NotificationCenter.default.post(name: Self.timeJumpedNotification, object: self)
            }
            completion?(isDone)
        }
        core?.jumped(self)
    }

    // MARK: How it plays

    /// The algorithm that keeps the pitch at other rates than 1; by default `timeDomain`.
    ///
    /// All algorithms are the same here. `varispeed`, which changes the pitch, is refused: the property stays as it
    /// was.
    ///
    /// Apple: `AVPlayerItem.audioTimePitchAlgorithm`.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { settings.withLock { $0.pitch } }
        set { if newValue != .varispeed { settings.withLock { $0.pitch = newValue } } }
    }

    /// The time at which playing ends, if it is before the end of the sound; by default invalid.
    ///
    /// At that time the player takes its ``AVPlayer/actionAtItemEnd``, and ``didPlayToEndTimeNotification`` is posted.
    /// Nothing more is heard until a seek, or until this property is set again. The time is noticed by a boundary
    /// observer, which may be late; a pause then takes back the frames that the server has not played, so that the
    /// sound ends within a cycle of the server of that time. Setting it may start the sound, and waits for the sound
    /// server, for 2 s at most.
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

    /// The time at which playing backwards ends; always invalid, since no item plays backwards here.
    ///
    /// Apple: `AVPlayerItem.reversePlaybackEndTime`.
    open var reversePlaybackEndTime: CMTime {
        get { .invalid }
        set {}
    }

    /// The seconds of a stream that are loaded ahead of the listener; 0, the default, for the player's choice, 20 s.
    ///
    /// At least 1 s is loaded, and at most as much as decoded fits into 32 MB: 95 s of two channels at 44.1 kHz. A
    /// change counts at once. Setting it may wait for another thread's command.
    ///
    /// Apple: `AVPlayerItem.preferredForwardBufferDuration`.
    open var preferredForwardBufferDuration: TimeInterval {
        get { sound.forwardBuffer }
        set { sound.forwardBuffer = newValue }
    }

    /// The highest bit rate of a stream with variants, in bits a second; 0, the default, for no limit.
    ///
    /// Of the variants of an HLS stream the best one below the limit is played, or else the one with the lowest rate;
    /// without a limit the first one. It counts when the stream is opened: a change after that has no effect. Setting
    /// it may wait for another thread's command.
    ///
    /// Apple: `AVPlayerItem.preferredPeakBitRate`.
    open var preferredPeakBitRate: Double {
        get { sound.peakBitRate }
        set { sound.peakBitRate = newValue }
    }

    /// Whether a live stream is loaded while paused; stored without effect: it is, until the buffer is full.
    ///
    /// Apple: `AVPlayerItem.canUseNetworkResourcesForLiveStreamingWhilePaused`.
    open var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { settings.withLock { $0.loadsWhilePaused } }
        set { settings.withLock { $0.loadsWhilePaused = newValue } }
    }

    // MARK: Metadata

    /// A radio's title of the sound that is heard now; nil if the radio has sent none.
    ///
    /// Apple: `AVPlayerItem.timedMetadata`.
    open var timedMetadata: [AVMetadataItem]? { lock.withLock { announcement } }

    /// The receivers of the item's timed metadata.
    ///
    /// Apple: `AVPlayerItem.outputs`.
    open var outputs: [AVPlayerItemOutput] { lock.withLock { outputList } }

    /// Adds a receiver of timed metadata.
    ///
    /// Apple: `AVPlayerItem.add(_:)`.
    open func add(_ output: AVPlayerItemOutput) {
        lock.withLock { if !outputList.contains(where: { $0 === output }) { outputList.append(output) } }
    }

    /// Removes a receiver of timed metadata.
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

    /// The network's statistics so far; nil for a file, and until a stream is open.
    ///
    /// Apple: `AVPlayerItem.accessLog()`.
    open func accessLog() -> AVPlayerItemAccessLog? {
        guard let report = sound.report else { return nil }
        return AVPlayerItemAccessLog([AVPlayerItemAccessLogEvent(report, url: source.location)])
    }

    /// The network's errors so far; nil if there were none, and for a file.
    ///
    /// Apple: `AVPlayerItem.errorLog()`.
    open func errorLog() -> AVPlayerItemErrorLog? {
        let events = errorEvents
        return events.isEmpty ? nil : AVPlayerItemErrorLog(events)
    }

    /// The network's errors.
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

    /// The limit of the error log: a playlist may lose segments for days.
    private static let mostErrors = 1000

    // MARK: Its player

    /// The core of the item's player; nil when the app has let go of the player.
    var core: AVPlayerCore? { lock.withLock { owner } }

    /// Waits until the item's former player is released, if only callbacks in progress keep it; for 2 s at most.
    func awaitRelease(for new: AVPlayerCore) {
        if let core, core !== new { core.callbacks.awaitEnd() }
    }

    /// Associates the item with a player; within a command of that player.
    func join(_ new: AVPlayerCore) {
        let isFree = lock.withLock {
            guard owner == nil || owner === new else { return false }
            owner = new
            return true
        }
        precondition(isFree, "An AVPlayerItem cannot be associated with more than one AVPlayer.")
        watchForwardEnd()
    }

    /// Stops the item, and ends its association with a player; within a command of that player.
    func leave(_ old: AVPlayerCore) {
        guard core === old else { return }
        // First: another player may take the item and play it at once.
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
        // After the player's own reaction, and in order with its notifications.
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
