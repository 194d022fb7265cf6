/// All who make or take sound on a server at one moment, as far as people want to know.
package struct ServerState: Sendable {
    /// The sessions and the verdicts on them.
    package let arbitration: Arbitration
    /// The names of the programs, by client index.
    package let names: [UInt32: String]
    /// All streams, of sessions and of programs outside.
    package let streams: [ServerStream]
    /// The machine from which it is looked at: processes there can be told something.
    package let host: String
    /// Whether the server itself silences music during calls (PulseAudio: `module-role-cork`).
    package let serverSilencesForCalls: Bool
    /// Whether the server lowers streams by a policy of its own, to which sessions leave programs outside.
    package let serverLowersStreams: Bool
    /// The sink that new streams go to; `nil` while there is none.
    package let defaultSink: UInt32?
    /// What else the user counts as a call.
    package let policy: UserPolicy
    /// How a name that a stranger chose is written in what is said to people, such as shorter.
    package var spelling: @Sendable (String) -> String = { $0 }

    /// A state; participants without a name are called by their number.
    package init(
        arbitration: Arbitration, names: [UInt32: String] = [:], streams: [ServerStream] = [], host: String = "",
        serverSilencesForCalls: Bool = false, serverLowersStreams: Bool = false, defaultSink: UInt32? = nil,
        policy: UserPolicy = UserPolicy()
    ) {
        self.arbitration = arbitration
        self.names = names
        self.streams = streams
        self.host = host
        self.serverSilencesForCalls = serverSilencesForCalls
        self.serverLowersStreams = serverLowersStreams
        self.defaultSink = defaultSink
        self.policy = policy
    }

    /// An empty stage.
    package static let empty = ServerState(arbitration: Arbitration())
}

// MARK: - Sessions

extension ServerState {
    /// Where a session stands, by the verdict and by its own word.
    ///
    /// | the process | the claim says | the verdict says | condition |
    /// |---|---|---|---|
    /// | runs | idle | – | idle |
    /// | is stopped | idle | – | idle |
    /// | is stopped | otherwise | – | stopped |
    /// | runs | active | active | active |
    /// | runs | active, interrupted | interrupted | interrupted |
    /// | runs | interrupted | active | interrupted: by something that is no session, or it may go on and has not yet |
    package enum Condition: String, Hashable, Sendable {
        /// Wants nothing.
        case idle
        /// Its process is stopped; it counts as idle.
        case stopped
        /// May be heard.
        case active
        /// Must not be heard.
        case interrupted
    }

    /// What holds a session back.
    package enum Hindrance: Hashable, Sendable {
        /// Another session interrupts it.
        case session(UInt32, Interruption.Rule)
        /// It is interrupted, and a call or an alarm of a program outside is going on.
        case foreignCall(ServerStream)
        /// It is interrupted, and nobody here is the reason.
        case unseen
        /// Another session lowers it.
        case ducking(UInt32)
        /// Another session records and mutes it.
        case recording(UInt32)
    }

    /// Those who take part, in the order of their client indexes.
    package var participants: [Participant] { arbitration.participants.sorted { $0.id < $1.id } }

    /// The name of a participant for people.
    package func name(of id: UInt32) -> String { spelling(names[id] ?? "client \(id)") }

    /// Where a participant stands.
    package func condition(of participant: Participant) -> Condition {
        if participant.claim.state == .idle { return .idle }
        switch arbitration.verdict(on: participant.id).standing {
        case .inactive: return .stopped
        case .interrupted: return .interrupted
        case .active: return participant.claim.state == .interrupted ? .interrupted : .active
        }
    }

    /// Everything that holds a participant back, the most important first.
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

    /// Those whom a participant interrupts, alone or together with others.
    package func victims(of participant: Participant) -> [Participant] {
        participants.filter { arbitration.rules.rule(by: participant, against: $0) != nil }
    }
}

// MARK: - Streams

extension ServerState {
    /// The streams of programs: loopbacks, filters and bells are left out.
    package var programStreams: [ServerStream] { streams.filter { $0.kind == .program } }

    /// The streams of programs outside the library.
    package var foreignStreams: [ServerStream] { programStreams.filter { owner(of: $0) == nil } }

    /// The participant that a stream belongs to; `nil` for a stream of a program outside.
    ///
    /// A session of its own comes before the one that its process was started under.
    package func owner(of stream: ServerStream) -> Participant? {
        stream.client.flatMap { arbitration.participant($0) } ?? stream.participant(among: arbitration.participants)
    }

    /// The calls and alarms of programs outside that are going on.
    package var calls: [ServerStream] {
        let rules = ForeignCallRules(policy: policy)
        return rules.naming(foreignStreams, participants: arbitration.participants).filter(\.soundsLikeCall)
    }

    /// The name of a stream's program for people.
    package func name(of stream: ServerStream) -> String {
        spelling(
            stream.applicationName ?? stream.applicationID ?? stream.pid.map { "process \($0)" }
                ?? "an unknown program")
    }

    /// The role of a stream for people; nil for one without.
    package func role(of stream: ServerStream) -> String? { stream.role.map(spelling) }
}

extension ServerStream {
    /// Whether it plays with a role that interrupts sessions.
    package var soundsLikeCall: Bool {
        direction == .playback && !isCorked && (role == "phone" || role == "alarm")
    }
}

extension String {
    /// The text without characters that a terminal might take for a command, and those that turn the order of what
    /// follows: names come from strangers.
    package var withoutControls: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isControl && !$0.turnsText }))
    }
}

extension Unicode.Scalar {
    /// Whether the character is nothing but a direction for those around it, as text from right to left may have it:
    /// one in a name would have the rest of a line read backwards.
    package var turnsText: Bool {
        switch value {
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
