import DesktopBus
import Locks
import SessionHistory
import SessionPolicy
import SoundHost

/// The desktop's reasons for quiet as events of a history: the screen's lock, a phone's profile and the silent switch.
///
/// A session does not publish that it is silent for one of them, so the desktop is asked directly. The desktop reports changes;
/// nothing is polled. An event is named `quiet` and has a `reason` (`locked` or `silent`) and whether it is `on`.
final class QuietNews: Sendable {
    private let facts = Guarded(QuietFacts())
    private let clocks = HistoryClocks.system
    private let report: @Sendable (HistoryEvent) -> Void
    private let buses: [SessionBus]
    private let silentSwitch = Guarded<SilentSwitchWatch?>(nil)

    /// Starts the watch; each change is reported on another thread, and what is off at the beginning is not.
    init(_ report: @escaping @Sendable (HistoryEvent) -> Void) {
        self.report = report
        let (session, machine) = (SessionBus(), SessionBus.ofMachine())
        buses = [session, machine].compactMap { $0 }
        session?.watchScreenSavers { [weak self] witness, isLocked in self?.note(witness, isLocked) }
        session?.watchFeedbackProfile { [weak self] profile in self?.change { $0.profile = profile } }
        machine?.watchLockedHint { [weak self] isLocked in self?.note(.login, isLocked) }
        let watch = SilentSwitchWatch(.current) { [weak self] isOn in self?.change { $0.isSwitchOn = isOn } }
        silentSwitch.withLock { $0 = watch }
    }

    private func note(_ witness: LockWitness, _ isLocked: Bool) {
        change { facts in
            if isLocked { facts.lockedBy.insert("\(witness)") } else { facts.lockedBy.remove("\(witness)") }
        }
    }

    private func change(_ body: (inout QuietFacts) -> Void) {
        let changes = facts.withLock { facts -> [(reason: String, isOn: Bool)] in
            let before = facts
            body(&facts)
            return [
                ("locked", !before.lockedBy.isEmpty, !facts.lockedBy.isEmpty),
                ("silent", before.isSilent, facts.isSilent),
            ].filter { $0.1 != $0.2 }.map { ($0.0, $0.2) }
        }
        for (reason, isOn) in changes {
            report(HistoryEvent("quiet", at: clocks.now, ["reason": .text(reason), "on": .flag(isOn)]))
        }
    }
}
