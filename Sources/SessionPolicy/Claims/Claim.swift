/// What a session tells all others about itself: who it is, what it wants, and where it stands.
///
/// A claim is published whole, as one line of text (``encoded``), and every process judges the same list of claims by
/// the same rules (``Arbitration``). Whatever a claim holds can be encoded, and reads back equal.
///
/// PulseAudio: the property `avaudiosession.claim` of a client.
package struct Claim: Hashable, Sendable {
    /// Where a session says that it stands; arbitration asks only whether it is idle, but for ducking and muting.
    package enum State: String, CaseIterable, Sendable {
        /// Wants nothing, and affects nobody. Can move to: active.
        case idle
        /// Has been activated. Can move to: idle (deactivated), interrupted (a verdict).
        case active
        /// Was active, and still wants to be: others that it interrupted stay so. Can move to: active (came back, with
        /// a new ticket), idle (gave up, or was told of the end and did not come back).
        case interrupted
    }

    /// What a session does to the streams of programs outside the library, for as long as it is active by the verdict
    /// and by its claim.
    package enum Foreign: String, CaseIterable, Sendable {
        /// Those that played already when it became active are silenced.
        case silence
        /// All are lowered, as under a session that ducks.
        case duck
    }

    /// The ticket drawn at activation, below ``ClaimOrder/limit``: the higher, the newer.
    package private(set) var seq: UInt64
    /// 64 random bits of the process, which decide between equal tickets.
    package let uid: UInt64
    /// Where the session stands.
    package private(set) var state: State
    /// Category, mode and options in force; the policy is always default, because it is nobody else's business.
    package private(set) var settings: SessionSettings
    /// Whether players or recorders of the session run; for the hints to others.
    package var isPlaying: Bool
    /// Whether the process is able to lower streams of programs outside the library.
    package var canDuck: Bool
    /// The name of the machine, cut to what an encoded claim has room for.
    package let host: String
    /// The process, as numbered on its host.
    package let pid: Int32
    /// Whether those whom the session interrupted may go on; said by an idle claim only.
    package private(set) var notify: Bool

    /// What is done to programs outside the library; `nil` for nothing, as for a session that is idle.
    package private(set) var foreign: Foreign?
    /// Whether streams are to be silent that belong to the session and that it cannot stop: those of other libraries in
    /// its process, and those of the command that `audiosession run` holds it for.
    package private(set) var isProcessSilent: Bool

    /// The longest host name that is told, in bytes of UTF-8: the longest that Linux has.
    static let longestHost = 64

    /// A claim; what does not fit its encoding is brought to what does.
    ///
    /// Tickets beyond the limit become the highest, negative process numbers 0, control characters in host names go.
    package init(
        seq: UInt64 = 0, uid: UInt64, state: State = .idle, settings: SessionSettings = .default,
        isPlaying: Bool = false, canDuck: Bool = false, host: String = "", pid: Int32 = 0, notify: Bool = false,
        foreign: Foreign? = nil, isProcessSilent: Bool = false
    ) {
        self.seq = min(seq, ClaimOrder.limit - 1)
        self.uid = uid
        self.state = state
        self.settings = settings.asClaimed
        self.isPlaying = isPlaying
        self.canDuck = canDuck
        self.host = host.fitting(bytes: Self.longestHost)
        self.pid = max(pid, 0)
        self.notify = state == .idle && notify
        self.foreign = state == .idle ? nil : foreign
        self.isProcessSilent = isProcessSilent
    }

    // MARK: The steps of a session's life

    /// The claim of a session that activates, or comes back, with a new ticket from ``ClaimOrder/nextTicket(after:)``.
    package func activating(with settings: SessionSettings, ticket: UInt64) -> Claim {
        var claim = self
        claim.seq = min(ticket, ClaimOrder.limit - 1)
        claim.state = .active
        claim.settings = settings.asClaimed
        claim.notify = false
        claim.isProcessSilent = false
        return claim
    }

    /// The same claim with another ticket.
    package func renewed(ticket: UInt64) -> Claim {
        var claim = self
        claim.seq = min(ticket, ClaimOrder.limit - 1)
        return claim
    }

    /// The claim of an active session with other settings; the ticket is taken only if the change needs it.
    ///
    /// The claim of an interrupted session stays as it is until that session comes back: a change of what it says, with
    /// a new ticket, would be an activation that nobody asked for.
    package func changing(to settings: SessionSettings, ticket: UInt64) -> Claim {
        guard state == .active else { return self }
        var claim = self
        if self.settings.needsNewTicket(for: settings) { claim.seq = min(ticket, ClaimOrder.limit - 1) }
        claim.settings = settings.asClaimed
        return claim
    }

    /// The claim of a session that lost an arbitration.
    package func interrupted() -> Claim {
        guard state == .active else { return self }
        var claim = self
        claim.state = .interrupted
        claim.isPlaying = false
        return claim
    }

    /// The claim of a session that ended; with `notify`, those whom it interrupted may go on.
    ///
    /// A session that was interrupted, was told of the end and does not come back passes the flag on that it was told.
    package func idle(notify: Bool) -> Claim {
        var claim = self
        claim.state = .idle
        claim.isPlaying = false
        claim.notify = notify
        claim.foreign = nil
        claim.isProcessSilent = false
        return claim
    }

    /// The same claim with another treatment of programs outside the library; an idle one has none.
    package func treating(foreign: Foreign?) -> Claim {
        var claim = self
        claim.foreign = state == .idle ? nil : foreign
        return claim
    }

    /// The same claim with the streams that the session cannot stop silenced, or heard again.
    ///
    /// An idle claim may say so, too: that of a command whose session a call refuses.
    package func silencing(process isSilent: Bool) -> Claim {
        var claim = self
        claim.isProcessSilent = isSilent
        return claim
    }
}

extension Claim {
    /// Whether the session leaves others alone and is left alone.
    package var isMixable: Bool { settings.isMixable }

    /// Whether the session is a call, which comes before everything else.
    package var isCall: Bool { settings.isCall }

    /// Whether the session lowers others while it is active.
    package var ducksOthers: Bool { settings.ducksOthers }

    /// Whether the session interrupts those that speak.
    package var interruptsSpokenAudio: Bool { settings.interruptsSpokenAudio }

    /// Whether the session pauses for prompts.
    package var isSpokenAudio: Bool { settings.mode == .spokenAudio }

    /// Whether the session silences others because it records.
    package var isRecordingOnly: Bool { settings.category == .record }
}

extension SessionSettings: Hashable {
    /// Feeds category, mode and options, which is what a claim tells.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(category)
        hasher.combine(mode)
        hasher.combine(options)
    }

    /// The same meaning with the options in force as if all were asked for, and the policy left out.
    fileprivate var asClaimed: SessionSettings {
        // What is in force is always legal; a test goes through all combinations.
        (try? .validated(category: category, mode: mode, options: options)) ?? self
    }
}

extension String {
    /// The beginning of the text that takes at most so many bytes of UTF-8, without control characters.
    fileprivate func fitting(bytes limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var size = 0
        for scalar in unicodeScalars where !scalar.isControl {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            result.append(scalar)
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal might take the character for a command.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
