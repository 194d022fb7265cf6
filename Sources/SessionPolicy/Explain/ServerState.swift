/// The sessions and streams of a server at one moment, as input for explanations.
package struct ServerState: Sendable {
    /// The sessions and the verdicts on them.
    package let arbitration: Arbitration
    /// The names of the programs, by client index.
    package let names: [UInt32: String]
    /// All streams, of sessions and of other programs.
    package let streams: [ServerStream]
    /// The host name of this machine, whose processes can be sent signals.
    package let host: String
    /// Whether the server itself silences music during calls (PulseAudio: `module-role-cork`).
    package let serverSilencesForCalls: Bool
    /// Whether the server has a ducking policy of its own, to which ducking is left.
    package let serverLowersStreams: Bool
    /// The server's policy for roles.
    package let rolePolicy: RolePolicy
    /// The default sink; nil if there is none.
    package let defaultSink: UInt32?
    /// The user's settings, such as for what counts as a call.
    package let policy: UserPolicy
    /// The formatting of names of other programs, such as cutting.
    package var spelling: @Sendable (String) -> String = { $0 }

    /// A state; participants without a name are named by their client index.
    package init(
        arbitration: Arbitration, names: [UInt32: String] = [:], streams: [ServerStream] = [], host: String = "",
        serverSilencesForCalls: Bool = false, serverLowersStreams: Bool = false,
        rolePolicy: RolePolicy = RolePolicy(), defaultSink: UInt32? = nil, policy: UserPolicy = UserPolicy()
    ) {
        self.arbitration = arbitration
        self.names = names
        self.streams = streams
        self.host = host
        self.serverSilencesForCalls = serverSilencesForCalls
        self.serverLowersStreams = serverLowersStreams
        self.rolePolicy = rolePolicy
        self.defaultSink = defaultSink
        self.policy = policy
    }

    /// A state without sessions and streams.
    package static let empty = ServerState(arbitration: Arbitration())
}

// MARK: - Sessions

extension ServerState {
    /// The condition of a session, by the verdict and by its claim.
    ///
    /// | the process | the claim says | the verdict says | condition |
    /// |---|---|---|---|
    /// | runs | idle | – | idle |
    /// | is stopped | idle | – | idle |
    /// | is stopped | otherwise | – | stopped |
    /// | runs | active | active | active |
    /// | runs | active, interrupted | interrupted | interrupted |
    /// | runs | interrupted | active | interrupted: by something other than a session, or it has not resumed yet |
    package enum Condition: String, Hashable, Sendable {
        /// Not active.
        case idle
        /// Not active because its process is stopped.
        case stopped
        /// Active and audible.
        case active
        /// Interrupted and silent.
        case interrupted
    }

    /// A reason for which a session is interrupted, ducked or muted.
    package enum Hindrance: Hashable, Sendable {
        /// An interruption by another session.
        case session(UInt32, Interruption.Rule)
        /// An interruption during a call or an alarm of another program.
        case foreignCall(ServerStream)
        /// An interruption without a visible cause.
        case unseen
        /// Ducking by another session.
        case ducking(UInt32)
        /// A mute by another session that records.
        case recording(UInt32)
    }

    /// The participants in the order of their client indexes.
    package var participants: [Participant] { arbitration.participants.sorted { $0.id < $1.id } }

    /// The name of a participant to display.
    package func name(of id: UInt32) -> String { spelling(names[id] ?? "client \(id)") }

    /// The condition of a participant.
    package func condition(of participant: Participant) -> Condition {
        if participant.claim.state == .idle { return .idle }
        switch arbitration.verdict(on: participant.id).standing {
        case .inactive: return .stopped
        case .interrupted: return .interrupted
        case .active: return participant.claim.state == .interrupted ? .interrupted : .active
        }
    }

    /// All hindrances of a participant, the most important first.
    package func hindrances(of participant: Participant) -> [Hindrance] {
        let verdict = arbitration.verdict(on: participant.id)
        var all = condition(of: participant) == .interrupted ? interruptions(of: participant) : []
        if verdict.isDucked { all += arbitration.duckers.map { .ducking($0) } }
        if verdict.isMutedByRecording { all += recorders.map { .recording($0) } }
        return all
    }

    private func interruptions(of participant: Participant) -> [Hindrance] {
        let sessions: [Hindrance] = arbitration.interrupters(of: participant.id).compactMap { other in
            arbitration.rules.rule(by: other, against: participant).map { .session(other.id, $0) }
        }
        if !sessions.isEmpty { return sessions }
        return calls.isEmpty ? [.unseen] : calls.map { .foreignCall($0) }
    }

    private var recorders: [UInt32] {
        participants.filter { $0.claim.isRecordingOnly && arbitration.verdict(on: $0.id).isInEffect(for: $0) }.map(\.id)
    }

    /// The participants that a participant interrupts, alone or together with others.
    package func victims(of participant: Participant) -> [Participant] {
        participants.filter { arbitration.rules.rule(by: participant, against: $0) != nil }
    }
}

// MARK: - Streams

extension ServerState {
    /// The streams of programs, without loopbacks, filters and samples.
    package var programStreams: [ServerStream] { streams.filter { $0.kind == .program } }

    /// The streams of programs that do not use the library.
    package var foreignStreams: [ServerStream] { programStreams.filter { owner(of: $0) == nil } }

    /// The participant that owns a stream; nil for a program that does not use the library.
    ///
    /// The session of the stream's process takes precedence over the session around its command.
    package func owner(of stream: ServerStream) -> Participant? {
        stream.client.flatMap { arbitration.participant($0) } ?? stream.participant(among: arbitration.participants)
    }

    /// The calls and alarms of other programs that are in progress.
    package var calls: [ServerStream] {
        let rules = ForeignCallRules(policy: policy)
        return rules.naming(foreignStreams, participants: arbitration.participants).filter(\.soundsLikeCall)
    }

    /// The name of a stream's program to display.
    package func name(of stream: ServerStream) -> String {
        spelling(
            stream.applicationName ?? stream.applicationID ?? stream.pid.map { "process \($0)" }
                ?? "an unknown program")
    }

    /// The role of a stream to display; nil for a stream without one.
    package func role(of stream: ServerStream) -> String? { stream.role.map(spelling) }
}

extension ServerStream {
    /// Whether the stream plays with a role that interrupts sessions.
    package var soundsLikeCall: Bool {
        direction == .playback && !isCorked && (role == "phone" || role == "alarm")
    }
}

extension String {
    /// The text without control characters and without those that change the direction of text, for names of other
    /// programs.
    package var withoutControls: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isControl && !$0.turnsText }))
    }
}

extension Unicode.Scalar {
    /// Whether the character only sets the direction of text; one in a name could reverse the rest of a line.
    package var turnsText: Bool {
        switch value {
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
