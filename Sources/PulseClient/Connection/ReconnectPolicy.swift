/// The delay before the next attempt to connect: short at first, doubled each time, up to a limit.
///
/// The policy has no clock; its user waits.
///
/// PulseAudio: nothing; `PA_CONTEXT_NOFAIL` does not bring back a connection that was lost.
public struct ReconnectPolicy: Hashable, Sendable {
    /// The first delay.
    public let first: Duration
    /// The longest delay.
    public let limit: Duration
    private var upcoming: Duration

    /// Creates a policy; a restarted server accepts connections after some 20 to 50 ms.
    public init(first: Duration = .milliseconds(20), limit: Duration = .seconds(2)) {
        self.first = first
        self.limit = limit
        upcoming = first
    }

    /// The time to wait before the next attempt.
    public mutating func next() -> Duration {
        defer { upcoming = min(upcoming * 2, limit) }
        return min(upcoming, limit)
    }

    /// Begins anew, after a success.
    public mutating func reset() { upcoming = first }
}
