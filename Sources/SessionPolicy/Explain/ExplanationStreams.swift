extension ServerState {
    func explanation(of stream: ServerStream) -> Explanation {
        let title = stream.title.map { ": \(spelling($0))" } ?? ""
        var text = Explanation(
            .stream(stream.direction, stream.index),
            title: "stream \(stream.index) of \(name(of: stream))\(title)", state: stream.condition)
        if stream.isMuted { describeMute(of: stream, in: &text) }
        describeRolePolicy(for: stream, in: &text)
        if let owner = owner(of: stream) {
            describeOwner(owner, of: stream, in: &text)
        } else if stream.direction == .capture {
            text.say("It records, and is left alone: programs outside the library may always record.")
        } else if stream.isCorked {
            text.say("Its program has paused it.")
        } else {
            describeForeign(stream, in: &text)
        }
        return text
    }

    private func describeOwner(_ owner: Participant, of stream: ServerStream, in text: inout Explanation) {
        let session = name(of: owner.id)
        guard condition(of: owner) == .interrupted else {
            return text.say("It belongs to the session of \(session) and shares its state.")
        }
        text.say("It belongs to the session of \(session), which is interrupted, and is silent until that may go on.")
    }

    /// The server's own policy mutes streams on the sink of a call; every other mute was set by its program or its user.
    private func describeMute(of stream: ServerStream, in text: inout Explanation) {
        let unmute = Explanation.Remedy(
            "makes it audible",
            command: stream.direction == .playback
                ? "pactl set-sink-input-mute \(stream.index) 0" : "pactl set-source-output-mute \(stream.index) 0")
        if let owner = owner(of: stream), condition(of: owner) == .interrupted { return }
        guard let call = muter(of: stream) else {
            return text.say("It was muted by its program or from a mixer.", unmute)
        }
        text.say(
            "The sound server mutes it (module-role-cork) while \(name(of: call)) is in a call on the same device "
                + "(stream \(call.index)).",
            Explanation.Remedy("ends the call's stream", command: "audiosession end \(call.index)"), unmute)
    }

    /// The call on the same device for which the sound server mutes a stream; nil if it does not.
    func muter(of stream: ServerStream) -> ServerStream? {
        guard serverSilencesForCalls, stream.direction == .playback, stream.role != "phone" else { return nil }
        return streams.first { other in
            other.role == "phone" && other.direction == .playback && !other.isCorked && !other.isMuted
                && other.device == stream.device && other.index != stream.index
        }
    }

    /// The playback streams that are lowered from outside, with the sessions that ask for it.
    ///
    /// Streams silenced by the user's setting `silence` are missing, because the list of them is in the process that
    /// silences them.
    var duckedStreams: [ServerStream: [UInt32]] {
        guard restraint == nil else { return [:] }
        let targets = DuckTargets(
            among: streams, arbitration: arbitration, defaultSink: defaultSink, rolePolicy: rolePolicy)
        let duckers = arbitration.duckers + arbitration.treating(foreign: .duck).map(\.id)
        let lowered = programStreams.filter { stream in
            stream.direction == .playback && !stream.isCorked && targets.levels[stream.index] == .lowered
        }
        return Dictionary(lowered.map { ($0, heard(duckers, with: $0)) }) { first, _ in first }
    }

    /// Describes what the server's policy for roles does to a stream, with its rule and the setting.
    private func describeRolePolicy(for stream: ServerStream, in text: inout Explanation) {
        guard stream.direction == .playback, !stream.isCorked,
            let rule = rolePolicy.rule(over: stream, among: programStreams)
        else { return }
        let what = rule.action == .cork ? "cuts it off" : "lowers it to linking.role-based.duck-level"
        text.say(
            "The session manager \(what) while \(name(of: rule.ruler)) has a stream in \"\(spelling(rule.target.name))\", "
                + "whose priority is \(rule.isOfSamePriority ? "the same" : "higher") "
                + "(\(rule.setting) = \(rule.action.rawValue)).",
            Explanation.Remedy("ends that stream", command: "audiosession end \(rule.ruler.index)"))
    }

    private func describeCall(_ call: ServerStream, of stream: ServerStream, in text: inout Explanation) {
        let reason =
            call.role == stream.role
            ? "Its role is \(role(of: stream) ?? "none")"
            : "Its program plays and records, which counts as a call (AVAUDIOSESSION_CALLS=duplex)"
        text.say(
            reason + ": sessions that were active when it started are interrupted until it ends"
                + (call.role == "alarm" ? "." : ", and nobody lowers it."),
            Explanation.Remedy("ends it", command: "audiosession end \(stream.index)"))
    }

    private func describeForeign(_ stream: ServerStream, in text: inout Explanation) {
        if let call = calls.first(where: { $0.index == stream.index }) {
            describeCall(call, of: stream, in: &text)
            // An alarm is no call; a session with prompts ducks it as well.
            if call.role == "alarm" { _ = describeLowering(of: stream, in: &text) }
        } else if stream.role == "a11y" {
            text.say("Its role is a11y: a screen reader is never silenced or lowered.")
        } else if describeLowering(of: stream, in: &text) || describeUserPreference(about: stream, in: &text) {
            return
        } else if let loud = participants.first(where: { isHeardAlone($0) }) {
            text.say(
                "\(name(of: loud.id)) does not mix with others, but this program does not take part: it is asked to "
                    + "pause if it is a media player, and left alone otherwise.")
        } else if text.sentences.isEmpty {
            text.say("It plays, and no session asks others to be quiet.")
        }
    }

    /// Describes the effect of sessions with duckOthers on the stream; returns whether one ducks it, or would.
    private func describeLowering(of stream: ServerStream, in text: inout Explanation) -> Bool {
        let duckers = arbitration.duckers
        let near = heard(duckers, with: stream)
        let names = (near.isEmpty ? duckers : near).map { name(of: $0) }.joined(separator: ", ")
        if duckers.isEmpty { return false }
        guard let ducker = near.first else {
            text.say("\(names) asked for duckOthers, but is heard on another device: it is not lowered for that.")
            return false
        }
        // What the sink of a ducker's role does was said already.
        let sinks = programStreams.filter { owner(of: $0).map { duckers.contains($0.id) } == true }.map(\.roleSink)
        if let rule = rolePolicy.rule(over: stream, among: programStreams), sinks.contains(rule.ruler.roleSink) {
            return true
        }
        if let restraint {
            text.say("\(names) asked for duckOthers, but no session lowers it, since \(restraint).")
        } else {
            text.say("It is lowered while \(names) is active, which asked for duckOthers.", ending(ducker))
        }
        return true
    }

    /// Describes the effect of sessions on the stream by the user's settings; returns whether there is one.
    private func describeUserPreference(about stream: ServerStream, in text: inout Explanation) -> Bool {
        let strict = participants.filter { isHeardAlone($0) && $0.claim.foreign != nil }
        let near = heard(strict.map(\.id), with: stream)
        guard let session = strict.first(where: { near.contains($0.id) }) ?? strict.first else { return false }
        let preference =
            "\(name(of: session.id)) does not mix with others, and the user's AVAUDIOSESSION_FOREIGN meets programs that do "
            + "not take part"
        if near.isEmpty {
            text.say("\(preference): not this one, which is heard on another device.")
        } else if let restraint {
            text.say("\(preference): not this one, since \(restraint).")
        } else {
            let silenced = "it is silenced if it played already when that session began, and left alone otherwise"
            let what = session.claim.foreign == .duck ? "it is lowered" : silenced
            text.say("\(preference): \(what).", ending(session.id))
        }
        return true
    }

    /// The sessions among these that are heard on the device of a stream.
    private func heard(_ sessions: [UInt32], with stream: ServerStream) -> [UInt32] {
        DuckTargets.sessions(
            sessions, heardWith: stream, among: streams, arbitration: arbitration, defaultSink: defaultSink)
    }

    /// The reason why no process ducks programs outside the library; `nil` if one does.
    var restraint: String? {
        if serverLowersStreams { return "the sound server lowers streams by a policy of its own, which is left to it" }
        return executor(of: arbitration.participants) == nil ? "no session here is able to lower other programs" : nil
    }

    private func isHeardAlone(_ participant: Participant) -> Bool {
        condition(of: participant) == .active && !participant.claim.isMixable
    }
}

extension ServerStream {
    /// The state, in one or two words.
    package var condition: String {
        let moving = direction == .playback ? "playing" : "recording"
        return (isCorked ? "paused" : moving) + (isMuted ? ", muted" : "")
    }
}
