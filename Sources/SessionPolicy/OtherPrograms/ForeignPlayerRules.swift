/// The media players outside the library that a session pauses, if it does not mix and its app activated it.
///
/// The first row that fits decides:
///
/// | player | paused |
/// |---|---|
/// | is not playing, or does not state it | no |
/// | says that it cannot be paused | no |
/// | is a participant's, or of a process that a participant started | no: it follows its claim |
/// | is heard with role `phone` or `a11y` among others | no: calls and screen readers must go on |
/// | has a stream that is heard | yes |
/// | has none | no: it is muted, plays elsewhere, or only claims to play |
///
/// A playback stream of a program is heard if it is neither corked nor muted. It is a player's if the process of one
/// descends from that of the other: browsers play from a child, and their bus name may be a child's. Other streams
/// (sandboxes number processes anew) are matched by identifier, which is the name of the program's desktop file. Streams
/// with role `event` are bells and clicks, which cannot be paused.
package struct ForeignPlayerRules: Sendable {
    /// Whether a player is paused, or the reason why not.
    package enum Verdict: Hashable, Sendable {
        case pause
        case isNotPlaying
        case cannotPause
        case isParticipants
        case mustGoOn
        case isNotHeard
    }

    private let players: [Int32]
    private let participants: [Int32]
    private let heard: [ServerStream]
    private let processes: ProcessTree
    private let host: String

    /// The rules for these players, streams and participants.
    ///
    /// - Parameters:
    ///   - players: The processes of all players.
    ///   - streams: All streams on the server.
    ///   - participants: All participants, active or not.
    ///   - processes: The ancestors of all of these processes.
    ///   - host: The name of this machine: process IDs of other machines are not compared.
    package init(
        players: [Int32], streams: [ServerStream], participants: [Participant], processes: ProcessTree, host: String
    ) {
        self.players = players
        self.participants = participants.filter { $0.claim.host.isEmpty || $0.claim.host == host }.map(\.claim.pid)
        heard = streams.filter { stream in
            stream.direction == .playback && stream.kind == .program && !stream.isCorked && !stream.isMuted
                && stream.role != StreamRole.event.rawValue && stream.participant(among: participants) == nil
        }
        self.processes = processes
        self.host = host
    }

    /// The verdict on a player.
    package func verdict(on player: ForeignPlayer) -> Verdict {
        guard player.status == .playing else { return .isNotPlaying }
        guard player.canPause else { return .cannotPause }
        if let pid = player.pid, participants.contains(where: { processes.isProcess(pid, within: $0) }) {
            return .isParticipants
        }
        let own = heard.filter { isStream($0, of: player) }
        let untouchable: Set<String?> = [StreamRole.phone.rawValue, StreamRole.a11y.rawValue]
        if own.contains(where: { untouchable.contains($0.role) }) { return .mustGoOn }
        return own.isEmpty ? .isNotHeard : .pause
    }

    private func isStream(_ stream: ServerStream, of player: ForeignPlayer) -> Bool {
        if let process = localProcess(of: stream) {
            if let pid = player.pid, processes.areRelated(process, pid) { return true }
            if players.contains(where: { processes.areRelated(process, $0) }) { return false }
        }
        guard let id = stream.applicationID?.lowercased(), let entry = player.desktopEntry?.lowercased() else {
            return false
        }
        return !id.isEmpty && id.withoutEnding == entry.withoutEnding
    }

    private func localProcess(of stream: ServerStream) -> Int32? {
        stream.host == nil || stream.host == host ? stream.pid : nil
    }
}

extension String {
    /// The name without `.desktop`: some programs state the file's whole name.
    fileprivate var withoutEnding: Substring { hasSuffix(".desktop") ? dropLast(8) : self[...] }
}
