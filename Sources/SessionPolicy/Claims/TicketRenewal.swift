extension SessionSettings {
    /// Whether an active session that changes to other settings must draw a new ticket, as if it activated again.
    ///
    /// | from | to | new ticket |
    /// |---|---|---|
    /// | mixable | not mixable | yes: it interrupts now, and must not lose to sessions that started while it mixed |
    /// | any | interrupts spoken audio, and did not before | yes, for the same reason |
    /// | no call | a call | yes: among calls the older wins, and a ticket from before would beat the live call |
    /// | a call | no call, not mixable | yes: sessions that started during the call would interrupt it |
    /// | any other | | no |
    ///
    /// A change that needs a ticket is published and decided like an activation. Any change may be refused during a
    /// call (`refusal(of:as:among:)`).
    package func needsNewTicket(for new: SessionSettings) -> Bool {
        if new.interruptsSpokenAudio && !interruptsSpokenAudio { return true }
        return !new.isMixable && (isMixable || isCall != new.isCall)
    }
}
