internal import PulseClient
internal import SessionPolicy

extension ClaimBoard {
    /// Something that is decided once these changes are known, or after a second.
    struct Patience {
        let changes: [UInt32: Int]
        let decide: () -> Void
        let timer: MainloopTimer
    }

    /// Why a claim must not be published; nil if nothing speaks against it.
    func refusal(of new: Claim) -> SessionError? {
        id.flatMap { SessionPolicy.refusal(of: new, as: $0, among: participants) }
    }

    /// Calls `decide` when all calls have been asked whether they still live.
    ///
    /// The word that a call is over takes its time to everybody, and a recorder that starts right after it should not
    /// fail.
    func askCallsAgain(_ decide: @escaping () -> Void) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.doubt(call.id) }
        whenUpToDate(decide)
    }

    /// Calls `decide`, at once if nothing was put off, when everything is known that was announced so far.
    ///
    /// A ticket that is drawn without knowing the newest ones would make us older than those who were there before.
    func whenUpToDate(_ decide: @escaping () -> Void) {
        let changes = catchUp().filter { $0.key != id }
        guard !table.covers(changes) else { return decide() }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.decideWhatWaits(isLast: true) }
        timer.start(after: .seconds(1))
        patience.append(Patience(changes: changes, decide: decide, timer: timer))
    }

    /// Decides what waited, if enough is known by now; all of it if this is the last occasion.
    func decideWhatWaits(isLast: Bool = false) {
        guard !patience.isEmpty else { return }
        // What was in doubt while a question was under way needs another one.
        catchUp()
        let ready = patience.filter { isLast || table.covers($0.changes) }
        patience.removeAll { isLast || table.covers($0.changes) }
        for waiting in ready { waiting.decide() }
    }

    /// Whether the server has told us what we said last; true if there is none.
    var isEchoed: Bool { pending == nil && id.map { table.rows[$0]?.text == claim.encoded } ?? true }
}
