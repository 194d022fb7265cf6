internal import AVFAudio
internal import CoreMedia
internal import Dispatch
internal import Foundation

extension AVPlayer {
    // MARK: Position

    /// The position that is heard now, or that playing goes on from; zero without an item.
    ///
    /// Apple: `AVPlayer.currentTime()`.
    public func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Goes to a position, exact to the frame, and plays on from there if the rate is not 0.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    public func seek(to time: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame; tells on the main queue whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:completionHandler:)`.
    public func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame; returns whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:)`.
    @discardableResult
    public func seek(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in move(to: time) { continuation.resume(returning: $0) } }
    }

    /// Goes to a position, exact to the frame whatever would do.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { move(to: time, nil) }

    /// Goes to a position, exact to the frame whatever would do; tells on the main queue whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    public func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        move(to: time, completionHandler)
    }

    /// Goes to a position, exact to the frame whatever would do; returns whether it got there.
    ///
    /// Apple: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`.
    @discardableResult
    public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await seek(to: time)
    }

    private func move(to time: CMTime, _ completion: (@Sendable (Bool) -> Void)?) {
        guard let item = currentItem else {
            if let completion { onMain { completion(false) } }
            return
        }
        item.move(to: time, completion)
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
    public func addPeriodicTimeObserver(
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
    public func addBoundaryTimeObserver(
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
    public func removeTimeObserver(_ observer: Any) {
        if let observer = observer as? TimeObserver { core.observers.remove(observer) }
    }
}
