internal import PulseClient
internal import SessionPolicy

extension ClaimBoard {
    /// A refused claim that is judged again once these changes are known, or after a second.
    struct Appeal {
        let changes: [UInt32: Int]
        let judge: () -> Void
        let timer: MainloopTimer
    }

    /// Why a claim must not be published; nil if nothing speaks against it.
    func refusal(of new: Claim) -> SessionError? {
        id.flatMap { SessionPolicy.refusal(of: new, as: $0, among: participants) }
    }

    /// Calls `judge` when all calls have been asked whether they still live.
    ///
    /// The word that a call is over takes its time to everybody, and a recorder that starts right after it should not fail.
    func askCallsAgain(_ judge: @escaping () -> Void) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.doubt(call.id) }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.hearAppeals(isLast: true) }
        timer.start(after: .seconds(1))
        appeals.append(Appeal(changes: catchUp(), judge: judge, timer: timer))
    }

    /// Judges those again that know enough now; all if it is the last occasion.
    func hearAppeals(isLast: Bool = false) {
        guard !appeals.isEmpty else { return }
        // What was in doubt while a question was under way needs another one.
        catchUp()
        let ready = appeals.filter { isLast || table.covers($0.changes) }
        appeals.removeAll { isLast || table.covers($0.changes) }
        for appeal in ready { appeal.judge() }
    }

    /// Whether the server has told us what we said last; true if there is none.
    var isEchoed: Bool { id.map { table.rows[$0]?.text == claim.encoded } ?? true }
}
