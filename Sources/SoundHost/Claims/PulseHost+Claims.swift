internal import PulseClient
package import SessionPolicy

extension PulseHost {
    /// Publishes an active claim, and returns when all other sessions can see it.
    ///
    /// `concluded` is called at the moment at which the place is taken, on the main loop's thread with its lock held,
    /// so that nothing can come between it and what other sessions do next. Throws `insufficientPriority` while a call
    /// of somebody else lives that the settings are no match for, `mediaServicesFailed` if the server does not answer.
    package func activate(_ settings: SessionSettings, concluded: @escaping () -> Void) throws(SessionError) {
        try open()
        try mainloop.withLock { () throws(SessionError) in try checkForeignCalls(for: settings) }
        defer { if settings.isRefusedDuringCalls { mainloop.withLock { surroundings?.setAwaited(false) } } }
        defer { mainloop.withLock { setHurried(board.claim.state == .active) } }
        try awaitClaim { [self] answer in
            setHurried(true)
            board.activate(settings) { [self] error in
                if error == nil {
                    isHeldBack = false
                    surroundings?.sessionActivated()
                    // The claim counts in a moment, and what begins before that is to be as loud as it will be then.
                    follow(board.expectedVerdict)
                    concluded()
                    watchSleep()
                    askToBeHurried()
                }
                answer(error)
            }
        }
    }

    /// Watches for the end of the calls that refused an activation with these settings (``HostEvent/refusalEnded``).
    package func awaitEndOfCalls(for settings: SessionSettings) {
        mainloop.withLock { surroundings?.sessionRefused(settings) }
    }

    /// Throws if a call of a program outside the library refuses these settings, as a session's call does.
    private func checkForeignCalls(for settings: SessionSettings) throws(SessionError) {
        guard settings.isRefusedDuringCalls, let surroundings else { return }
        surroundings.setAwaited(true)
        _ = mainloop.wait(timeout: .seconds(1)) { surroundings.isCurrent }
        guard let call = surroundings.blocksInput else { return }
        surroundings.setAwaited(false)
        let program = call.name.map { " in \($0)" } ?? ""
        throw SessionError(
            .insufficientPriority,
            "A call\(program) is in progress; until it ends, \(settings.category.name) cannot be activated.")
    }

    /// Publishes the new settings of an active session; throws if they are refused, and changes nothing then.
    package func change(to settings: SessionSettings) throws(SessionError) {
        try mainloop.withLock { () throws(SessionError) in
            guard settings.isRefusedDuringCalls, !board.claim.settings.isRefusedDuringCalls else { return }
            try checkForeignCalls(for: settings)
            surroundings?.setAwaited(false)
        }
        try awaitClaim { [board] in board.change(to: settings, completion: $0) }
    }

    /// Publishes a step of the session's claim.
    ///
    /// Waits up to 200 ms after a session's end until others can see it, so that the next activation in any process finds
    /// it.
    package func take(_ step: ClaimStep) {
        mainloop.withLock {
            board.apply(step)
            setHurried(board.claim.state == .active)
            guard case .idle = step, !mainloop.isOnLoop else { return }
            _ = mainloop.wait(timeout: .milliseconds(200)) { board.isEchoed }
        }
    }

    private func awaitClaim(_ ask: (@escaping (SessionError?) -> Void) -> Void) throws(SessionError) {
        let outcome = Outcome()
        mainloop.withLock {
            // One at a time: the last one may have been told to the app before it counted.
            _ = mainloop.wait(timeout: .seconds(2)) { !board.isDeciding }
            ask { [mainloop] error in
                outcome.result = .some(error)
                mainloop.signal()
            }
            // The board gives up after two seconds itself.
            _ = mainloop.wait(timeout: .seconds(5)) { outcome.result != nil }
        }
        let noAnswer = SessionError(.mediaServicesFailed, "The sound server does not answer.")
        if let error = outcome.result ?? noAnswer { throw error }
    }

    // SAFETY: only touched with the main loop's lock held.
    private final class Outcome: @unchecked Sendable { var result: SessionError?? }

