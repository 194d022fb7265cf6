internal import Dispatch
internal import Locks

/// Ducking by soft volumes: lowers playback streams of other programs without changing the volume that their user set.
///
/// Callers name the streams and their gains; the ducker computes the ramps. It connects to PipeWire, and loads
/// libpipewire, at the first use that needs them. All members may be used on any thread; only ``restoreAll(timeout:)``
/// and ``close(timeout:)`` block.
///
/// Lowered streams **stay lowered when this process is killed**, until another one calls ``repair(_:)``. They also stay
/// lowered when the connection is lost, until the next call reconnects.
// SAFETY: `run` and `owed` are only touched on `queue`.
package final class SoftVolumeDucker: @unchecked Sendable {
    private let remote: String?
    private let failure: (@Sendable (PipeWireError) -> Void)?
    private let queue = DispatchQueue(label: "soft volumes")
    private var run: DuckingRun?
    /// The streams that lost or failed connections may have left lowered, by sink input index.
    private var owed: Set<UInt32> = []

    /// An unconnected ducker.
    ///
    /// - Parameters:
    ///   - remote: A daemon's name or the path of its socket; nil for the one in `PIPEWIRE_REMOTE` and `XDG_RUNTIME_DIR`.
    ///   - failure: Called on the ducker's queue when connecting fails, and when the connection is lost. No stream changes
    ///     from then on; the next ``apply(_:inherited:abrupt:rampDown:rampUp:)`` reconnects.
    package init(remote: String? = nil, failure: (@Sendable (PipeWireError) -> Void)? = nil) {
        self.remote = remote
        self.failure = failure
    }

    /// Lowers exactly these streams, and restores all others that this ducker had lowered.
    ///
    /// Ramps are linear in decibels, in steps of 10 ms. A stream that appears later is lowered before it is heard. When the
    /// user changes the volume of a lowered stream, the gain applies to the new volume.
    ///
    /// - Parameters:
    ///   - gains: Linear gains, 0 to 1, by sink input index; a gain of 1 and more restores the stream.
    ///   - inherited: Streams that another process had lowered; they get their gain without a ramp.
    ///   - abrupt: Streams with ramps of 20 ms, in both directions.
    ///   - rampDown: The duration of a ramp down in seconds.
    ///   - rampUp: The duration of a ramp up in seconds.
    package func apply(
        _ gains: [UInt32: Float], inherited: Set<UInt32> = [], abrupt: Set<UInt32> = [], rampDown: Double = 0.2,
        rampUp: Double = 0.5
    ) {
        let gains = gains.filter { $0.value < 1 }.mapValues { max(0, $0) }
        queue.async { [self] in
            guard let run = gains.isEmpty && owed.isEmpty ? run : connected() else { return }
            let inherited = inherited.union(owed.intersection(gains.keys))
            settle(except: gains.keys)
            run.apply(gains, inherited: inherited, abrupt: abrupt, rampDown: rampDown, rampUp: rampUp)
        }
    }

    /// Restores streams that a process that is gone had lowered, by sink input index; harmless for any stream.
    ///
    /// Streams that this ducker lowers itself are not touched.
    package func repair(_ sinkInputs: Set<UInt32>) {
        queue.async { [self] in
            guard !sinkInputs.isEmpty else { return }
            if let run = connected() { run.repair(sinkInputs) } else { owed.formUnion(sinkInputs) }
        }
    }

    /// Connects if needed, and calls `completion` on the ducker's queue with whether there is a connection.
    package func probe(_ completion: @escaping @Sendable (Bool) -> Void) {
        queue.async { [self] in completion(connected() != nil) }
    }

    /// Calls `completion` on the ducker's queue with whether streams are restored.
    ///
    /// They are if this ducker lowers none of them any more and PipeWire has carried out all changes. After a loss of the
    /// connection they are repaired.
    package func confirmRestored(_ sinkInputs: Set<UInt32>, completion: @escaping @Sendable (Bool) -> Void) {
        queue.async { [self] in
            if run == nil || !owed.isDisjoint(with: sinkInputs) { connected()?.repair(sinkInputs) }
            guard let run, !run.isLowering(sinkInputs) else { return completion(false) }
            let isDone = (try? run.connection.synchronize(timeout: .seconds(1))) != nil
            if isDone { owed.subtract(sinkInputs) }
            completion(isDone)
        }
    }

    /// Restores all streams without a ramp; blocks until PipeWire has done so, or for `timeout`.
    ///
    /// Must not be called from the failure handler. Returns whether all streams are restored.
    @discardableResult
    package func restoreAll(timeout: Duration = .seconds(1)) -> Bool {
        let result = DispatchSemaphore(value: 0)
        let deadline = ContinuousClock.now + timeout
        let isDone = Guarded(false)
        queue.async { [self] in
            let isRestored = restore(until: deadline)
            isDone.withLock { $0 = isRestored }
            result.signal()
        }
        let end = DispatchTime.now() + .nanoseconds(Int(timeout.nanoseconds))
        guard result.wait(timeout: end) == .success else { return false }
        return isDone.value
    }

    /// Restores all streams as ``restoreAll(timeout:)`` does, and disconnects; the ducker can be used again.
    ///
    /// Returns whether all streams are restored.
    @discardableResult
    package func close(timeout: Duration = .seconds(1)) -> Bool {
        let isDone = restoreAll(timeout: timeout)
        queue.async { [self] in
            run?.connection.close()
            run = nil
        }
        return isDone
    }

    /// Disconnects without restoring any stream, since another process lowers them.
    package func abandon() {
        queue.async { [self] in
            run?.connection.close()
            run = nil
            owed = []
        }
    }

    /// The present connection or a new one; nil, after a call of `failure`, if connecting fails; on `queue`.
    private func connected() -> DuckingRun? {
        do throws(PipeWireError) {
            return try connect()
        } catch {
            failure?(error)
            return nil
        }
    }

    private func connect() throws(PipeWireError) -> DuckingRun {
        if let run { return run }
        let connection = try PipeWireConnection(remote: remote)
        guard connection.mayChangeStreams else {
            throw PipeWireError(
                .permissionDenied, "PipeWire gives this program no right to change streams, as in a sandbox")
        }
        let new = DuckingRun(connection: connection)
        run = new
        new.start(lost: { [weak self, weak new] error in
            guard let self, let new else { return }
            queue.async { self.forget(new, error) }
        })
        return new
    }

    private func forget(_ lost: DuckingRun, _ error: PipeWireError) {
        guard run === lost else { return }
        run = nil
        owed.formUnion(lost.leftovers)
        lost.connection.close()
        failure?(error)
    }

    /// Restores, over the present connection, the streams that earlier ones have left lowered; on `queue`.
    private func settle(except wanted: some Sequence<UInt32>) {
        let left = owed.subtracting(wanted)
        owed = []
        if !left.isEmpty { run?.repair(left) }
    }

    /// Restores all streams, over a new connection if the old one is lost; on `queue`.
    private func restore(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            do throws(PipeWireError) {
                if !owed.isEmpty { try connect().repair(owed) }
                guard let run else { return true }
                run.restoreAll()
                try run.connection.synchronize(timeout: deadline - .now)
                owed = []
                return true
            } catch {
                // With the daemon all streams have gone.
                if error.reason == .noDaemon { owed = [] }
                guard error.reason == .connectionLost, let run, ContinuousClock.now < deadline else {
                    return error.reason == .noDaemon
                }
                forget(run, error)
            }
        }
    }
}
