import SessionPolicy

/// Scenes to explain, with names in place of numbers.
struct Stage {
    static let host = "stue"
    private var participants: [Participant] = []
    private var names: [UInt32: String] = [:]
    private var streams: [ServerStream] = []
    var serverSilencesForCalls = false
    var serverLowersStreams = false
    var rolePolicy = RolePolicy()

    /// The scene as `audiosession` would see it.
    var state: ServerState {
        ServerState(
            arbitration: Arbitration(participants), names: names, streams: streams, host: Self.host,
            serverSilencesForCalls: serverSilencesForCalls, serverLowersStreams: serverLowersStreams,
            rolePolicy: rolePolicy, defaultSink: 0)
    }

    /// Adds a session, or replaces the one of that name; the ticket is the order of age.
    mutating func enter(
        _ name: String, _ category: SessionPolicy.Category = .playback, _ mode: Mode = .default,
        _ options: CategoryOptions = [], seq: UInt64, state: Claim.State = .active, isPlaying: Bool = false,
        isStopped: Bool = false, host: String = Stage.host, notify: Bool = false, foreign: Claim.Foreign? = nil,
        canDuck: Bool = true
    ) {
        let id = names.first { $0.value == name }?.key ?? UInt32(names.count + 1)
        leave(name)
        names[id] = name
        let settings = try! SessionSettings.validated(category: category, mode: mode, options: options)
        let claim = Claim(
            seq: seq, uid: UInt64(id), state: state, settings: settings, isPlaying: isPlaying, canDuck: canDuck,
            host: host, pid: Int32(1_000 + id), notify: notify, foreign: foreign)
        participants.append(Participant(id: id, claim: claim, isStopped: isStopped))
    }

    /// Takes a session away, as a crash does; its name stays its own.
    mutating func leave(_ name: String) { participants.removeAll { names[$0.id] == name } }

    /// The number of a session.
    func id(_ name: String) -> UInt32 { names.first { $0.value == name }!.key }

    /// Adds a stream, or replaces the one of that number.
    mutating func play(
        _ index: UInt32, of name: String, role: String? = nil, owner: String? = nil, isCorked: Bool = false,
        isMuted: Bool = false, direction: ServerStream.Direction = .playback, device: UInt32? = 0,
        roleSink: UInt32? = nil
    ) {
        stop(index)
        streams.append(
            ServerStream(
                direction: direction, index: index, client: 100 + index, device: device, role: role, pid: 500,
                host: Self.host, applicationName: name, owner: owner.map { UInt64(id($0)) }, isCorked: isCorked,
                isMuted: isMuted, roleSink: roleSink))
    }

    /// Takes a stream away.
    mutating func stop(_ index: UInt32) { streams.removeAll { $0.index == index } }

    /// What is said about a session.
    func explanation(of name: String) -> Explanation {
        explain(state).first { $0.subject == .session(id(name)) }!
    }

    /// What is said about a playback stream.
    func explanation(of stream: UInt32) -> Explanation {
        explain(state).first { $0.subject == .stream(.playback, stream) }!
    }
}
