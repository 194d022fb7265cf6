/// A stream of any program on the sound server, as far as the policy cares.
///
/// PulseAudio: a sink input or a source output.
package struct ServerStream: Hashable, Sendable {
    /// Whether it makes sound or takes it.
    package enum Direction: Hashable, Sendable { case playback, capture }

    /// What made it.
    package enum Kind: Hashable, Sendable {
        /// A program.
        case program
        /// A sample from the server's cache: a bell or a click, over before anybody could lower it.
        case sample
        /// A loopback, a filter, a combination of sinks, or a recording of a sink: sound that is counted elsewhere.
        case plumbing
    }

    /// Whether it makes sound or takes it.
    package var direction: Direction
    /// The server's number for it, unique among streams of its direction.
    package var index: UInt32
    /// The connection that it belongs to; `nil` for a stream of the server's own.
    package var client: UInt32?
    /// The sink or source that it is connected to; `nil` while it is being moved.
    package var device: UInt32?
    /// What made it.
    package var kind: Kind
    /// What it says that its sound is for, in PulseAudio's words: `music`, `phone`, `alarm`.
    package var role: String?
    /// The process that it says it belongs to.
    package var pid: Int32?
    /// The machine of that process.
    package var host: String?
    /// The name of that process's program file; tells sandboxes apart, which all number their processes alike.
    package var binary: String?
    /// The program's identifier, such as `org.videolan.VLC`.
    package var applicationID: String?
    /// The program's name for people.
    package var applicationName: String?
    /// What is heard, for people.
    package var title: String?
    /// The participant that it belongs to (`avaudiosession.owner`): the random bits of a claim.
    package var owner: UInt64?
    /// Whether it is paused.
    package var isCorked: Bool
    /// Whether it is muted.
    package var isMuted: Bool

    /// A stream.
    package init(
        direction: Direction = .playback, index: UInt32, client: UInt32? = nil, device: UInt32? = nil,
        kind: Kind = .program, role: String? = nil, pid: Int32? = nil, host: String? = nil,
        binary: String? = nil, applicationID: String? = nil, applicationName: String? = nil, title: String? = nil,
        owner: UInt64? = nil, isCorked: Bool = false, isMuted: Bool = false
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
    }
}

extension ServerStream {
    /// The participant that the stream belongs to; `nil` for a stream of a program outside.
    ///
    /// | the stream | belongs to |
    /// |---|---|
    /// | comes over the control connection of a participant | that one |
    /// | names an owner (`avaudiosession.owner`) that takes part | that one |
    /// | is of the process of a participant, on the same machine (SDL, OpenAL, `pa_simple` beside the library) | that one |
    /// | any other | nobody |
    ///
    /// A participant whose claim has no process is one whose number would say nothing (a Flatpak).
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
    /// | names an owner (`avaudiosession.owner`) that takes part (the command of `audiosession run`) | that one |
    package func unmanagedStreamOwner(among participants: [Participant]) -> Participant? {
        guard direction == .playback, kind == .program, !participants.contains(where: { $0.id == client }) else {
            return nil
        }
        // A command's program may have a session of its own, which then answers for everything in its process.
        return participantOfProcess(among: participants) ?? participants.first { $0.claim.uid == owner }
    }

    /// The participant in whose process the stream is, as far as that can be told.
    private func participantOfProcess(among participants: [Participant]) -> Participant? {
        guard let pid, let host else { return nil }
        return participants.first { $0.claim.pid == pid && $0.claim.host == host && pid != 0 }
    }
}

/// Who interrupted a session, for people and for programs that want to explain it.
package struct InterruptionOrigin: Hashable, Sendable {
    /// The name of the program.
    package var name: String?
    /// Its process.
    package var pid: Int32?
    /// The number of its playback stream on the server, where a stream interrupted and not a session.
    package var stream: UInt32?

    /// Somebody of whom this much is known.
    package init(name: String? = nil, pid: Int32? = nil, stream: UInt32? = nil) {
        self.name = name
        self.pid = pid
        self.stream = stream
    }
}
