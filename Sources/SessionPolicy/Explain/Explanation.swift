/// An explanation of the state of a session or a stream: the reasons, and the commands that change it.
package struct Explanation: Hashable, Sendable {
    /// The subject of an explanation.
    package enum Subject: Hashable, Sendable {
        /// The session with this client index.
        case session(UInt32)
        /// A stream of this direction, with this number.
        case stream(ServerStream.Direction, UInt32)
    }

    /// A remedy that removes a reason.
    package struct Remedy: Hashable, Sendable {
        /// The effect, such as `ends Telephone`.
        package let effect: String
        /// The shell command; nil if there is none.
        package let command: String?

        /// A remedy with its effect and command.
        package init(_ effect: String, command: String? = nil) {
            self.effect = effect
            self.command = command
        }
    }

    /// The subject.
    package let subject: Subject
    /// The subject's name to display.
    package let title: String
    /// The state, in one or two words.
    package let state: String
    /// The reasons, in whole sentences.
    package private(set) var sentences: [String] = []
    /// The remedies that would change the state.
    package private(set) var remedies: [Remedy] = []

    init(_ subject: Subject, title: String, state: String) {
        self.subject = subject
        self.title = title
        self.state = state
    }

    mutating func say(_ sentence: String, _ remedies: Remedy...) {
        sentences.append(sentence)
        for remedy in remedies where !self.remedies.contains(remedy) { self.remedies.append(remedy) }
    }
}

/// The explanations of all sessions and then of all streams of a server's state.
package func explain(_ state: ServerState) -> [Explanation] {
    state.participants.map(state.explanation(of:)) + state.programStreams.map(state.explanation(of:))
}

// MARK: - Sessions

extension ServerState {
    func explanation(of participant: Participant) -> Explanation {
        let condition = condition(of: participant)
        let title = "\(name(of: participant.id)) (\(place(of: participant.claim)))"
        var text = Explanation(.session(participant.id), title: title, state: condition.rawValue)
        switch condition {
        case .idle: text.say("It wants nothing now: it neither interrupts anybody nor is interrupted.")
        case .stopped:
            text.say(
                "Its process is stopped (Ctrl-Z, a debugger, a freezer), so it counts as inactive until it goes on.",
                Explanation.Remedy("lets it go on", command: command("kill -CONT", participant.claim)))
        case .active: praise(participant, in: &text)
        case .interrupted: break
        }
        for hindrance in hindrances(of: participant) { describe(hindrance, in: &text) }
        return text
    }

    /// Adds the effects of an active session on others.
    private func praise(_ participant: Participant, in text: inout Explanation) {
        let claim = participant.claim
        text.say(
            claim.isCall
                ? "It is a call, and nothing interrupts a call."
                : claim.isMixable
                    ? "It mixes with others, and nothing stands in its way."
                    : "It does not mix with others, and of those that do not it is the newest.")
        let victims = victims(of: participant).map { name(of: $0.id) }
        if !victims.isEmpty { text.say("It interrupts \(victims.joined(separator: ", ")).") }
        if arbitration.duckers.contains(participant.id) {
            let others = restraint.map { "; programs outside the library are not, since \($0)." }
            text.say(
                "It asked for duckOthers: all other sessions are lowered but calls"
                    + (others ?? ", and so is what other programs play on the same device."))
        }
    }

    private func describe(_ hindrance: Hindrance, in text: inout Explanation) {
        switch hindrance {
        case .session(let id, let rule):
            text.say(sentence(name(of: id), rule), ending(id))
            if case .interrupted = arbitration.verdict(on: id).standing {
                text.say(
                    "\(name(of: id)) is interrupted itself, and wants to go on; until it gives up, this one waits.")
            }
        case .foreignCall(let stream):
            text.say(
                "It is interrupted while stream \(stream.index) of \(name(of: stream)) runs, whose role is "
                    + "\(role(of: stream) ?? "none").",
                Explanation.Remedy("ends that stream", command: "audiosession end \(stream.index)"))
            guard stream.role == "phone" else { break }
            text.say(
                "Programs that hold such a stream all day can be left out (AVAUDIOSESSION_PHONE).",
                Explanation.Remedy(
                    "lets what is started from this shell play on during such calls",
                    command: "export AVAUDIOSESSION_PHONE=ignore"))
        case .unseen:
            text.say(
                "No session and no call interrupts it now. It may go on and has not done so yet, or its device is "
                    + "suspended, or its stream was ended from a mixer.",
                Explanation.Remedy("press play in \(title(text)) to resume it"))
        case .ducking(let id):
            text.say("It is lowered while \(name(of: id)) is active, which asked for duckOthers.", ending(id))
        case .recording(let id):
            text.say("It is muted while \(name(of: id)) records: what mixes must not be recorded.", ending(id))
        }
    }

    private func title(_ text: Explanation) -> String {
        guard case .session(let id) = text.subject else { return text.title }
        return name(of: id)
    }

    private func sentence(_ culprit: String, _ rule: Interruption.Rule) -> String {
        switch rule {
        case .newerSession: "\(culprit) was activated later, and neither of the two mixes with others."
        case .spokenAudio: "\(culprit) interrupts sessions that speak (mode spokenAudio) as long as it is active."
        case .call: "\(culprit) is a call, which interrupts every session that was there before it."
        case .refusedByCall: "\(culprit) is a call; until it ends, nobody else may record."
        }
    }

    // MARK: Remedies and commands

    /// The remedy that ends a session.
    func ending(_ id: UInt32) -> Explanation.Remedy {
        let line = arbitration.participant(id).flatMap { command("kill", $0.claim) }
        return Explanation.Remedy(line == nil ? "quit \(name(of: id))" : "ends \(name(of: id))", command: line)
    }

    /// A shell command for the process of a claim, on that process's machine.
    private func command(_ verb: String, _ claim: Claim) -> String? {
        guard claim.pid > 0 else { return nil }
        guard !claim.host.isEmpty, claim.host != host else { return "\(verb) \(claim.pid)" }
        // A peer's host name is not trusted, as people paste the line into a shell.
        guard claim.host.isHostName else { return nil }
        return "ssh \(claim.host) \(verb) \(claim.pid)"
    }

    private func place(of claim: Claim) -> String {
        let process = claim.pid > 0 ? "pid \(claim.pid)" : "unknown process"
        return claim.host.isEmpty || claim.host == host
            ? process : "\(process) on \(spelling(claim.host.withoutControls))"
    }
}

extension String {
    /// Whether the text consists of ASCII letters, digits, dots and inner hyphens.
    fileprivate var isHostName: Bool {
        !hasPrefix("-")
            && unicodeScalars.allSatisfy { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                    || scalar == "." || scalar == "-"
            }
    }
}
