package import PulseClient
package import SessionPolicy

/// Ducking on PulseAudio: lowers streams of other programs by their volume, and restores it exactly.
///
/// Mixers show that volume, and the server remembers it for the program's next stream. So each step of a ramp
/// 1. reads the ledger file and lists all streams;
/// 2. corrects the server's remembered volumes;
/// 3. writes new entries, into the file and the client's property, or reads the file again if there are none;
/// 4. sets volumes, and waits for the server's answers.
///
/// The next process can undo a crash between any two of these (``adopt(_:)``). If another process has written the file
/// meanwhile, the step starts again; if it has taken over, this process forgets its streams.
// SAFETY: only touched with the main loop's lock held.
package final class PulseDucker: ForeignVolume, @unchecked Sendable {
    /// The time between two steps of a ramp.
    private static let tick = Duration.milliseconds(10)
    /// The number of attempts to lock the file, half a second in all, after which its holder is taken for stopped.
    private static let maximumLockAttempts = 100

    private let connection: PulseConnection
    private let server: UInt32
    private let file: DuckLedgerFile?
    private let owner: UInt32
    private var state: DuckingState
    /// The target steps by stream.
    private var wanted: [UInt32: Int] = [:]
    /// Streams that are lowered and restored without a ramp.
    private var abrupt: Set<UInt32> = []
    /// Streams that are lowered without a ramp, and restored with one.
    private var newborn: Set<UInt32> = []
    /// The ratio of lowered volumes for new entries, in the server's scale.
    private var factor = DuckVolumeSteps.shallowest
    private var ramps = DuckRamps()
    private var adopted: [DuckLedger] = []
    private var mustAdopt = false
    private var mustCheckMemory = false
    /// The kinds of streams whose remembered volumes were corrected since the streams were last listed.
    private var repairedKeys: Set<String> = []
    /// Restored streams whose entries stay until the streams are listed once more.
    private var lingering: Set<UInt32> = []
    private var isStepping = false
    private var mustStepAgain = false
    /// The number of abandoned steps, to recognize late answers.
    private var generation = 0
    private var failedLocks = 0
    /// The number of volume changes without an answer.
    private var unanswered = 0
    private var lastStep: ContinuousClock.Instant?
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.step() }

    package var onDeposed: ((UInt32) -> Void)?
    package var onIntent: ((DuckLedger) -> Void)?
    package var onLedger: ((DuckLedger) -> Void)?
    package var onUnable: (() -> Void)?
    package var onIdle: (() -> Void)?

    /// A ducker without lowered streams.
    ///
    /// - Parameters:
    ///   - connection: A ready connection to a PulseAudio server.
    ///   - server: The server's cookie (`ServerInfo.cookie`).
    ///   - file: The ledger file of that server; nil if there is no place for one.
    package init(connection: PulseConnection, server: UInt32, file: DuckLedgerFile?) {
        self.connection = connection
        self.server = server
        self.file = file
        owner = connection.sync { $0.clientIndex } ?? .max
        state = DuckingState(server: server, owner: owner)
    }

    package var isIdle: Bool { state.ledger.isEmpty && !isStepping && !mustAdopt && wanted.isEmpty }

    package func apply(
        _ levels: [UInt32: DuckTargets.Level], newborn: Set<UInt32>, gain: Float, ramps: DuckRamps
    ) {
        self.ramps = ramps
        self.newborn = newborn
        factor = Volume(channels: 1, linear: Double(gain)).values.first ?? DuckVolumeSteps.shallowest
        wanted = levels.mapValues { $0 == .lowered ? DuckVolumeSteps.steps : DuckVolumeSteps.stepsToSilence }
        // A restored stream uses the same kind of ramp as when it was ducked.
        abrupt = abrupt.filter { levels[$0] == nil && state.ledger.record($0) != nil }
            .union(levels.filter { $0.value == .stopped }.keys)
        kick()
    }

    package func adopt(_ ledgers: [DuckLedger]) {
        adopted += ledgers.filter { $0.server == server && !$0.isEmpty }
        // Forgotten entries that no process has taken over are in the file under this process's name.
        let isLeft = file?.load().map { !$0.isEmpty && ($0.owner != owner || state.ledger.isEmpty) } ?? false
        guard !adopted.isEmpty || isLeft else { return }
        mustAdopt = true
        kick()
    }

    package func forget() {
        guard !isIdle else { return }
        generation += 1
        timer.cancel()
        isStepping = false
        mustStepAgain = false
        mustAdopt = false
        wanted = [:]
        adopted = []
        lastStep = nil
        repairedKeys = []
        lingering = []
        let hadEntries = !state.ledger.isEmpty
        state = DuckingState(server: server, owner: owner)
        if hadEntries { onLedger?(state.ledger) }
    }

    /// Reports that streams can be lowered, as any client can set any volume.
    package func probe(_ completion: @escaping (Bool) -> Void) { completion(true) }

    package func streamsChanged() {
        guard !state.ledger.isEmpty else { return }
        mustCheckMemory = true
        kick()
    }

    // MARK: Steps

    /// Steps at once, or soon if the last step was a moment ago.
    private func kick() {
        guard !isIdle else { return }
        if isStepping {
            mustStepAgain = true
        } else if let lastStep, lastStep.duration(to: .now) < Self.tick {
            if !timer.isRunning { timer.start(after: Self.tick) }
        } else if !timer.isRunning {
            step()
        }
    }

    private func step() {
        guard !isStepping, !isIdle else { return }
        isStepping = true
        mustStepAgain = false
        let seen = file?.load()
        if let seen, seen.owner != owner, !mustAdopt, !(seen.isEmpty && state.ledger.isEmpty) {
            // Another process has entries there that this one did not adopt: it has taken over, or left them
            // behind.
            guard seen.isEmpty else { return deposed(by: seen.owner) }
            // It restored everything while this process was stopped; but the last volumes sent may have come after that.
            mustAdopt = true
            state.loseTrack()
        }
        let generation = generation
        connection.sync { connection in
            connection.sinkInputs { [weak self] result in
                guard let self, generation == self.generation else { return }
                guard case .success(let inputs) = result else { return self.retry() }
                self.look(at: inputs, after: seen)
            }
        }
    }

    /// The findings of a step, which take effect when they are written.
    private struct Draft {
        var state: DuckingState
        var findings: DuckingState.Findings
        let seen: DuckLedger?
    }

    private func look(at inputs: [SinkInput], after seen: DuckLedger?) {
        var draft = Draft(state: state, findings: .init(), seen: seen)
        if mustAdopt {
            for other in [seen].compactMap({ $0 }) + adopted { draft.state.adopt(other) }
        }
        draft.findings = draft.state.judge(inputs, wanted: wanted)
        draft.findings.overruled.removeAll { !repairedKeys.contains($0.record.key) }
        repairedKeys = []
        let isMoving = draft.state.isMoving(wanted: wanted)
        let mustRead =
            !draft.findings.newcomers.isEmpty || !draft.findings.finished.isEmpty || (mustCheckMemory && !isMoving)
            || !draft.findings.overruled.isEmpty
        guard mustRead else { return write(draft) }
        let generation = generation
        connection.sync { connection in
            connection.restoreEntries { [weak self] result in
                guard let self, generation == self.generation else { return }
                // A server without that module remembers nothing.
                self.remember((try? result.get()) ?? [], draft)
            }
        }
    }

    /// Corrects the server's remembered volumes, and adds entries for new streams.
    private func remember(_ entries: [StreamRestoreEntry], _ draft: Draft) {
        var draft = draft
        mustCheckMemory = false
        for input in draft.findings.newcomers {
            let isSilenced = wanted[input.index] == DuckVolumeSteps.stepsToSilence
            let factor = isSilenced ? min(factor, DuckVolumeSteps.shallowest) : factor
            draft.state.enter(input, factor: factor, memory: entries)
        }
        let repaired = draft.state.repaired(entries) + DuckingState.handedOver(entries, of: draft.findings.overruled)
        repairedKeys = Set(repaired.map(\.name))
        strikeOut(&draft)
        guard !repaired.isEmpty else { return write(draft) }
        let generation = generation
        connection.sync { connection in
            connection.writeRestoreEntries(repaired) { [weak self] _ in
                guard let self, generation == self.generation else { return }
                self.write(draft)
            }
        }
    }

    /// Removes the entries of restored streams, unless the server had remembered a lowered volume of theirs.
    ///
    /// In that case a new stream may have started with the lowered volume before the correction. It is recognized by an
    /// entry of the same kind, which therefore stays until the streams are listed once more.
    private func strikeOut(_ draft: inout Draft) {
        let early = draft.findings.finished.filter { stream in
            guard !lingering.contains(stream), let key = draft.state.ledger.record(stream)?.key else { return false }
            return repairedKeys.contains(key)
        }
        lingering = Set(early)
        mustCheckMemory = !early.isEmpty
        draft.state.remove(draft.findings.finished.filter { !lingering.contains($0) })
    }

    /// Writes the draft, unless another process has written meanwhile.
    private func write(_ draft: Draft) {
        var draft = draft
        let isTakenOver =
            mustAdopt && draft.seen.map { $0.owner != owner && !($0.isEmpty && draft.state.ledger.isEmpty) } ?? false
        if draft.state.ledger.entries != state.ledger.entries || isTakenOver {
            let revision = draft.seen?.revision ?? 0
            draft.state.succeed(revision)
            if !draft.state.ledger.records.isEmpty { onIntent?(draft.state.ledger) }
            switch file?.commit(draft.state.ledger, expecting: revision) ?? .failed {
            case .done, .failed: break
            case .outdated: return again(after: .zero)
            case .busy:
                failedLocks += 1
                if failedLocks >= Self.maximumLockAttempts { file?.breakLock() }
                return again(after: .milliseconds(5))
            }
            failedLocks = 0
            state = draft.state
            onLedger?(state.ledger)
        } else {
            // This process may have been stopped since the step began. A volume of that time, sent now, would be taken
            // for the user's by whoever lowers the stream next.
            if let seen = draft.seen, file?.load()?.revision != seen.revision { return again(after: .zero) }
            state = draft.state
        }
        mustAdopt = false
        adopted = []
        move()
    }

    /// Sets volumes, and continues with the server's answers.
    private func move() {
        let now = ContinuousClock.now
        // A late tick must not be heard as a jump; the first one has no predecessor.
        let elapsed = min(lastStep.map { $0.duration(to: now) } ?? Self.tick, Self.tick * 3)
        lastStep = now
        let volumes = state.advance(by: elapsed, ramps: ramps, wanted: wanted, abrupt: abrupt, newborn: newborn)
        guard !volumes.isEmpty else { return finish() }
        mustCheckMemory = true
        unanswered = volumes.count
        let generation = generation
        for (stream, volume) in volumes {
            connection.sync { connection in
                connection.setSinkInputVolume(volume, at: stream) { [weak self] _ in
                    guard let self, generation == self.generation else { return }
                    // A stream that is gone is found missing by the next look.
                    self.unanswered -= 1
                    if self.unanswered == 0 { self.finish() }
                }
            }
        }
    }

    private func finish() {
        isStepping = false
        if state.isMoving(wanted: wanted) || (mustCheckMemory && !state.ledger.isEmpty) || mustStepAgain {
            timer.start(after: Self.tick)
        } else if state.ledger.isEmpty {
            lastStep = nil
            if isIdle { onIdle?() }
        }
    }

    private func again(after delay: Duration) {
        isStepping = false
        timer.start(after: delay)
    }

    /// Retries after a failed question; if the server is gone, the timer goes with the connection.
    private func retry() {
        isStepping = false
        timer.start(after: .milliseconds(100))
    }

    private func deposed(by other: UInt32) {
        forget()
        onDeposed?(other)
    }
}
