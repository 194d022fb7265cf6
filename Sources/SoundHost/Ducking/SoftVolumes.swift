internal import Glibc
internal import PipeWireClient
internal import PulseClient
internal import SessionPolicy
internal import Synchronization

/// Ducking on PipeWire: lowers streams of other programs by soft volumes, apart from the volume that users set.
///
/// Mixers do not show soft volumes and servers do not remember them. Clearing them is harmless for any stream, so the
/// ledger is a plain list of streams.
// SAFETY: only touched with the main loop's lock held.
final class SoftVolumes: ForeignVolume, @unchecked Sendable {
    private let mainloop: Mainloop
    private let server: UInt32
    private let owner: UInt32
    private let file: DuckLedgerFile?
    private let remote: String
    private lazy var ducker = SoftVolumeDucker(remote: remote) { [weak self, mainloop] _ in
        mainloop.withLock { self?.onUnable?() }
    }
    private var ledger: DuckLedger
    private var written: [UInt32: DuckLedger.Entry] = [:]
    /// Streams that a process that is gone has lowered, and that are not handled yet.
    private var leftovers: Set<UInt32> = []
    private var wanted: Set<UInt32> = []
    /// The number of changes of ``wanted``.
    private var changes = 0
    private lazy var timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.strikeOut() }

    var onDeposed: ((UInt32) -> Void)?
    var onIntent: ((DuckLedger) -> Void)?
    var onLedger: ((DuckLedger) -> Void)?
    var onUnable: (() -> Void)?
    var onIdle: (() -> Void)?

    /// Soft volumes without lowered streams; nil where PipeWire's own socket is out of reach, as over a network.
    init?(connection: PulseConnection, server: UInt32, file: DuckLedgerFile?) {
        guard let remote = Self.remote(ofServer: connection.sync { $0.serverAddress }) else { return nil }
        self.remote = remote
        mainloop = connection.mainloop
        self.server = server
        self.file = file
        owner = connection.sync { $0.clientIndex } ?? .max
        ledger = DuckLedger(server: server, owner: owner)
    }

    var isIdle: Bool { ledger.isEmpty && leftovers.isEmpty }

    func apply(_ levels: [UInt32: DuckTargets.Level], newborn: Set<UInt32>, gain: Float, ramps: DuckRamps) {
        let gains = levels.mapValues { $0 == .lowered ? gain : 0 }
        // Only streams with an entry in the ledger are ducked or restored.
        let named = leftovers.union(gains.keys)
        for stream in named where ledger.record(stream) == nil { ledger.enter(.lowered(.init()), for: stream) }
        let now = Set(gains.keys).filter { ledger.record($0) != nil }
        if now != wanted { changes += 1 }
        wanted = now
        guard !isIdle else { return }
        writeDown(always: !leftovers.isEmpty)
        ducker.repair(leftovers.subtracting(wanted))
        let inherited = leftovers.intersection(wanted)
        leftovers = []
        ducker.apply(
            gains.filter { wanted.contains($0.key) }, inherited: inherited.union(newborn),
            abrupt: Set(levels.filter { $0.value == .stopped }.keys), rampDown: ramps.down.seconds,
            rampUp: ramps.up.seconds)
        if !restoring.isEmpty, !timer.isRunning { timer.start(after: ramps.up + .milliseconds(100)) }
    }

    func adopt(_ ledgers: [DuckLedger]) {
        for other in ledgers + [file?.load()].compactMap({ $0 }) where other.server == server {
            // What we have forgotten, and nobody has taken over, stands in the file under our own name.
            guard other.owner != owner || ledger.isEmpty else { continue }
            for (stream, _) in other.records where ledger.record(stream) == nil { leftovers.insert(stream) }
        }
    }

    func forget() {
        timer.cancel()
        changes += 1
        ducker.abandon()
        leftovers = []
        wanted = []
        guard !ledger.isEmpty else { return }
        ledger = DuckLedger(server: server, owner: owner, revision: ledger.revision)
        written = [:]
        onLedger?(ledger)
    }

    func probe(_ completion: @escaping (Bool) -> Void) {
        // SAFETY: used once, with the main loop's lock held, like the rest of this class.
        nonisolated(unsafe) let completion = completion
        ducker.probe { [mainloop] isThere in mainloop.withLock { completion(isThere) } }
    }

    func streamsChanged() {
        // While this process was stopped, another one restored everything and published that; the ducker has lowered the
        // streams again by now.
        guard !ledger.records.isEmpty, let seen = file?.load(), seen.isEmpty, seen.owner != owner else { return }
        writeDown(always: true)
    }

    /// The streams with an entry that are to be restored.
    private var restoring: Set<UInt32> { Set(ledger.records.map(\.stream)).subtracting(wanted) }

    /// Removes the entries of restored streams, after the ramp up.
    private func strikeOut() {
        let streams = restoring
        guard !streams.isEmpty else { return }
        ducker.confirmRestored(streams) { [weak self, mainloop, changes] isDone in
            mainloop.withLock { self?.strikeOut(streams, if: isDone, since: changes) }
        }
    }

    private func strikeOut(_ streams: Set<UInt32>, if isDone: Bool, since change: Int) {
        // A stream that was lowered again meanwhile may be being restored again.
        guard isDone, change == changes else { return timer.start(after: .milliseconds(100)) }
        for stream in streams { ledger.remove(stream) }
        writeDown()
        if isIdle { onIdle?() }
    }

    /// Writes the ledger without regard to other writers: two processes that lower a stream set the same volumes.
    private func writeDown(always: Bool = false) {
        guard always || ledger.entries != written else { return }
        written = ledger.entries
        let revision = file?.load()?.revision ?? 0
        ledger.revision = revision + 1
        if !ledger.records.isEmpty { onIntent?(ledger) }
        _ = file?.commit(ledger, expecting: revision)
        onLedger?(ledger)
    }

    /// The path of PipeWire's own socket beside the one for PulseAudio's protocol; nil if there is none.
    static func remote(ofServer address: String?) -> String? {
        guard let address, let directory = runtimeDirectory(ofServer: address) else { return nil }
        let remote = PipeWireConnection.remote(inRuntimeDirectory: directory)
        return access(remote, W_OK) == 0 ? remote : nil
    }

    /// The runtime directory in a server address; nil for an address of another form.
    ///
    /// | libpulse has it from | and says |
    /// |---|---|
    /// | nowhere, as on a desktop | `/run/user/1000/pulse/native` |
    /// | `PULSE_SERVER` or its configuration | the same, as it stands there: `unix:` and `{machine}` may come before it |
    static func runtimeDirectory(ofServer address: String) -> String? {
        var path = address[...]
        if path.hasPrefix("{"), let end = path.firstIndex(of: "}") { path = path[path.index(after: end)...] }
        if path.hasPrefix("unix:") { path = path.dropFirst("unix:".count) }
        guard path.hasPrefix("/"), path.hasSuffix("/pulse/native") else { return nil }
        return String(path.dropLast("/pulse/native".count))
    }

    /// Restores the streams of a dead process's ledger; blocks for at most 5 s and returns whether that succeeded.
    static func giveBack(_ ledger: DuckLedger, onServer address: String?) -> Bool {
        guard let remote = remote(ofServer: address) else { return false }
        // Without a daemon the ducker has no streams, but the daemon's socket alone may be gone.
        let hasFailed = Flag()
        let ducker = SoftVolumeDucker(remote: remote) { _ in hasFailed.raise() }
        ducker.repair(Set(ledger.records.map(\.stream)))
        // No process restores after this one, so it waits longer than an app does.
        return ducker.close(timeout: .seconds(5)) && !hasFailed.isRaised
    }

    private final class Flag: Sendable {
        private let flag = Atomic(false)
        var isRaised: Bool { flag.load(ordering: .relaxed) }
        func raise() { flag.store(true, ordering: .relaxed) }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
