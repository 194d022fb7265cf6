package import PulseClient
package import SessionPolicy

/// The ducking of other programs in this process: takes part in the election, and lowers streams while it is elected.
///
/// All processes evaluate the same function (`executor(of:excluding:)`). Those that are not elected watch the ledger of
/// the one that is; if it lacks a stream for half a second, the next process replaces it until the ducking ends.
///
/// | this process | does |
/// |---|---|
/// | is elected | takes over the streams that others left lowered, lowers, restores |
/// | is elected, but another process has taken over | waits until that one is gone or has restored all streams |
/// | is not elected | leaves its lowered streams to the process that is |
/// | is unable to lower streams | says so in its claim; checks again while no other process is able |
/// | is one of several of which none is elected | restores its lowered streams |
///
/// All members are used with the main loop's lock held, and none blocks.
///
/// Use it with the main loop's lock held.
package final class ForeignDucking {
    /// The depth and the ramps of ducking.
    package struct Settings: Hashable, Sendable {
        /// The gain of lowered streams, a factor for samples below 1; 0.1 is -20 dB.
        package var gain: Float
        /// The durations of the ramps.
        package var ramps: DuckRamps

        /// Settings; by default -20 dB, 0.2 s down and 0.5 s up.
        package init(gain: Float = 0.1, ramps: DuckRamps = DuckRamps()) {
            self.gain = gain
            self.ramps = ramps
        }
    }

    /// The inputs of the decision.
    package struct Situation: Sendable {
        /// All streams on the server.
        package var streams: [ServerStream]
        /// The sessions, and the verdicts on them.
        package var arbitration: Arbitration
        /// This process's client index; nil while it is not connected.
        package var own: UInt32?
        /// The index of the default sink.
        package var defaultSink: UInt32?
        /// The property `avaudiosession.ducked` by client; also of clients that are gone.
        package var ledgers: [UInt32: String]
        /// Whether the server has a ducking policy of its own (``DuckServerPolicy``), to which ducking is left.
        package var isLeftToServer: Bool
        /// The server's policy for roles, which lowers some streams itself.
        package var rolePolicy: RolePolicy

        /// Inputs with these values.
        package init(
            streams: [ServerStream], arbitration: Arbitration, own: UInt32?, defaultSink: UInt32?,
            ledgers: [UInt32: String] = [:], isLeftToServer: Bool = false, rolePolicy: RolePolicy = RolePolicy()
        ) {
            self.streams = streams
            self.arbitration = arbitration
            self.own = own
            self.defaultSink = defaultSink
            self.ledgers = ledgers
            self.isLeftToServer = isLeftToServer
            self.rolePolicy = rolePolicy
        }
    }

    /// The time that the elected process has to update its ledger; extended by the delay with which this process reads
    /// others' properties.
    package static let gracePeriod = Duration.milliseconds(500)
    /// The time between checks whether an unable process has become able.
    private static let pause = Duration.seconds(1)

    private let volume: any ForeignVolume
    private let mainloop: Mainloop
    private let restorer: DuckRestorer?
    private lazy var timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.gracePeriodEnded() }
    private lazy var probeTimer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.probe() }
    private var situation: Situation?
    private var silenced = SilencedStreams()
    /// The streams to lower that began while others were lowered already.
    private var newborn: Set<UInt32> = []
    private var excluded: Set<UInt32> = []
    /// The process that has taken over from us.
    private var deposedBy: UInt32?
    /// The ledger as this process has published it.
    private var published: DuckLedger?
    private var isInCharge = false
    private var lastParticipants: Set<UInt32> = []
    /// Whether a participant has gone since the last takeover of what others left lowered.
    private var mayFindLeftovers = false
    /// The ledgers of others at the last takeover.
    private var takenOver: [UInt32: String] = [:]
    /// The elected process whose ledger is overdue; the timer runs for it.
    private var suspect: UInt32?

    /// The depth and the ramps; a change takes effect with the next ``update(_:)``.
    package var settings: Settings

    /// Whether streams are lowered that only this process knows of, while it is unable to restore them.
    private var owes = false
    /// Whether ``leave()`` restores the streams, after which new situations are ignored.
    private var isLeaving = false
    /// Whether this process can lower streams, as far as is known.
    package private(set) var isAble = true
    /// Called when ``isAble`` changes.
    package var onAbility: ((Bool) -> Void)?

    /// A coordinator.
    ///
    /// - Parameters:
    ///   - volume: The implementation for this kind of server.
    ///   - mainloop: The loop of the connection.
    ///   - settings: The depth and the ramps.
    ///   - publishLedger: Sets this client's property `avaudiosession.ducked`, before anything else is sent.
    ///   - restorer: The guard that restores all streams if this process is killed.
    package init(
        volume: any ForeignVolume, mainloop: Mainloop, settings: Settings = Settings(), restorer: DuckRestorer? = nil,
        publishLedger: @escaping (String) -> Void
    ) {
        self.volume = volume
        self.mainloop = mainloop
        self.settings = settings
        self.restorer = restorer
        volume.onIntent = { restorer?.note($0) }
        volume.onLedger = { [weak self] ledger in
            self?.published = ledger
            // The guard has received these entries. It is dismissed first, as the server's answer to the publication
            // may delay this thread.
            if ledger.records.isEmpty { restorer?.dismiss() }
            publishLedger(ledger.text)
        }
        volume.onDeposed = { [weak self] in self?.deposed(by: $0) }
        volume.onUnable = { [weak self] in self?.becameUnable() }
    }

    /// Whether this process has no lowered streams left to restore.
    package var isIdle: Bool { volume.isIdle }

    /// Begins to restore the streams as the process exits, unless another process is able to; returns whether it does.
    ///
    /// The guard would do it, but a program may be installed without it.
    package func leave() -> Bool {
        guard isInCharge, !volume.isIdle, let situation, let own = situation.own else { return false }
        let participants = situation.arbitration.participants
        let claim = situation.arbitration.participant(own)?.claim
        let others = participants.filter { other in claim.map { !other.claim.isOfSameProcess(as: $0) } ?? true }
        guard executor(of: others) == nil else { return false }
        isLeaving = true
        volume.apply([:], newborn: [], gain: settings.gain, ramps: settings.ramps)
        return true
    }

    /// Evaluates a new situation; to be called at every change of streams, claims, verdicts and ledgers.
    package func update(_ new: Situation) {
        guard !isLeaving else { return }
        let old = situation
        situation = new
        let participants = new.arbitration.participants
        // Also while a guard is awaited: another process may duck streams and exit meanwhile.
        let present = Set(participants.map(\.id))
        if !lastParticipants.isSubset(of: present) { mayFindLeftovers = true }
        lastParticipants = present
        // A policy of the server's knows nothing of interrupted sessions, and there is no depth that would multiply.
        let levels = targets(in: new).levels.filter { !new.isLeftToServer || $0.value == .stopped }
        let targets = Set(levels.keys)
        noteNewborn(among: targets, since: old)
        // A process with a ledger has not noticed yet that its streams were restored.
        if targets.isEmpty && volume.isIdle { excluded = excluded.filter { ledger(of: $0)?.isEmpty == false } }
        settleDeposition(among: participants, targets)
        // Our claim may say for a moment yet that we can.
        let unable = isAble ? [] : new.own.map { [$0] } ?? []
        let elected = executor(of: participants, excluding: excluded.union(unable))
        let isWanted = !targets.isEmpty || owes
        if !isAble, elected == nil, isWanted, !probeTimer.isRunning { probeTimer.start(after: Self.pause) }
        guard let own = new.own, elected == own || elected == nil, deposedBy == nil else {
            if isInCharge { volume.forget() }
            isInCharge = false
            restorer?.dismiss()
            return watch(elected, targets)
        }
        calm()
        if elected == own {
            guard targets.isEmpty || !isRestorerAwaited() else { return }
            takeCharge(own: own)
        }
        volume.apply(elected == own ? levels : [:], newborn: newborn, gain: settings.gain, ramps: settings.ramps)
        if volume.isIdle { restorer?.dismiss() }
    }

    /// Adds the targets that began since the last situation, if streams were lowered in that one already.
    private func noteNewborn(among targets: Set<UInt32>, since old: Situation?) {
        newborn.formIntersection(targets)
        guard let old, old.arbitration.concernsStreamsOfOthers else { return }
        let known = Set(old.streams.lazy.filter { $0.direction == .playback }.map(\.index))
        newborn.formUnion(targets.subtracting(known))
    }

    private func targets(in situation: Situation) -> DuckTargets {
        let lowered = situation.ledgers.values.compactMap { DuckLedger($0) }.flatMap { $0.records.map(\.stream) }
        silenced.look(
            at: situation.streams, arbitration: situation.arbitration, own: situation.own, lowered: Set(lowered))
        return DuckTargets(
            among: situation.streams, arbitration: situation.arbitration, defaultSink: situation.defaultSink,
            silenced: silenced, rolePolicy: situation.rolePolicy)
    }

    /// Whether any process's ledger has an entry for a playback stream.
    package func isWrittenDown(_ stream: UInt32) -> Bool {
        published?.entries[stream] != nil
            || situation?.ledgers.values.contains { DuckLedger($0)?.entries[stream] != nil } == true
    }

    /// Notes a server event of a playback stream, whether or not the stream has changed.
    package func streamsChanged() { volume.streamsChanged() }

    // MARK: In charge

    /// Whether the guard is still being started; streams lowered before that would stay lowered if this process died.
    private func isRestorerAwaited() -> Bool {
        restorer?.prepare(on: mainloop) { [weak self] in
            if let self, let situation = self.situation { self.update(situation) }
        } ?? false
    }

    /// Takes over the streams that others left lowered: at the beginning, and after a participant has gone.
    private func takeCharge(own: UInt32) {
        guard !isInCharge || mayFindLeftovers else { return }
        isInCharge = true
        owes = false
        mayFindLeftovers = false
        let others = situation?.ledgers.filter { $0.key != own } ?? [:]
        takenOver = others
        volume.adopt(others.sorted { $0.key < $1.key }.compactMap { DuckLedger($0.value) })
    }

    /// Whether the ledger of a client that is gone is not needed any more.
    ///
    /// | after the last ``update(_:)`` | needed |
    /// |---|---|
    /// | this process has taken it over | no |
    /// | the ledgers of others name all of its streams that still exist | no |
    /// | no ledger has entries and nothing is to be lowered | no |
    /// | otherwise: the elected process may still be waiting for its guard | yes |
    package func isSettled(_ gone: UInt32) -> Bool {
        guard let situation, let ledger = self.ledger(of: gone) else { return true }
        if isInCharge, !mayFindLeftovers, takenOver[gone] == situation.ledgers[gone] { return true }
        let present = situation.arbitration.participants.map(\.id).filter { $0 != gone }
        let named = Set(present.compactMap { self.ledger(of: $0) }.flatMap { $0.entries.keys })
        if named.isEmpty, !situation.arbitration.concernsStreamsOfOthers { return true }
        let playing = Set(situation.streams.lazy.filter { $0.direction == .playback }.map(\.index))
        return ledger.records.allSatisfy { named.contains($0.stream) || !playing.contains($0.stream) }
    }

    private func deposed(by other: UInt32) {
        deposedBy = other
        isInCharge = false
        // The other process may be gone already, and its streams left to this one.
        if let situation { update(situation) }
    }

    /// Ends the other process's turn when it has restored all streams, or is gone or stopped.
    private func settleDeposition(among participants: [Participant], _ targets: Set<UInt32>) {
        guard let other = deposedBy else { return }
        let isThere = participants.contains { $0.id == other && !$0.isStopped }
        let isDone = targets.isEmpty && ledger(of: other)?.isEmpty ?? true
        if !isThere || isDone { deposedBy = nil }
    }

    // MARK: Able or not

    /// Leaves the ducking to another process, as where libpipewire cannot be loaded.
    private func becameUnable() {
        guard isAble, situation != nil else { return }
        isAble = false
        isInCharge = false
        // The file still has the entries, for the next process, the guard, or this one when it is able again.
        owes = !volume.isIdle && restorer?.takeOver() != true
        volume.forget()
        onAbility?(false)
        probeTimer.start(after: Self.pause)
        if let situation { update(situation) }
    }

    private func probe() {
        volume.probe { [weak self] isAble in
            guard let self, let situation else { return }
            if isAble, !self.isAble {
                self.isAble = true
                onAbility?(true)
            }
            update(situation)
        }
    }

    // MARK: Watching

    private func ledger(of client: UInt32) -> DuckLedger? { situation?.ledgers[client].flatMap { DuckLedger($0) } }

    /// Checks the elected process's ledger, and starts the timer if it lacks a stream or has one too many.
    private func watch(_ elected: UInt32?, _ targets: Set<UInt32>) {
        guard deposedBy == nil, let elected else { return calm() }
        let ledger = ledger(of: elected)
        let isMissing = !targets.isSubset(of: ledger?.entries.keys.map { $0 } ?? [])
        let isLeftLowered = ledger?.records.contains { !targets.contains($0.stream) } ?? false
        guard isMissing || isLeftLowered else { return calm() }
        guard suspect != elected else { return }
        suspect = elected
        let leisure = situation.flatMap { now in
            now.own.map { ClaimRefreshPolicy(of: $0, in: now.arbitration).refreshDelay(for: $0) }
        }
        let gracePeriod = Self.gracePeriod + .seconds(leisure ?? 0)
        timer.start(after: isMissing ? gracePeriod : gracePeriod + settings.ramps.up)
    }

    private func gracePeriodEnded() {
        guard let suspect, let situation else { return }
        self.suspect = nil
        excluded.insert(suspect)
        update(situation)
    }

    private func calm() {
        suspect = nil
        timer.cancel()
    }
}
