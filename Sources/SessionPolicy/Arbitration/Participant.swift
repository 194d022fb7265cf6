/// A process with a valid claim, as the others see it.
package struct Participant: Hashable, Sendable {
    /// The index that the sound server gave the process's connection; the same for everybody who looks.
    package let id: UInt32
    /// What it says.
    package let claim: Claim
    /// Whether the process is on our host and was stopped (Ctrl-Z, a debugger, a freezer): it counts as idle until it goes on.
    package let isStopped: Bool

    /// A participant.
    package init(id: UInt32, claim: Claim, isStopped: Bool = false) {
        self.id = id
        self.claim = claim
        self.isStopped = isStopped
    }

    /// Whether the claim counts: it is active or interrupted, and its process runs.
    package var isLive: Bool { claim.state != .idle && !isStopped }

    /// Whether the claim is older than another's.
    ///
    /// A participant that copies another's ticket and random bits is told apart by its index.
    func isOlder(than other: Participant) -> Bool {
        claim.order == other.claim.order ? id < other.id : claim.order < other.claim.order
    }
}
