/// A filter that distinguishes Props events caused by this connection's own changes from those of other clients.
///
/// A node's Props event contains the values and not their author, and a user who mutes and unmutes a stream disables its
/// soft volumes without changing a value. So each change of this connection is made unique by some millionths, and an
/// event with a value that was confirmed before comes from another client. One event may confirm several changes, but
/// confirmations come in order.
struct PropsEventFilter {
    /// The first volume of each unconfirmed change, oldest first.
    private var sent: [Float] = []
    private var count = 0

    /// The limit of unconfirmed changes, for a stream that never confirms any (its volumes are locked).
    static let limit = 64

    /// The number of unconfirmed changes.
    var unconfirmed: Int { sent.count }

    /// Registers a change that is about to be sent, and returns its volumes, made unique.
    mutating func mark(_ volumes: [Float]) -> [Float] {
        count = count % Self.limit + 1
        // At most 6 parts in 100 000: half a thousandth of a decibel. Zero becomes −140 dB at most.
        let factor = 1 + Float(count) / 1_048_576
        let marked = volumes.map { $0 == 0 ? Float(count) * 1e-9 : $0 * factor }
        if let first = marked.first { sent.append(first) }
        if sent.count > Self.limit { sent.removeFirst() }
        return marked
    }

    /// Whether an event with these soft volumes confirms a change of this connection; true once for each change.
    mutating func confirms(_ softVolumes: [Float]) -> Bool {
        guard let first = softVolumes.first, let index = sent.firstIndex(of: first) else { return false }
        sent.removeFirst(index + 1)
        return true
    }

    /// Forgets all unconfirmed changes; events with their values count as other clients' from now on.
    mutating func forget() { sent.removeAll() }
}
