/// The interruptions of a session by calls and alarms of other programs, over time.
///
/// A call interrupts when it starts, and the interruption ends with the last call that interrupted. Calls in progress
/// at the activation, or at the first observation, do not interrupt.
package struct ForeignCallHistory: Sendable {
    /// The time for which a call must be gone before it is over, in seconds.
    ///
    /// PipeWire shows a stream as corked for up to 10 ms while it relinks it.
    package static let settling = 0.05

    private struct Entry {
        var call: ForeignCall
        /// Whether it started during an active session, as far as known.
        var interrupts: Bool
        /// The time at which it is over; `nil` while it is in progress.
        var end: Double?
    }

    /// The calls, in the order of their starts.
    private var entries: [Entry] = []
    private var hasLooked = false

    /// The history before the first observation.
    package init() {}

    /// The call that keeps sessions from recording; the oldest of several.
    package var current: ForeignCall? { entries.first?.call }

    /// Whether an interrupting call is in progress.
    package var isInterrupting: Bool { entries.contains(where: \.interrupts) }

    /// The time of the next observation even if nothing changes, on the clock of ``observe(_:at:)``.
    package var nextLook: Double? { entries.compactMap(\.end).min() }

    /// Observes the current calls and alarms; `now` is in seconds, from a clock that never goes back.
    ///
    /// `newcomers` are streams that are known to have started since the activation, though none was observed before.
    package mutating func observe(
        _ calls: [ForeignCall], newcomers: Set<UInt32> = [], at now: Double
    ) -> [HostEvent] {
        let wasInterrupting = isInterrupting
        var events: [HostEvent] = []
        for index in entries.indices {
            if let call = calls.first(where: { $0.identity == entries[index].call.identity }) {
                entries[index].call = call
                entries[index].end = nil
            } else if entries[index].end == nil {
                entries[index].end = now + Self.settling
            }
        }
        entries.removeAll { entry in entry.end.map { $0 <= now } ?? false }
        for call in calls where !entries.contains(where: { $0.call.identity == call.identity }) {
            let starts = hasLooked || call.origin.stream.map(newcomers.contains) == true
            entries.append(Entry(call: call, interrupts: starts))
            if starts { events.append(.interruptionBegan(.foreignCall, by: call.origin)) }
        }
        hasLooked = true
        if wasInterrupting, !isInterrupting {
            events.append(.interruptionEnded(.foreignCall, shouldResume: true))
        }
        return events
    }

    /// Notes that the session was activated: calls that run now do not interrupt it any more.
    package mutating func sessionActivated() {
        for index in entries.indices { entries[index].interrupts = false }
    }
}
