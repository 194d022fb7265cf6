/// The participant that lowers streams of programs outside the library, for all: the lowest client index that can.
///
/// | participant | eligible |
/// |---|---|
/// | says `can=duck`, whatever its state | yes |
/// | its process is stopped | no |
/// | was elected and showed no effect (`excluded`) | no |
///
/// Who is excluded is known to those who waited in vain; that two act at once for a moment is what the ledger's lock is
/// for.
package func executor(of participants: [Participant], excluding excluded: Set<UInt32> = []) -> UInt32? {
    participants.lazy.filter { $0.claim.canDuck && !$0.isStopped && !excluded.contains($0.id) }.map(\.id).min()
}
