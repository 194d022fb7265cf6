/// A published claim that takes effect once its echo, and every earlier answer, has come.
struct PendingClaim: Sendable {
    var claim: Claim
    /// The claim to restore if this one is refused; `nil` once that has happened.
    var previous: Claim?
    /// Whether the ticket was drawn a second time.
    var isRenewed = false
    /// Whether the session is being activated, rather than changing its settings.
    var isActivation = false
    /// Whether the app's activation has returned before the claim is in effect.
    var isGranted = false
    /// The reason of a refusal, once there was one.
    var failure: SessionError?
    /// The clients whose change the server announced before it had this claim, as far as its events are in order,
    /// with the state known then.
    var earlierChanges: [UInt32: EarlierChange] = [:]
    /// The number of events about earlier claims of this session before the event about this one.
    var ownEventsBeforeEcho = 0
    /// Whether a newer session was queried once more, so that everything shown by the first answer has been
    /// announced: servers may answer before they announce a change.
    var confirmation = Confirmation.none
    /// Whether the server has announced this claim.
    var isAnnounced = false
    /// The number of its request.
    let request: Int

    /// Whether the app's activation may return as soon as the server shows the claim: no call can refuse it.
    var isGrantable: Bool { isActivation && !isGranted && !claim.settings.isRefusedDuringCalls }

    /// The claim to publish after this one failed: the sessions that it interrupted meanwhile may resume.
    func wayBack(to previous: Claim) -> Claim { previous.state == .idle ? claim.idle(notify: true) : previous }

    /// Notes an event about a client; returns whether the server had that change before this claim.
    mutating func changed(_ client: UInt32, isOwn: Bool) -> Bool {
        guard !isAnnounced else { return false }
        guard isOwn else {
            earlierChanges[client] = EarlierChange()
            return true
        }
        if ownEventsBeforeEcho > 0 { ownEventsBeforeEcho -= 1 } else { isAnnounced = true }
        return false
    }

    /// Notes the age of a client's claim, from the answer that covers its earlier changes.
    mutating func learned(_ client: UInt32, order: ClaimOrder?) {
        guard let earlier = earlierChanges[client], earlier.order == nil else { return }
        earlierChanges[client] = EarlierChange(order: order, isBeforeGrant: !isGranted)
    }

    /// Notes that the newer session has answered, or is gone.
    mutating func confirmed(by client: UInt32) {
        if confirmation == .asked(client) { confirmation = .done }
    }

    /// The state of the last request before a renewal.
    enum Confirmation: Equatable, Sendable {
        case none
        case asked(UInt32)
        case done
    }

    /// A client's changes that the server announced before it had the pending claim.
    struct EarlierChange: Sendable {
        /// The age of the claim in the first answer that covers them; `nil` before that.
        var order: ClaimOrder?
        /// Whether that answer came before the app's activation returned.
        var isBeforeGrant = false
    }
}
