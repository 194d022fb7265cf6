internal import DesktopBus
internal import SessionPolicy

/// A watch over all reasons for quiet: the screen's lock, a phone's silent profile, the user's silent switch.
final class QuietWatch: Sendable {
    /// A change of the facts, to be applied with the host's lock held.
    typealias Change = @Sendable (inout QuietFacts) -> Void

    private let silentSwitch: SilentSwitchWatch

    /// Starts the watch; changes are reported on other threads.
    init(session: SessionBus?, machine: SessionBus?, changed: @escaping @Sendable (@escaping Change) -> Void) {
        @Sendable func locked(_ witness: LockWitness, _ isLocked: Bool) {
            changed { facts in
                if isLocked { facts.lockedBy.insert("\(witness)") } else { facts.lockedBy.remove("\(witness)") }
            }
        }
        session?.watchScreenSavers { locked($0, $1) }
        session?.watchFeedbackProfile { profile in changed { $0.profile = profile } }
        machine?.watchLockedHint { locked(.login, $0) }
        silentSwitch = SilentSwitchWatch(.current) { isOn in changed { $0.isSwitchOn = isOn } }
    }
}
