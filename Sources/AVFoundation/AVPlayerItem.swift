internal import AVFAudio
internal import CoreMedia
internal import Foundation

/// A sound while a player has it: whether it can be played, and where it stands.
///
/// Its file is opened in the background as soon as it has a player. May be used from any thread; notifications are posted
/// on the main queue, with the item as their object.
///
/// Apple: `AVPlayerItem`.
// SAFETY: `owner` is guarded by `lock`; the sound guards itself.
open class AVPlayerItem: NSObject, @unchecked Sendable {
    /// Whether an item can be played.
    ///
    /// Apple: `AVPlayerItem.Status`.
    public enum Status: Int, Sendable {
        case unknown = 0
        case readyToPlay = 1
        case failed = 2
    }

    /// What is played.
    ///
    /// Apple: `AVPlayerItem.asset`.
    public let asset: AVAsset
    let sound: ItemSound
    private let lock = NSLock()
    private weak var owner: AVPlayer?

    /// An item of a file.
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
        self.asset = asset
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

    /// The length; indefinite until the file is open.
    ///
    /// Apple: `AVPlayerItem.duration`.
    open var duration: CMTime { sound.duration ?? .indefinite }

    /// What can be played at once: all of a file.
    ///
    /// Apple: `AVPlayerItem.loadedTimeRanges`.
    open var loadedTimeRanges: [NSValue] {
        sound.duration.map { [NSValue(timeRange: CMTimeRange(start: .zero, duration: $0))] } ?? []
    }

    /// Where ``seek(to:)`` can go: anywhere in a file.
    ///
    /// Apple: `AVPlayerItem.seekableTimeRanges`.
    open var seekableTimeRanges: [NSValue] { loadedTimeRanges }

    /// Whether nothing is there to be played.
    ///
    /// Apple: `AVPlayerItem.isPlaybackBufferEmpty`.
    open var isPlaybackBufferEmpty: Bool { status != .readyToPlay }

    /// Whether there is no need to load more.
    ///
    /// Apple: `AVPlayerItem.isPlaybackBufferFull`.
    open var isPlaybackBufferFull: Bool { status == .readyToPlay }

    /// Whether it will probably play without a stall.
    ///
    /// Apple: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
    open var isPlaybackLikelyToKeepUp: Bool { status == .readyToPlay }

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
    open func seek(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in move(to: time) { continuation.resume(returning: $0) } }
    }

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
        await seek(to: time)
    }

    /// Gives up seeks that are not done: those from before the file was open.
    ///
    /// Apple: `AVPlayerItem.cancelPendingSeeks()`.
    open func cancelPendingSeeks() { sound.cancelSeek() }

    /// All ways to seek.
    func move(to time: CMTime, _ completion: (@Sendable (Bool) -> Void)?) {
        guard time.isNumeric || time.isPositiveInfinity || time.isNegativeInfinity else {
            if let completion { onMain { completion(false) } }
            return
        }
        let player = player
        player?.willJump(self)
        sound.seek(to: time.seconds, completion: completion)
        player?.jumped(self)
        onMain { NotificationCenter.default.post(name: Self.timeJumpedNotification, object: self) }
    }

    // MARK: Its player

    /// The player that has this item; one at a time.
    private(set) var player: AVPlayer? {
        get { lock.withLock { owner } }
        set { lock.withLock { owner = newValue } }
    }

    /// Takes a player, and opens the file.
    func join(_ player: AVPlayer, session: AVAudioSession) {
        if let other = self.player {
            precondition(other === player, "An AVPlayerItem cannot be associated with more than one AVPlayer.")
        }
        self.player = player
        sound.open(session: session)
    }

    func leave() {
        player = nil
        sound.pause()
    }

    private func happened(_ event: ItemSound.Event) {
        player?.happened(event, to: self)
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
