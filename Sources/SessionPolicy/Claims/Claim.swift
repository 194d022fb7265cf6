/// A session's published state: its identity, settings, ticket and whether it is active.
///
/// A claim is published whole, as one line of text (``encoded``), and every process judges the same list of claims by
/// the same rules (``Arbitration``). Every claim can be encoded, and reads back equal.
///
/// PulseAudio: the property `avaudiosession.claim` of a client.
package struct Claim: Hashable, Sendable {
    /// The published state of a session.
    ///
    /// Arbitration only uses whether it is idle; ducking and muting also whether it is active.
    package enum State: String, CaseIterable, Sendable {
        /// Not active, and without effect on others. Can move to: active.
        case idle
        /// Activated. Can move to: idle (deactivated), interrupted (a verdict).
        case active
        /// Interrupted; the sessions that it has interrupted stay interrupted. Can move to: active (resumed, with a new
        /// ticket), idle (deactivated, or did not resume after the end).
        case interrupted
    }

    /// The treatment of streams of programs outside the library while the session is active by verdict and by claim.
    package enum Foreign: String, CaseIterable, Sendable {
        /// Streams that played already when it became active are silenced.
        case silence
        /// All streams are ducked, as under a session with `duckOthers`.
        case duck
    }

    /// The ticket drawn at activation, below ``ClaimOrder/limit``: the higher, the newer.
    package private(set) var seq: UInt64
    /// 64 random bits of the process; they decide between equal tickets.
    package let uid: UInt64
    /// Whether the session is idle, active or interrupted.
    package private(set) var state: State
    /// Category, mode and options in force; the route sharing policy is always default, since it does not concern others.
    package private(set) var settings: SessionSettings
    /// Whether players or recorders of the session run; for the hints to others.
    package var isPlaying: Bool
    /// Whether the process can duck streams of programs outside the library.
    package var canDuck: Bool
    /// The name of the machine, cut to the length that an encoded claim has room for.
    package let host: String
    /// The process ID on its host.
    package let pid: Int32
    /// Whether the sessions that this one interrupted may resume; false unless the claim is idle.
    package private(set) var notify: Bool

    /// The treatment of programs outside the library; `nil` for none, as for an idle session.
    package private(set) var foreign: Foreign?
    /// Whether streams that belong to the session, but that it cannot stop, are to be silent: those of other libraries
    /// in its process, and those of the command for which `audiosession run` holds it.
    package private(set) var isProcessSilent: Bool

    /// The longest host name in a claim, in bytes of UTF-8; Linux has none longer.
    static let longestHost = 64

    /// A claim with these values, each brought into the range of its encoding.
    ///
    /// Tickets beyond the limit become the highest, negative process IDs 0, and control characters in host names are
    /// removed.
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

    // MARK: State changes

    /// The claim of a session that is activated or resumes, with a new ticket from ``ClaimOrder/nextTicket(after:)``.
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

    /// The claim of an active session with other settings; the ticket is used only if the change needs it.
    ///
    /// The claim of an interrupted session stays as it is until that session resumes: a change under a new ticket would
    /// be an activation without the app.
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

    /// The claim of a session that ended; with `notify`, the sessions that it interrupted may resume.
    ///
    /// A session that does not resume after its interruption passes on the flag it received.
    package func idle(notify: Bool) -> Claim {
        var claim = self
        claim.state = .idle
        claim.isPlaying = false
        claim.notify = notify
        claim.foreign = nil
        claim.isProcessSilent = false
        return claim
    }

    /// The same claim with another treatment of programs outside the library; an idle claim has none.
    package func treating(foreign: Foreign?) -> Claim {
        var claim = self
        claim.foreign = state == .idle ? nil : foreign
        return claim
    }

    /// The same claim with streams that the session cannot stop silenced, or restored.
    ///
    /// This also applies to an idle claim: that of a command whose session was refused during a call.
    package func silencing(process isSilent: Bool) -> Claim {
        var claim = self
        claim.isProcessSilent = isSilent
        return claim
    }
}

extension Claim {
    /// Whether the session mixes with others.
    package var isMixable: Bool { settings.isMixable }

    /// Whether the sessions of two claims are in one process, so that they never interrupt, duck or mute each other.
    ///
    /// False where a claim has no process ID, as in a Flatpak.
    package func isOfSameProcess(as other: Claim) -> Bool {
        pid > 0 && pid == other.pid && host == other.host && !host.isEmpty
    }

    /// Whether the session is a call, which interrupts all others.
    package var isCall: Bool { settings.isCall }

    /// Whether the session ducks others while it is active.
    package var ducksOthers: Bool { settings.ducksOthers }

    /// Whether the session interrupts sessions in mode spokenAudio.
    package var interruptsSpokenAudio: Bool { settings.interruptsSpokenAudio }

    /// Whether the session is in mode spokenAudio, and is interrupted by prompts.
    package var isSpokenAudio: Bool { settings.mode == .spokenAudio }

    /// Whether the session is of category record, which mutes or interrupts others.
    package var isRecordingOnly: Bool { settings.category == .record }
}

extension SessionSettings: Hashable {
    /// Hashes category, mode and options, the settings that a claim contains.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(category)
        hasher.combine(mode)
        hasher.combine(options)
    }

    /// The settings with all options in force as requested ones, and the default policy.
    fileprivate var asClaimed: SessionSettings {
        // The options in force are always legal; a test checks all combinations.
        (try? .validated(category: category, mode: mode, options: options)) ?? self
    }
}

extension String {
    /// The longest prefix of at most a number of bytes of UTF-8, without control characters.
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
    /// Whether the character is a control character, which a terminal might execute.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
