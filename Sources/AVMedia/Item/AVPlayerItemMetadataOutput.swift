public import Dispatch
public import Foundation

/// A receiver of an item's output while the item plays.
///
/// Apple: `AVPlayerItemOutput`.
// SAFETY: it has no state; its subclass guards its own.
nonisolated open class AVPlayerItemOutput: NSObject, @unchecked Sendable {}

/// A receiver of an item's timed metadata, which are the titles of a radio, when their sound is heard.
///
/// Apple: `AVPlayerItemMetadataOutput`.
// SAFETY: everything mutable is guarded by `lock`.
nonisolated open class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
    private let lock = NSLock()
    private weak var receiver: (any AVPlayerItemMetadataOutputPushDelegate)?
    private var receiverQueue: DispatchQueue?

    /// An output for some kinds of metadata, nil for all; all are delivered in any case.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.init(identifiers:)`.
    public init(identifiers: [String]?) { super.init() }

    /// The delegate, which receives the metadata.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.delegate`.
    open var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? { lock.withLock { receiver } }

    /// The queue on which the delegate is called.
    ///
    /// Apple: `AVPlayerItemMetadataOutput.delegateQueue`.
    open var delegateQueue: DispatchQueue? { lock.withLock { receiverQueue } }

    /// Sets the delegate and its queue; nil for the main queue, or the place that was chosen with
    /// `AVAudioSession.deliver(on:)`.
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

/// A delegate of a metadata output.
///
/// Apple: `AVPlayerItemMetadataOutputPushDelegate`.
public protocol AVPlayerItemMetadataOutputPushDelegate: AnyObject {
    /// Handles metadata whose sound is heard now; the track is always nil.
    ///
    /// Apple: `AVPlayerItemMetadataOutputPushDelegate.metadataOutput(_:didOutputTimedMetadataGroups:from:)`.
    func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
        from track: AVPlayerItemTrack?)
}

/// A track of an item; items have none here.
///
/// Apple: `AVPlayerItemTrack`.
public final class AVPlayerItemTrack: NSObject, Sendable {}
