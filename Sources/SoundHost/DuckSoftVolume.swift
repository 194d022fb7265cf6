package import PulseClient
package import SessionPolicy

/// The ledger around soft volumes, with which PipeWire lowers streams: unlike the user's volumes they are neither shown nor
/// remembered, but those of a killed process stay too, and two processes must not fight over them.
///
/// What sets soft volumes is handed in, so that libpipewire is loaded only where it is needed.
// SAFETY: only touched with the main loop's lock held.
package final class DuckSoftVolume: ForeignVolume, @unchecked Sendable {
    /// What sets soft volumes, without waiting; streams are named by the numbers of their sink inputs.
    package struct Tools {
        /// Lowers exactly these, and gives others back.
        package var apply: ([UInt32: Float], DuckRamps) -> Void
        /// Gives back what another process had lowered; leaves what this one lowers.
        package var repair: (Set<UInt32>) -> Void
        /// Leaves everything as it is, from now on.
        package var abandon: () -> Void

        /// Tools.
        package init(
            apply: @escaping ([UInt32: Float], DuckRamps) -> Void, repair: @escaping (Set<UInt32>) -> Void,
            abandon: @escaping () -> Void
        ) {
            self.apply = apply
            self.repair = repair
            self.abandon = abandon
        }
    }

    private let tools: Tools
    private let mainloop: Mainloop
    private let server: UInt32
    private let owner: UInt32
    private let file: DuckLedgerFile?
    private var ledger: DuckLedger
    private var wanted: [UInt32: Float] = [:]
    private var ramps = DuckRamps()
    /// Streams that are on their way back.
    private var returning: Set<UInt32> = []
    /// Streams that were left behind by others, and are not given back yet.
    private var left: Set<UInt32> = []
    private var mustAdopt = false
    private var failedLocks = 0
    private lazy var retry = MainloopTimer(mainloop: mainloop) { [weak self] in self?.settle() }
    private lazy var arrival = MainloopTimer(mainloop: mainloop) { [weak self] in self?.arrived() }

    package var onDeposed: ((UInt32) -> Void)?
    package var onLedger: ((DuckLedger) -> Void)?
    package var onIdle: (() -> Void)?

    /// Lowers nothing yet.
    ///
    /// - Parameters:
    ///   - connection: A ready connection to a PipeWire server.
    ///   - server: The server's random number (`ServerInfo.cookie`).
    ///   - file: The ledger file of that server; nil if there can be none.
    ///   - tools: What sets soft volumes.
    package init(connection: PulseConnection, server: UInt32, file: DuckLedgerFile?, tools: Tools) {
        self.tools = tools
        self.server = server
        self.file = file
        mainloop = connection.mainloop
        owner = connection.sync { $0.clientIndex } ?? .max
        ledger = DuckLedger(server: server, owner: owner)
    }

    package var isIdle: Bool { wanted.isEmpty && ledger.isEmpty && returning.isEmpty && !mustAdopt }

    package func apply(_ gains: [UInt32: Float], ramps: DuckRamps) {
        guard gains != wanted || mustAdopt else { return }
        self.ramps = ramps
        returning.formUnion(wanted.keys)
        wanted = gains
        settle()
    }

    package func adopt(_ ledgers: [DuckLedger]) {
        let others = ledgers + [file?.load()].compactMap { $0 }
        let left = others.filter { $0.server == server && $0.owner != owner }.flatMap { $0.records.map(\.stream) }
        guard !left.isEmpty else { return }
        self.left.formUnion(left)
        mustAdopt = true
    }

    package func forget() {
        guard !isIdle else { return }
        retry.cancel()
        arrival.cancel()
        tools.abandon()
        wanted = [:]
        returning = []
        left = []
        mustAdopt = false
        let hadEntries = !ledger.isEmpty
        ledger = DuckLedger(server: server, owner: owner)
        if hadEntries { onLedger?(ledger) }
    }

    package func streamsChanged() {}

    // MARK: Steps

    /// Writes down what is lowered or on its way back, then has it done.
    private func settle() {
        left.subtract(wanted.keys)
        returning = returning.union(left).subtracting(wanted.keys)
        guard write(Set(wanted.keys).union(returning)) else { return }
        // What could not be written down must not be lowered.
        tools.apply(wanted.filter { ledger.entries[$0.key] != nil }, ramps)
        if !left.isEmpty { tools.repair(left) }
        left = []
        if !returning.isEmpty { arrival.start(after: ramps.up + .milliseconds(200)) }
        mustAdopt = false
    }

    /// What was on its way back has arrived.
    private func arrived() {
        returning = []
        guard write(Set(wanted.keys)) else { return }
        if isIdle { onIdle?() }
    }

    /// Makes the ledger name these streams; false if somebody else has taken over, or if it must be tried again.
    private func write(_ streams: Set<UInt32>) -> Bool {
        let seen = file?.load()
        if let seen, seen.owner != owner, !mustAdopt, !(seen.isEmpty && ledger.isEmpty) {
            forget()
            onDeposed?(seen.owner)
            return false
        }
        var next = DuckLedger(server: server, owner: owner, revision: (seen?.revision ?? 0) + 1)
        for stream in streams { next.enter(.lowered(.init()), for: stream) }
        guard next.entries != ledger.entries || mustAdopt else { return true }
        switch file?.commit(next, expecting: next.revision - 1) ?? .failed {
        case .done, .failed: break
        case .outdated, .busy:
            failedLocks += 1
            if failedLocks % 100 == 0 { file?.breakLock() }
            retry.start(after: .milliseconds(5))
            return false
        }
        failedLocks = 0
        ledger = next
        onLedger?(ledger)
        return true
    }
}
