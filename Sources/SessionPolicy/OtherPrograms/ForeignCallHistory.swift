/// What the calls and alarms of other programs do to a session, over time.
///
/// A call interrupts when it starts, and the last one of those that did ends the interruption. Those that were there
/// before, when the session was activated or when somebody looked for the first time, have no part in it.
package struct ForeignCallHistory: Sendable {
    /// How long a call must be gone before it is over, in seconds.
    ///
    /// PipeWire shows a stream as corked for up to 10 ms while it is linked anew.
    package static let settling = 0.05

    private struct Entry {
        var call: ForeignCall
        /// Whether it started under an active session, as far as we know.
        var interrupts: Bool
        /// When it is over; `nil` while it is there.
        var end: Double?
    }

    /// In the order of their starts.
    private var entries: [Entry] = []
    private var hasLooked = false

    /// Before the first look.
    package init() {}

    /// The call that keeps others from taking sound, the oldest one if there are several.
    package var current: ForeignCall? { entries.first?.call }

    /// Whether one of those that interrupt is there.
    package var isInterrupting: Bool { entries.contains(where: \.interrupts) }

    /// When to look again though nothing changed, on the clock of ``observe(_:at:)``.
    package var nextLook: Double? { entries.compactMap(\.end).min() }

    /// The calls and alarms that are there now; `now` is in seconds, from a clock that never goes back.
    package mutating func observe(_ calls: [ForeignCall], at now: Double) -> [HostEvent] {
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
            entries.append(Entry(call: call, interrupts: hasLooked))
            if hasLooked { events.append(.interruptionBegan(.foreignCall, by: call.origin)) }
        }
        hasLooked = true
        if wasInterrupting, !isInterrupting {
            events.append(.interruptionEnded(.foreignCall, shouldResume: true))
        }
        return events
    }

    /// The session was activated, for the first time or during a call: what runs now does not interrupt it any more.
    package mutating func sessionActivated() {
        for index in entries.indices { entries[index].interrupts = false }
    }
}