    /// Sets whether calls that only ring are ignored.
    package func setIgnoresRinging(_ ignores: Bool) { mainloop.withLock { ignoresRinging = ignores } }

    /// Whether any other program is heard: another session, or a program outside the library.
    package func isOtherAudioPlaying() throws(SessionError) -> Bool {
        let end = Self.endOfPatience
        return try request { () throws(PulseError) in
            catchUp(until: end)
            if let id = board.id, board.arbitration.isOtherAudioPlaying(for: id) { return true }
            let streams = try readyConnection().sync { connection throws(PulseError) in
                try connection.answerAndWait("pa_context_get_sink_input_info_list", timeout: Self.rest(until: end)) {
                    connection.sinkInputs(completion: $0)
                }
            }
            let participants = board.arbitration.participants
            return streams.contains { input in
                let stream = ServerStream(input, client: nil)
                // What is held down with its session is as good as muted.
                let isHeldDown = stream.unmanagedStreamOwner(among: participants)?.claim.isProcessSilent == true
                return !input.isCorked && !input.isMuted && !isOwn(input) && stream.kind == .program && !isHeldDown
            }
        }
    }

    /// Whether secondary audio should be silent, because another program's main sound is heard.
    ///
    /// Waits until all streams on the server are known, which they are at once while the session is active.
    package var isSecondaryAudioToBeSilenced: Bool {
        knowingOthers { _ in board.isSecondaryAudioToBeSilenced }
    }

    /// Whether another program is in a call, and whether another session in mode spokenAudio is active; waits likewise.
    package var speakers: (call: Bool, speech: Bool) {
        knowingOthers { surroundings in
            let others = board.arbitration.participants.filter { $0.isLive && $0.id != board.id }
            return (
                others.contains(where: \.claim.isCall) || surroundings?.blocksInput != nil,
                others.contains(where: \.claim.isSpokenAudio)
            )
        }
    }

    /// Answers a question about others once all streams on the server are known; with the main loop's lock held.
    private func knowingOthers<Answer>(_ answer: (OtherProgramsMonitor?) -> Answer) -> Answer {
        mainloop.withLock {
            guard let surroundings, !mainloop.isOnLoop else { return answer(surroundings) }
            let end = Self.endOfPatience
            surroundings.setAwaited(true)
            defer { surroundings.setAwaited(false) }
            catchUp(until: end)
            _ = mainloop.wait(timeout: min(.seconds(1), Self.rest(until: end))) { surroundings.isCurrent }
            return answer(surroundings)
        }
    }

    /// The deadline for all questions that a request of the app, made now, needs to ask of the server: 2 s.
    static var endOfPatience: ContinuousClock.Instant { .now + .seconds(2) }

    static func rest(until end: ContinuousClock.Instant) -> Duration { max(.zero, end - ContinuousClock.now) }

    /// Fetches the claim changes that an inactive session has delayed, since the app asks.
    private func catchUp(until end: ContinuousClock.Instant) {
        guard !mainloop.isOnLoop, let connection = try? readyConnection() else { return }
        // Any answer comes behind the news of what has changed before, which may be under way still.
        _ = try? connection.sync { connection throws(PulseError) in
            try connection.answerAndWait("pa_context_get_server_info", timeout: Self.rest(until: end)) {
                connection.serverInfo(completion: $0)
            }
        }
        let awaited = board.catchUp()
        _ = mainloop.wait(timeout: min(.seconds(1), Self.rest(until: end))) {
            !board.isDeciding && board.table.covers(awaited)
        }
    }

    /// Whether a playback stream is of this process: by its connection, or else by its process ID and host.
    ///
    /// Without a process ID of our own (``AppIdentity/claimedProcess``), by the session that it names.
    func isOwn(_ stream: SinkInput) -> Bool {
        let claim = board.claim
        if let id = board.id, stream.client == id { return true }
        guard claim.pid > 0 else { return stream.properties["avaudiosession.owner"] == claim.owner }
        return stream.properties["application.process.id"] == String(claim.pid)
            && stream.properties["application.process.host"] == claim.host
    }

    /// The random bits of the claim, by which streams of other processes are marked as this session's.
    package var owner: String { mainloop.withLock { board.claim.owner } }
}
