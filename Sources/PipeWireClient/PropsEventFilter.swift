/// Tells the server's confirmations of our own changes from the changes of others.
///
/// A node's Props event says what holds, not who set it, and a user who mutes and unmutes a stream ends its soft
/// volumes without any value being different afterwards. So no two changes of ours are quite the same: each differs
/// from the one before by some millionths, and an event that repeats a value that was confirmed already is somebody
/// else's. Confirmations may be swallowed, as one event may stand for several changes, but they come in order.
struct PropsEventFilter {
    /// The first volume of each change that is not confirmed yet, oldest first.
    private var sent: [Float] = []
    private var count = 0

    /// A stream that never confirms (its volumes are locked) must not fill the memory.
    static let limit = 64

    /// The number of changes that the server has not confirmed.
    var unconfirmed: Int { sent.count }

    /// Notes a change that is about to be sent, and returns its volumes, told apart from those before.
    mutating func mark(_ volumes: [Float]) -> [Float] {
        count = count % Self.limit + 1
        // At most 6 parts in 100 000: half a thousandth of a decibel. Zero becomes −140 dB at most.
        let factor = 1 + Float(count) / 1_048_576
        let marked = volumes.map { $0 == 0 ? Float(count) * 1e-9 : $0 * factor }
        if let first = marked.first { sent.append(first) }
        if sent.count > Self.limit { sent.removeFirst() }
        return marked
    }

    /// Whether an event with these soft volumes confirms a change of ours, which it does only once.
    mutating func confirms(_ softVolumes: [Float]) -> Bool {
        guard let first = softVolumes.first, let index = sent.firstIndex(of: first) else { return false }
        sent.removeFirst(index + 1)
        return true
    }

    /// Forgets what is not confirmed: from now on it counts as somebody else's.
    mutating func forget() { sent.removeAll() }
}
