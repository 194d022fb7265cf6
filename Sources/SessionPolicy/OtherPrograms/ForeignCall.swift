/// A call or an alarm of a program outside the library.
package struct ForeignCall: Hashable, Sendable {
    /// The identity of a call.
    package enum Identity: Hashable, Sendable {
        /// A playback stream with the role phone or alarm.
        case stream(UInt32)
        /// A process that captures and plays at once; with its program, since sandboxes number their processes alike.
        case process(host: String, pid: Int32, binary: String? = nil)
        /// The same, for a program that does not state its process.
        case client(UInt32)
    }

    /// The identity of the call.
    package let identity: Identity
    /// The program of the call, for people.
    package let origin: InterruptionOrigin

    /// A call with these values.
    package init(identity: Identity, origin: InterruptionOrigin) {
        self.identity = identity
        self.origin = origin
    }
}

/// The streams of programs outside the library that count as a call or an alarm (rule 4).
///
/// | a live stream that is not a session's | counts |
/// |---|---|
/// | playback with role phone | unless the user's list says otherwise (``UserPolicy/phone``), or it only rings (``ignoresRinging``) |
/// | playback with role alarm | always |
/// | playback, of a process that also captures a real source | with ``UserPolicy/Calls/duplex`` |
/// | any other | never |
///
/// A stream is live if it is not corked; a muted call is still a call. A capture counts once it has a device. Samples, the server's own streams and streams of
/// participants do not count: the participants' claims count instead.
package struct ForeignCallRules: Hashable, Sendable {
    /// The user's settings.
    package let policy: UserPolicy
    /// Whether a call that only rings is left out: one that plays, but does not capture yet.
    package var ignoresRinging = false

    /// Rules under the given policy.
    package init(policy: UserPolicy) { self.policy = policy }

    /// The calls and alarms among streams, in the order of their playback streams.
    package func calls(among streams: [ServerStream], participants: [Participant]) -> [ForeignCall] {
        let foreign = streams.filter { stream in
            stream.kind == .program && !stream.isCorked && stream.participant(among: participants) == nil
        }
        // A stream without a device is not linked yet, and may turn out to record a sink's monitor.
        let capturing = Set(foreign.filter { $0.direction == .capture && $0.device != nil }.compactMap(\.program))
        var calls: [ForeignCall] = []
        for stream in foreign where stream.direction == .playback {
            guard let identity = identity(of: stream, capturing: capturing) else { continue }
            guard !calls.contains(where: { $0.identity == identity }) else { continue }
            calls.append(ForeignCall(identity: identity, origin: InterruptionOrigin(stream)))
        }
        return calls
    }

    /// The streams, with role phone on those of programs that are a call by capturing and playing.
    ///
    /// Other code can then leave calls alone by their role.
    package func naming(_ streams: [ServerStream], participants: [Participant]) -> [ServerStream] {
        guard policy.calls == .duplex else { return streams }
        let callers = Set(calls(among: streams, participants: participants).map(\.identity))
        guard !callers.isEmpty else { return streams }
        return streams.map { stream in
            let isCallers = stream.program.map(callers.contains) == true
            guard isCallers, stream.direction == .playback, stream.role != "alarm" else { return stream }
            var stream = stream
            stream.role = "phone"
            return stream
        }
    }

    private func identity(
        of stream: ServerStream, capturing: Set<ForeignCall.Identity>
    ) -> ForeignCall.Identity? {
        switch stream.role {
        case "alarm": return .stream(stream.index)
        // For a program's phone streams the user's list decides, whatever else the program plays.
        case "phone":
            if ignoresRinging, stream.program.map(capturing.contains) != true { return nil }
            return policy.phone.interrupts(stream) ? .stream(stream.index) : nil
        default:
            guard policy.calls == .duplex, let program = stream.program else { return nil }
            return capturing.contains(program) ? program : nil
        }
    }
}

extension ServerStream {
    /// The identity of the stream's program: its process, or else its connection.
    fileprivate var program: ForeignCall.Identity? {
        if let pid, let host { return .process(host: host, pid: pid, binary: binary) }
        return client.map { .client($0) }
    }
}

extension InterruptionOrigin {
    /// The program of a playback stream.
    package init(_ stream: ServerStream) {
        self.init(name: stream.applicationName ?? stream.applicationID, pid: stream.pid, stream: stream.index)
    }
}
