public import Dispatch
public import Foundation

/// Takes something of an item while it plays.
///
/// Apple: `AVPlayerItemOutput`.
// SAFETY: it has no state of its own; the one that has guards it.
nonisolated open class AVPlayerItemOutput: NSObject, @unchecked Sendable {}

/// Tells of the metadata of an item when it comes to be heard: what a radio says of what it plays.
///
/// Apple: `AVPlayerItemMetadataOutput`.
// SAFETY: everything mutable is guarded by `lock`.
nonisolated open class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
    private let lock = NSLock()
    private weak var receiver: (any AVPlayerItemMetadataOutputPushDelegate)?
    private var receiverQueue: DispatchQueue?

    /// An output for some kinds of metadata, nil for all; here all are told in any case.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.init(identifiers:)`.
    public init(identifiers: [String]?) { super.init() }

    /// Who is told.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.delegate`.
    open var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? { lock.withLock { receiver } }

    /// Where the delegate is called.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.delegateQueue`.
    open var delegateQueue: DispatchQueue? { lock.withLock { receiverQueue } }

    /// Chooses who is told, and where; nil for the main queue, or what was chosen with `AVAudioSession.deliver(on:)`.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.setDelegate(_:queue:)`.
    open func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue: DispatchQueue?) {
        lock.withLock {
            receiver = delegate
            receiverQueue = queue
        }
    }

    func tell(_ group: AVTimedMetadataGroup) {
        deliver(on: delegateQueue) { [self] in
            delegate?.metadataOutput(self, didOutputTimedMetadataGroups: [group], from: nil)
        }
    }
}

/// Is told of metadata.
///
/// Apple: `AVPlayerItemMetadataOutputPushDelegate`.
public protocol AVPlayerItemMetadataOutputPushDelegate: AnyObject {
    /// Metadata has come to be heard; the track is not known here.
    ///
    /// Apple: `AVPlayerItemMetadataOutputPushDelegate.metadataOutput(_:didOutputTimedMetadataGroups:from:)`.
    func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
        from track: AVPlayerItemTrack?)
}

/// One of the tracks of an item; there are none here.
///
/// Apple: `AVPlayerItemTrack`.
public final class AVPlayerItemTrack: NSObject, Sendable {}
