internal import Glibc

/// The lowered streams of one connection and their ramps.
// SAFETY: everything is only touched with the connection's lock held.
final class DuckingRun: @unchecked Sendable {
    /// A stream that is lowered, or in a ramp.
    private struct Duck {
        var ramp: DecibelRamp
        /// Whether the stream is restored at the end of the ramp.
        var isLeaving = false
        /// Whether the ramps are short ones that only prevent clicks.
        var isAbrupt = false
        /// Whether the last value of the ramp was sent.
        var isSettled = false
        /// The soft volumes that were sent last.
        var sent: [Float] = []
        /// The user's volumes, to recognize a change by the user.
        var volumes: [Float]
        var isMuted: Bool
        /// The number of successive changes of the soft volumes by another program.
        var contests = 0
    }

    let connection: PipeWireConnection
    private var wanted: [UInt32: Float] = [:]
    private var abrupt: Set<UInt32> = []
    private var repairs: Set<UInt32> = []
    private var ducks: [UInt32: Duck] = [:]
    private var isTicking = false
    /// All streams that were lowered or restored over this connection, by sink input index; their state is unknown when
    /// the connection is lost.
    private var touched: Set<UInt32> = []

    /// The duration of ramps that only prevent clicks, in seconds.
    private static let shortRamp = 0.02
    /// The time between two values of a ramp; a graph's quantum is 10 to 20 ms, so shorter steps would not be heard.
    private static let step = Duration.milliseconds(10)
    /// The limit of answers to another program that sets soft volumes of the same stream, too.
    private static let maximumContests = 3
    /// The limit of unconfirmed changes, for a graph that is overloaded.
    private static let maximumUnconfirmed = 8

    init(connection: PipeWireConnection) {
        self.connection = connection
    }

    func start(lost: @escaping @Sendable (PipeWireError) -> Void) {
        connection.setHandlers(
            changed: { [weak self] in self?.changed($0, $1) },
            removed: { [weak self] id in self?.ducks[id] = nil },
            lost: lost,
            tick: { [weak self] in self?.tick() })
    }

    /// Lowers exactly these streams, by linear gains below 1; `inherited` ones are lowered already.
    func apply(
        _ gains: [UInt32: Float], inherited: Set<UInt32>, abrupt: Set<UInt32>, rampDown: Double, rampUp: Double
    ) {
        connection.withLock {
            wanted = gains
            self.abrupt = abrupt
            let now = Self.now()
            for node in connection.nodes {
                guard let index = node.sinkInput else { continue }
                let gain = gains[index]
                guard gain != nil || ducks[node.id] != nil else { continue }
                let target = gain ?? 1
                // From full volume, an inherited stream would be heard at that volume for the length of a ramp.
                var duck = ducks[node.id] ?? Self.resting(node, at: inherited.contains(index) ? target : 1, since: now)
                duck.isLeaving = gain == nil
                // A restored stream uses the same kind of ramp as when it was lowered.
                if gain != nil { duck.isAbrupt = abrupt.contains(index) }
                duck.contests = 0
                if duck.ramp.to != target {
                    duck.isSettled = false
                    let current = duck.ramp.gain(at: now)
                    let ramp = target < current ? rampDown : rampUp
                    duck.ramp = DecibelRamp(
                        from: current, to: target, start: now, duration: duck.isAbrupt ? Self.shortRamp : ramp)
                }
                ducks[node.id] = duck
                touched.insert(index)
            }
            if !ducks.isEmpty { tick() }
        }
    }

    /// Restores streams that another process had lowered, now or when they become known.
    func repair(_ indices: Set<UInt32>) {
        connection.withLock {
            repairs.formUnion(indices)
            touched.formUnion(indices)
            for node in connection.nodes { repairIfWanted(node) }
        }
    }

    /// Whether one of these streams is lowered, or in the ramp up.
    func isLowering(_ indices: Set<UInt32>) -> Bool {
        connection.withLock {
            connection.nodes.contains { node in
                ducks[node.id] != nil && node.sinkInput.map(indices.contains) ?? false
            }
        }
    }

    /// The streams that may still be lowered when the connection is lost.
    var leftovers: Set<UInt32> { connection.withLock { touched } }

    /// Restores all streams without a ramp.
    func restoreAll() {
        connection.withLock {
            wanted = [:]
            for id in ducks.keys { connection.clearSoftVolumes(ofNode: id) }
            ducks = [:]
            setTicking(false)
        }
    }

    private func repairIfWanted(_ node: StreamNode) {
        guard let index = node.sinkInput, repairs.remove(index) != nil, ducks[node.id] == nil else { return }
        connection.clearSoftVolumes(ofNode: node.id)
    }

    // MARK: Events

    private func changed(_ node: StreamNode, _ change: StreamNodeChange) {
        switch change {
        case .echo: break
        case .appeared:
            repairIfWanted(node)
            guard let index = node.sinkInput, let gain = wanted[index] else { return }
            touched.insert(index)
            // Lowered at once, or the stream would be heard at full volume for the length of a ramp.
            var duck = Self.resting(node, at: gain, since: Self.now())
            duck.isSettled = true
            duck.isAbrupt = node.sinkInput.map(abrupt.contains) ?? false
            ducks[node.id] = duck
            send(gain, to: node)
        case .foreign:
            guard var duck = ducks[node.id] else { return }
            let isUsers = duck.volumes != node.channelVolumes || duck.isMuted != node.isMuted
            let isOurs = node.softVolumes.first == duck.sent.first
            duck.contests = isUsers || isOurs ? 0 : duck.contests + 1
            duck.volumes = node.channelVolumes
            duck.isMuted = node.isMuted
            ducks[node.id] = duck
            // Any change may have ended the soft volumes; if not, setting them again is not heard.
            guard duck.contests <= Self.maximumContests else { return }
            send(duck.ramp.gain(at: Self.now()), to: node)
        }
    }

    private func tick() {
        let now = Self.now()
        var isMoving = false
        for (id, duck) in ducks {
            guard let node = connection.node(id) else {
                ducks[id] = nil
                continue
            }
            let isOver = duck.ramp.isOver(at: now)
            if isOver && duck.isLeaving {
                connection.clearSoftVolumes(ofNode: id)
                ducks[id] = nil
            } else if isOver && !duck.isSettled {
                ducks[id]?.isSettled = true
                send(duck.ramp.to, to: node)
            } else if !isOver {
                isMoving = true
                let isLate = connection.unconfirmedChanges(ofNode: id) >= Self.maximumUnconfirmed
                if !isLate { send(duck.ramp.gain(at: now), to: node) }
            }
        }
        setTicking(isMoving)
    }

    // MARK: Parts

    private func send(_ gain: Float, to node: StreamNode) {
        let sent = connection.setSoftVolumes(node.channelVolumes.map { $0 * gain }, ofNode: node.id)
        ducks[node.id]?.sent = sent ?? []
    }

    private func setTicking(_ ticking: Bool) {
        guard ticking != isTicking else { return }
        isTicking = ticking
        connection.setTicker(ticking ? Self.step : nil)
    }

    private static func resting(_ node: StreamNode, at gain: Float, since time: Double) -> Duck {
        Duck(
            ramp: DecibelRamp(from: gain, to: gain, start: time, duration: 0), volumes: node.channelVolumes,
            isMuted: node.isMuted)
    }

    /// The monotonic time in seconds.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
