package import PulseClient
package import SessionPolicy

/// Decides whether this process lowers the streams of programs outside the library, and has it done.
///
/// All processes ask the same function who it is (`executor(of:excluding:)`); the others watch. If the one that was
/// elected shows nothing for half a second, the next one takes its place for as long as the ducking lasts.
///
/// | this process | does |
/// |---|---|
/// | is elected | takes over what others left lowered, lowers, gives back |
/// | is elected, but another one has taken over | waits until that one has gone, or has given back |
/// | is not elected | leaves what it had lowered to the one that is |
/// | finds that it cannot lower anything | says so, and leaves it to the next one; looks again while there is none |
/// | nobody is elected | gives back what it had lowered |
///
/// All members are used with the main loop's lock held, and none waits.
// SAFETY: only touched with the main loop's lock held.
package final class ForeignDucking: @unchecked Sendable {
    /// How much others are lowered, and how fast.
    package struct Settings: Hashable, Sendable {
        /// The factor for the samples, below 1; 0.1 is -20 dB.
        package var gain: Float
        /// How fast.
        package var ramps: DuckRamps

        /// Settings; -20 dB, 0.2 s down and 0.5 s up if nothing else is said.
        package init(gain: Float = 0.1, ramps: DuckRamps = DuckRamps()) {
            self.gain = gain
            self.ramps = ramps
        }
    }

    /// Everything that the decision follows from.
    package struct Situation: Sendable {
        /// All streams on the server.
        package var streams: [ServerStream]
        /// The sessions, and the verdicts on them.
        package var arbitration: Arbitration
        /// Our own client's index; nil while we are not connected.
        package var own: UInt32?
        /// The index of the sink that new streams go to.
        package var defaultSink: UInt32?
        /// The property `avaudiosession.ducked` of each client that has it, also if it is gone already.
        package var ledgers: [UInt32: String]
        /// Whether the server lowers streams by a policy of its own (``DuckServerPolicy``): we keep out of its way.
        package var isLeftToServer: Bool

        /// A situation.
        package init(
            streams: [ServerStream], arbitration: Arbitration, own: UInt32?, defaultSink: UInt32?,
            ledgers: [UInt32: String] = [:], isLeftToServer: Bool = false
        ) {
            self.streams = streams
            self.arbitration = arbitration
            self.own = own
            self.defaultSink = defaultSink
            self.ledgers = ledgers
            self.isLeftToServer = isLeftToServer
        }
    }

    /// How long the elected process may show nothing; those who take their time with the claims of others, where it is
    /// shown, wait so much longer.
    package static let gracePeriod = Duration.milliseconds(500)
    /// How long one that could lower nothing waits until it looks again.
    private static let pause = Duration.seconds(1)

    private let volume: any ForeignVolume
    private let mainloop: Mainloop
    private let restorer: DuckRestorer?
    private lazy var timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.gracePeriodEnded() }
    private lazy var probeTimer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.probe() }
    private var situation: Situation?
    private var silenced = SilencedStreams()
    private var excluded: Set<UInt32> = []
    /// The process that has taken over from us.
    private var deposedBy: UInt32?
    /// The ledger as this process has published it.
    private var published: DuckLedger?
    private var isInCharge = false
    private var lastParticipants: Set<UInt32> = []
    /// Whether somebody has gone since we looked for what others left behind.
    private var mayFindLeftovers = false
    /// What the ledgers of others said when we did.
    private var takenOver: [UInt32: String] = [:]
    /// The elected process that shows nothing, since when the timer runs.
    private var suspect: UInt32?

    /// How much others are lowered, and how fast; counts from the next ``update(_:)`` on.
    package var settings: Settings

    /// Whether something is lowered that only we know of, while we can change nothing.
    private var owes = false
    /// Whether anything can be lowered from here, as far as is known.
    package private(set) var isAble = true
    /// Told when that changes.
    package var onAbility: ((Bool) -> Void)?

    /// A coordinator.
    ///
    /// - Parameters:
    ///   - volume: What lowers streams on this kind of server.
    ///   - mainloop: The loop of the connection.
    ///   - settings: How much and how fast.
    ///   - publishLedger: Sets the property `avaudiosession.ducked` of our client, before anything else is sent.
    ///   - restorer: What gives everything back when the last process is killed.
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
            // Of entries the guard has been told. It comes first here too: the server's answer to the other may well
            // take the processor away from us.
            if ledger.records.isEmpty { restorer?.dismiss() }
            publishLedger(ledger.text)
        }
        volume.onDeposed = { [weak self] in self?.deposed(by: $0) }
        volume.onUnable = { [weak self] in self?.becameUnable() }
    }

    /// Whether this process has lowered something that is not given back yet.
    package var isIdle: Bool { volume.isIdle }

    /// Takes in what has changed; call it on every change of streams, claims, verdicts and ledgers.
    package func update(_ new: Situation) {
        situation = new
        let participants = new.arbitration.participants
        // Also while a guard is awaited: somebody may come, lower, and go before it is there.
        let present = Set(participants.map(\.id))
        if !lastParticipants.isSubset(of: present) { mayFindLeftovers = true }
        lastParticipants = present
        // A policy of the server's knows nothing of interrupted sessions, and there is no depth that would multiply.
        let levels = targets(in: new).levels.filter { !new.isLeftToServer || $0.value == .stopped }
        let targets = Set(levels.keys)
        // Whoever still says that something is lowered has not noticed yet that it was given back.
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
        volume.apply(elected == own ? levels : [:], gain: settings.gain, ramps: settings.ramps)
        if volume.isIdle { restorer?.dismiss() }
    }

    private func targets(in situation: Situation) -> DuckTargets {
        let lowered = situation.ledgers.values.compactMap { DuckLedger($0) }.flatMap { $0.records.map(\.stream) }
        silenced.look(
            at: situation.streams, arbitration: situation.arbitration, own: situation.own, lowered: Set(lowered))
        return DuckTargets(
            among: situation.streams, arbitration: situation.arbitration, defaultSink: situation.defaultSink,
            silenced: silenced)
    }

    /// Whether a process, be it this one, has written a playback stream down, as lowered or to be left alone.
    package func isWrittenDown(_ stream: UInt32) -> Bool {
        published?.entries[stream] != nil
            || situation?.ledgers.values.contains { DuckLedger($0)?.entries[stream] != nil } == true
    }

    /// Call it on every event of a playback stream, whether or not anything about it is different.
    package func streamsChanged() { volume.streamsChanged() }

    // MARK: In charge

    /// What is lowered while no guard stands by yet would stay lowered if this process were killed now.
    private func isRestorerAwaited() -> Bool {
        restorer?.prepare(on: mainloop) { [weak self] in
            if let self, let situation = self.situation { self.update(situation) }
        } ?? false
    }

    /// Looks for what others left behind: in the beginning, and whenever somebody has gone.
    private func takeCharge(own: UInt32) {
        guard !isInCharge || mayFindLeftovers else { return }
        isInCharge = true
        owes = false
        mayFindLeftovers = false
        let others = situation?.ledgers.filter { $0.key != own } ?? [:]
        takenOver = others
        volume.adopt(others.sorted { $0.key < $1.key }.compactMap { DuckLedger($0.value) })
    }

    /// Whether the ledger of a client that is gone is of no more use.
    ///
    /// | after the last ``update(_:)`` | of use |
    /// |---|---|
    /// | we have taken it over | no |
    /// | all of its streams that there still are stand in the ledgers of others | no |
    /// | nobody lowers anything, and all was given back | no |
    /// | any other: whoever is elected may still wait for its guard | yes |
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
        // It may be gone, and what it has lowered is ours to give back.
        if let situation { update(situation) }
    }

    /// Whoever has taken over from us keeps it until it has given everything back, or is gone or stopped.
    private func settleDeposition(among participants: [Participant], _ targets: Set<UInt32>) {
        guard let other = deposedBy else { return }
        let isThere = participants.contains { $0.id == other && !$0.isStopped }
        let isDone = targets.isEmpty && ledger(of: other)?.isEmpty ?? true
        if !isThere || isDone { deposedBy = nil }
    }

    // MARK: Able or not

    /// As where libpipewire cannot be loaded: another one has to do it.
    private func becameUnable() {
        guard isAble, situation != nil else { return }
        isAble = false
        isInCharge = false
        // It is in the file still, for whoever comes next: the guard at the latest, or us when we can again.
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

    /// Gives the elected process some time to lower what it should, and to give back what it should not.
    private func watch(_ elected: UInt32?, _ targets: Set<UInt32>) {
        guard deposedBy == nil, let elected else { return calm() }
        let ledger = ledger(of: elected)
        let isMissing = !targets.isSubset(of: ledger?.entries.keys.map { $0 } ?? [])
        let isLeftLowered = ledger?.records.contains { !targets.contains($0.stream) } ?? false
        guard isMissing || isLeftLowered else { return calm() }
        guard suspect != elected else { return }
        suspect = elected
        let leisure = situation.flatMap { now in
            now.own.map { Attention(of: $0, in: now.arbitration).leisure(of: $0) }
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
