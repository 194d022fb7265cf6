/// The participant that ducks streams of programs outside the library for all: the lowest client index that can.
///
/// | participant | eligible |
/// |---|---|
/// | says `can=duck`, whatever its state | yes |
/// | its process is stopped | no |
/// | was elected and showed no effect (`excluded`) | no |
///
/// Each process excludes an elected one after waiting for its effect in vain. Two may act at once for a moment; the
/// ledger's lock keeps their entries apart.
package func executor(of participants: [Participant], excluding excluded: Set<UInt32> = []) -> UInt32? {
    participants.lazy.filter { $0.claim.canDuck && !$0.isStopped && !excluded.contains($0.id) }.map(\.id).min()
}
