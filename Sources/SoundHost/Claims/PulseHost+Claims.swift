internal import PulseClient
package import SessionPolicy

extension PulseHost {
    /// Takes the session's place among others, and returns when all of them can know.
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

    /// A call refused an activation with these settings: ``HostEvent/refusalEnded`` tells when none would any more.
    package func awaitEndOfCalls(for settings: SessionSettings) {
        mainloop.withLock { surroundings?.sessionRefused(settings) }
    }

    /// A call of a program outside the library keeps others from recording, as one of a session does.
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

    /// Tells others the new settings of an active session; throws where they must not be, and nothing has changed then.
    package func change(to settings: SessionSettings) throws(SessionError) {
        try mainloop.withLock { () throws(SessionError) in
            guard settings.isRefusedDuringCalls, !board.claim.settings.isRefusedDuringCalls else { return }
            try checkForeignCalls(for: settings)
            surroundings?.setAwaited(false)
        }
        try awaitClaim { [board] in board.change(to: settings, completion: $0) }
    }

    /// Tells others where the session stands.
    ///
    /// Returns after a session's end when others can know of it, so that what is activated next, anywhere, finds it.
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

    /// Says whether calls that only ring leave the session alone.
    package func setIgnoresRinging(_ ignores: Bool) { mainloop.withLock { ignoresRinging = ignores } }

    /// Whether any other program is heard: other sessions, and programs outside the library.
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

    /// Whether sound that only decorates should be left out, because another program's main sound is heard.
    ///
    /// Waits until all streams on the server are known, which they are at once while the session is active.
    package var isSecondaryAudioToBeSilenced: Bool {
        knowingOthers { _ in board.isSecondaryAudioToBeSilenced }
    }

    /// Whether anybody else is in a call, and whether another session in mode spokenAudio is active; waits likewise.
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
    private func knowingOthers<Answer>(_ answer: (Surroundings?) -> Answer) -> Answer {
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

    /// When an app that asks now wants to have waited enough, for all that has to be asked of the server together.
    static var endOfPatience: ContinuousClock.Instant { .now + .seconds(2) }

    static func rest(until end: ContinuousClock.Instant) -> Duration { max(.zero, end - ContinuousClock.now) }

    /// An inactive session takes its time to learn of others, but not when the app asks.
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

    /// Whether a playback stream is of this process: by its connection, or else by the process and machine that it
    /// names.
    ///
    /// Where our number is not told apart from others' (``AppIdentity/claimedProcess``), by the session that it names.
    func isOwn(_ stream: SinkInput) -> Bool {
        let claim = board.claim
        if let id = board.id, stream.client == id { return true }
        guard claim.pid > 0 else { return stream.properties["avaudiosession.owner"] == claim.owner }
        return stream.properties["application.process.id"] == String(claim.pid)
            && stream.properties["application.process.host"] == claim.host
    }

    /// The random bits by which streams of other processes say that they belong to this session.
    package var owner: String { mainloop.withLock { board.claim.owner } }
}
