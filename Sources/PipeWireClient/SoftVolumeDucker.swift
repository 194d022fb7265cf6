internal import Dispatch

/// Lowers other programs' playback streams without touching the volume that their user set.
///
/// It is driven by values: say which streams are to be lowered and by how much; it finds the way from what is. It
/// connects to PipeWire, and loads libpipewire, when there is something to do. All members may be used on any thread;
/// none but ``restoreAll(timeout:)`` waits for anything.
///
/// What is lowered **stays so when this process is killed**: another one has to ``repair(_:)`` it. It also stays so
/// when the connection is lost, until something is asked of this ducker again, which then connects anew.
// SAFETY: `run` and `owed` are only touched on `queue`.
package final class SoftVolumeDucker: @unchecked Sendable {
    private let remote: String?
    private let failure: (@Sendable (PipeWireError) -> Void)?
    private let queue = DispatchQueue(label: "soft volumes")
    private var run: DuckingRun?
    /// What connections that were lost, or could not be made, may have left lowered, by sink input number.
    private var owed: Set<UInt32> = []

    /// Makes a ducker that is not connected.
    ///
    /// - Parameters:
    ///   - remote: a daemon's name or the path of its socket; nil for what `PIPEWIRE_REMOTE` and `XDG_RUNTIME_DIR` say.
    ///   - failure: told, on a queue of the ducker's, when it cannot connect, and when the connection is lost. Nothing
    ///     changes from then on; the next ``apply(_:inherited:abrupt:rampDown:rampUp:)`` connects anew.
    package init(remote: String? = nil, failure: (@Sendable (PipeWireError) -> Void)? = nil) {
        self.remote = remote
        self.failure = failure
    }

    /// Lowers exactly these streams; others that were lowered here go back to what they were.
    ///
    /// The volume moves by equal decibels in steps of 10 ms. A stream that comes into being later is lowered before it
    /// is heard. When the user changes a lowered stream's volume, that is the volume from which it is lowered from then
    /// on.
    ///
    /// - Parameters:
    ///   - gains: linear gains, 0 to 1, by sink input number; 1 and more is the same as not to name the stream.
    ///   - inherited: those that another process had lowered: they get their gain at once, and do not come up before.
    ///   - abrupt: those that go down in 20 ms, and come back as fast once they are not named any more.
    ///   - rampDown: seconds to take for lowering.
    ///   - rampUp: seconds to take for raising.
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

    /// Gives streams back that a process that is gone had lowered, by sink input number; harmless for any stream.
    ///
    /// Those that this ducker lowers itself are left as they are.
    package func repair(_ sinkInputs: Set<UInt32>) {
        queue.async { [self] in
            guard !sinkInputs.isEmpty else { return }
            if let run = connected() { run.repair(sinkInputs) } else { owed.formUnion(sinkInputs) }
        }
    }

    /// Connects if need be, and says, on a queue of the ducker's, whether there is a connection.
    package func probe(_ completion: @escaping @Sendable (Bool) -> Void) {
        queue.async { [self] in completion(connected() != nil) }
    }

    /// Says, on a queue of the ducker's, whether streams are as they were.
    ///
    /// That is so when none of them is lowered here any more, and PipeWire has done all that was asked of it. Where the
    /// connection was lost meanwhile, they are repaired.
    package func confirmRestored(_ sinkInputs: Set<UInt32>, completion: @escaping @Sendable (Bool) -> Void) {
        queue.async { [self] in
            if run == nil || !owed.isDisjoint(with: sinkInputs) { connected()?.repair(sinkInputs) }
            guard let run, !run.isLowering(sinkInputs) else { return completion(false) }
            let isDone = (try? run.connection.synchronize(timeout: .seconds(1))) != nil
            if isDone { owed.subtract(sinkInputs) }
            completion(isDone)
        }
    }

    /// Gives all streams back at once and returns when PipeWire has done so, or after `timeout`.
    ///
    /// Not from the failure handler. Returns whether all is as it was.
    @discardableResult
    package func restoreAll(timeout: Duration = .seconds(1)) -> Bool {
        let result = DispatchSemaphore(value: 0)
        let deadline = ContinuousClock.now + timeout
        let isDone = Done()
        queue.async { [self] in
            isDone.value = restore(until: deadline)
            result.signal()
        }
        let end = DispatchTime.now() + .nanoseconds(Int(timeout.nanoseconds))
        guard result.wait(timeout: end) == .success else { return false }
        return isDone.value
    }

    /// Gives all streams back and leaves PipeWire; the ducker can be used again.
    ///
    /// Returns whether all is as it was.
    @discardableResult
    package func close(timeout: Duration = .seconds(1)) -> Bool {
        let isDone = restoreAll(timeout: timeout)
        queue.async { [self] in
            run?.connection.close()
            run = nil
        }
        return isDone
    }

    /// Leaves all streams as they are, to another process that lowers them, and leaves PipeWire.
    package func abandon() {
        queue.async { [self] in
            run?.connection.close()
            run = nil
            owed = []
        }
    }

    // SAFETY: written before the semaphore is signalled, read after it was waited for.
    private final class Done: @unchecked Sendable { var value = false }

    /// The connection there is, or a new one; nil, and the failure is told, where there can be none; on `queue`.
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
        let new = DuckingRun(connection: try PipeWireConnection(remote: remote))
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

    /// Gives back, over the connection there is, what those before have left lowered; on `queue`.
    private func settle(except wanted: some Sequence<UInt32>) {
        let left = owed.subtracting(wanted)
        owed = []
        if !left.isEmpty { run?.repair(left) }
    }

    /// Gives all back, over a new connection where the old one is lost; on `queue`.
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
