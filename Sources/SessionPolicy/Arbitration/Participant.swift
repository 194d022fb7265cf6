/// A process with a valid claim, as its peers see it.
package struct Participant: Hashable, Sendable {
    /// The client index that the sound server gave the process's connection; the same for all processes.
    package let id: UInt32
    /// Its claim.
    package let claim: Claim
    /// Whether the process is known to be stopped (Ctrl-Z, a debugger, a freezer), which is only visible on its own
    /// host.
    ///
    /// It counts as idle until it continues.
    package let isStopped: Bool

    /// A participant with these values.
    package init(id: UInt32, claim: Claim, isStopped: Bool = false) {
        self.id = id
        self.claim = claim
        self.isStopped = isStopped
    }

    /// Whether the claim counts: it is active or interrupted, and its process runs.
    package var isLive: Bool { claim.state != .idle && !isStopped }

    /// Whether the claim is older than another's.
    ///
    /// Between copies of the same ticket and random bits the client index decides.
    func isOlder(than other: Participant) -> Bool {
        claim.order == other.claim.order ? id < other.id : claim.order < other.claim.order
    }
}
