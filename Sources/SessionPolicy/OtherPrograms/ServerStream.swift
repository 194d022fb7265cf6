/// A stream of any program on the sound server, with the properties that the policy uses.
///
/// PulseAudio: a sink input or a source output.
package struct ServerStream: Hashable, Sendable {
    /// The direction of a stream: playback or capture.
    package enum Direction: Hashable, Sendable { case playback, capture }

    /// The origin of a stream.
    package enum Kind: Hashable, Sendable {
        /// A program.
        case program
        /// A sample from the server's cache: a bell or a click, too short to be ducked.
        case sample
        /// A loopback, a filter, a combination of sinks, or a recording of a monitor: its sound is another stream's.
        case plumbing
    }

    /// Playback or capture.
    package var direction: Direction
    /// The server's index of the stream, unique within its direction.
    package var index: UInt32
    /// The index of the client (connection) that owns the stream; nil for a stream of the server itself.
    package var client: UInt32?
    /// The index of the stream's sink or source; nil while the stream is being linked or moved.
    ///
    /// For a stream that plays into a sink for roles it is the device behind that.
    package var device: UInt32?
    /// The index of the sink for its role that a playback stream plays into (``RolePolicy``); nil for any other stream.
    package var roleSink: UInt32?
    /// The origin: a program, the sample cache, or the server's plumbing.
    package var kind: Kind
    /// The media role, in PulseAudio's words: `music`, `phone`, `alarm`.
    package var role: String?
    /// The process ID that the client reports.
    package var pid: Int32?
    /// The host name of that process.
    package var host: String?
    /// The file name of the program; distinguishes sandboxes, whose process IDs are alike.
    package var binary: String?
    /// The program's identifier, such as `org.videolan.VLC`.
    package var applicationID: String?
    /// The program's name for people.
    package var applicationName: String?
    /// The title of the media, for people.
    package var title: String?
    /// The `uid` of the claim that the stream names as its owner (`avaudiosession.owner`).
    package var owner: UInt64?
    /// Whether the stream is corked (paused).
    package var isCorked: Bool
    /// Whether the stream is muted.
    package var isMuted: Bool

    /// A stream with these properties.
    package init(
        direction: Direction = .playback, index: UInt32, client: UInt32? = nil, device: UInt32? = nil,
        kind: Kind = .program, role: String? = nil, pid: Int32? = nil, host: String? = nil,
        binary: String? = nil, applicationID: String? = nil, applicationName: String? = nil, title: String? = nil,
        owner: UInt64? = nil, isCorked: Bool = false, isMuted: Bool = false, roleSink: UInt32? = nil
    ) {
        self.direction = direction
        self.index = index
        self.client = client
        self.device = device
        self.kind = kind
        self.role = role
        self.pid = pid
        self.host = host
        self.binary = binary
        self.applicationID = applicationID
        self.applicationName = applicationName
        self.title = title
        self.owner = owner
        self.isCorked = isCorked
        self.isMuted = isMuted
        self.roleSink = roleSink
    }
}

extension ServerStream {
    /// The participant that owns the stream; nil for a program that does not use the library.
    ///
    /// | the stream | belongs to |
    /// |---|---|
    /// | comes over the control connection of a participant | that one |
    /// | names an owner (`avaudiosession.owner`) that takes part | that one |
    /// | is of the process of a participant, on the same machine (SDL, OpenAL, `pa_simple` beside the library) | that one |
    /// | any other | nobody |
    ///
    /// A claim without a process ID (in a Flatpak) is never matched by process.
    package func participant(among participants: [Participant]) -> Participant? {
        if let client, let found = participants.first(where: { $0.id == client }) { return found }
        if let owner, let found = participants.first(where: { $0.claim.uid == owner }) { return found }
        return participantOfProcess(among: participants)
    }

    /// The participant that this playback stream belongs to and that cannot stop it itself; nil for any other stream.
    ///
    /// | the stream | belongs to |
    /// |---|---|
    /// | comes over the control connection of a participant | nil: that one stops it itself |
    /// | is of the process of a participant (SDL, OpenAL, `pa_simple` beside the library) | that one |
    /// | names an owner (`avaudiosession.owner`) that takes part (the command of `audiosession run`, a child of the app, another library in a Flatpak) | that one |
    package func unmanagedStreamOwner(among participants: [Participant]) -> Participant? {
        guard direction == .playback, kind == .program, !participants.contains(where: { $0.id == client }) else {
            return nil
        }
        // A command's program may have its own session, which then covers everything in its process.
        return participantOfProcess(among: participants) ?? participants.first { $0.claim.uid == owner }
    }

    /// The participant in whose process the stream is, as far as that can be told; of several in one process a live one,
    /// and then the one with the lowest client index, so that all processes name the same.
    private func participantOfProcess(among participants: [Participant]) -> Participant? {
        guard let pid, pid != 0, let host else { return nil }
        return participants.filter { $0.claim.pid == pid && $0.claim.host == host }
            .min { ($0.isLive ? 0 : 1, $0.id) < ($1.isLive ? 0 : 1, $1.id) }
    }
}

/// The session or stream that interrupted a session, for explanations.
package struct InterruptionOrigin: Hashable, Sendable {
    /// The name of the program.
    package var name: String?
    /// The process ID of the program.
    package var pid: Int32?
    /// The index of the playback stream, if a stream interrupted and not a session.
    package var stream: UInt32?

    /// An origin; nil for what is not known.
    package init(name: String? = nil, pid: Int32? = nil, stream: UInt32? = nil) {
        self.name = name
        self.pid = pid
        self.stream = stream
    }
}
