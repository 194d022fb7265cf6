internal import AudioHost
internal import Locks
internal import PulseClient
internal import SessionPolicy

/// The session's dealings with other sessions and programs: publishes its claim, and answers who else is heard.
///
/// Functions that throw or return answers about others may wait for the server, and say for how long.
final class SessionClaims: Sendable {
    private let link: ServerLink
    private let board: ClaimBoard
    private let attached = Guarded<OtherProgramsMonitor?>(nil)
    private var monitor: OtherProgramsMonitor? { attached.value }
    private var mainloop: Mainloop { link.mainloop }

    init(link: ServerLink, board: ClaimBoard) {
        self.link = link
        self.board = board
    }

    /// Takes over what watches other programs, on a new connection; nil when that is gone.
    func attach(_ monitor: OtherProgramsMonitor?) {
        // The one before is let go of without the lock: its end may come back here.
        let old = attached.withLock { attached in
            defer { attached = monitor }
            return attached
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Publishing

    /// Publishes an active claim, and returns when every other session can know it: at the deadline at most.
    ///
    /// Throws `insufficientPriority` while another session's call lives that the settings are no match for,
    /// `mediaServicesFailed` if the server does not answer.
    ///
    /// - Parameters:
    ///   - settings: The session's settings.
    ///   - deadline: When the claim is given up.
    ///   - publishing: Called with the main loop's lock held, just before the claim is sent.
    ///   - granted: Called at the moment at which the claim counts, on the main loop's thread with its lock held, so that
    ///     nothing can come between it and what other sessions do next.
    func activate(
        _ settings: SessionSettings, until deadline: AnswerDeadline, publishing: @escaping () -> Void,
        granted: @escaping () -> Void
    ) throws(SessionError) {
        try mainloop.withLock { () throws(SessionError) in try checkForeignCalls(for: settings, until: deadline) }
        defer { if settings.isRefusedDuringCalls { mainloop.withLock { monitor?.setAwaited(false) } } }
        try awaitClaim(until: deadline) { [board] answer in
            publishing()
            return board.activate(settings) { error in
                if error == nil { granted() }
                answer(error)
            }
        }
    }

    /// Publishes other settings of an active session, after 2 s at most; throws where they must not be, and nothing has
    /// changed then.
    func change(to settings: SessionSettings) throws(SessionError) {
        let deadline = AnswerDeadline()
        try mainloop.withLock { () throws(SessionError) in
            guard settings.isRefusedDuringCalls, !board.claim.settings.isRefusedDuringCalls else { return }
            try checkForeignCalls(for: settings, until: deadline)
            monitor?.setAwaited(false)
        }
        try awaitClaim(until: deadline) { [board] in board.change(to: settings, completion: $0) }
    }

    /// Publishes a step that needs no answer.
    ///
    /// Returns after a session's end when others can know of it, for 0.2 s at most, so that what is activated next,
    /// anywhere, finds it.
    func take(_ step: ClaimStep) {
        mainloop.withLock {
            board.apply(step)
            guard case .idle = step, !mainloop.isOnLoop else { return }
            _ = mainloop.wait(timeout: .milliseconds(200)) { board.isEchoed }
        }
    }

    /// Notes that a call refused an activation with these settings: ``HostEvent/refusalEnded`` reports when none would
    /// any more.
    func awaitEndOfCalls(for settings: SessionSettings) { mainloop.withLock { monitor?.sessionRefused(settings) } }

    /// Throws during a call of a program outside the library, which keeps others from recording, as a session's does.
    private func checkForeignCalls(
        for settings: SessionSettings, until deadline: AnswerDeadline
    ) throws(SessionError) {
        guard settings.isRefusedDuringCalls, let monitor else { return }
        monitor.setAwaited(true)
        _ = mainloop.wait(timeout: min(.seconds(1), deadline.remaining)) { monitor.isCurrent }
        guard let call = monitor.blocksInput else { return }
        monitor.setAwaited(false)
        let program = call.name.map { " in \($0)" } ?? ""
        throw SessionError(
            .insufficientPriority,
            "A call\(program) is in progress; until it ends, \(settings.category.name) cannot be activated.")
    }

    /// Waits for a request of the board, which ``ask`` makes and returns the number of; at the deadline it is given up,
    /// so that nothing is granted after the error.
    private func awaitClaim(
        until deadline: AnswerDeadline, _ ask: (@escaping (SessionError?) -> Void) -> Int
    ) throws(SessionError) {
        let outcome = Outcome()
        mainloop.withLock {
            // One at a time: the last one may have been told to the app before it counted.
            _ = mainloop.wait(timeout: deadline.remaining) { !board.isDeciding }
            let request = ask { [mainloop] error in
                outcome.result = .some(error)
                mainloop.signal()
            }
            _ = mainloop.wait(timeout: deadline.remaining) { outcome.result != nil }
            if outcome.result == nil { board.expire(request) }
        }
        let noAnswer = SessionError(.mediaServicesFailed, "The sound server does not answer.")
        if let error = outcome.result ?? noAnswer { throw error }
    }

    /// Use it with the main loop's lock held.
    private final class Outcome { var result: SessionError?? }

    // MARK: Others

    /// Whether any other program is heard: other sessions, and programs outside the library.
    ///
    /// Waits for 2 s at most.
    func isOtherAudioPlaying() throws(SessionError) -> Bool {
        let deadline = AnswerDeadline()
        return try link.request { () throws(PulseError) in
            catchUp(until: deadline)
            if let id = board.id, board.arbitration.isOtherAudioPlaying(for: id) { return true }
            let streams = try link.readyConnection().sync { connection throws(PulseError) in
                try connection.answerAndWait("pa_context_get_sink_input_info_list", timeout: deadline.remaining) {
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

    /// What other sessions and programs do.
    ///
    /// Waits for 2 s at most until all streams on the server are known, which they are at once while the session is
    /// active.
    var others: OtherAudio {
        knowingOthers { monitor in
            let live = board.arbitration.participants.filter { $0.isLive && $0.id != board.id }
            var others = OtherAudio()
            others.participants = board.arbitration.participants
            others.silencesSecondaryAudio = board.isSecondaryAudioToBeSilenced
            others.isInCall = live.contains(where: \.claim.isCall) || monitor?.blocksInput != nil
            others.isSpeaking = live.contains(where: \.claim.isSpokenAudio)
            return others
        }
    }

    /// All streams on the server, calls with the role of one; waits for 1 s at most until they are known.
    var allStreams: [ServerStream] {
        mainloop.withLock {
            guard let monitor else { return [] }
            // A session that ended meanwhile has nobody to ask.
            _ = mainloop.wait(timeout: .seconds(1)) {
                monitor.isCurrent || !(monitor.isListening || board.isDeciding)
            }
            return monitor.streams
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

    /// Whether a playback stream belongs to a session.
    func isParticipants(_ stream: SinkInput) -> Bool {
        ServerStream(stream, client: nil).participant(among: board.arbitration.participants) != nil
    }

    /// Whether a session's call lives that leaves ours active: the server's own policy has nothing to add then.
    var isLetBeByCall: Bool {
        (board.verdict.standing == .active || board.isGranted)
            && board.arbitration.participants.contains { $0.isLive && $0.claim.isCall && $0.id != board.id }
    }

    /// Answers a question about others once all streams on the server are known; with the main loop's lock held.
    private func knowingOthers<Answer>(_ answer: (OtherProgramsMonitor?) -> Answer) -> Answer {
        mainloop.withLock {
            guard let monitor, !mainloop.isOnLoop else { return answer(monitor) }
            let deadline = AnswerDeadline()
            monitor.setAwaited(true)
            defer { monitor.setAwaited(false) }
            catchUp(until: deadline)
            _ = mainloop.wait(timeout: min(.seconds(1), deadline.remaining)) { monitor.isCurrent }
            return answer(monitor)
        }
    }

    /// Reads the claims of others that an inactive session would look at later.
    private func catchUp(until deadline: AnswerDeadline) {
        guard !mainloop.isOnLoop, let connection = try? link.readyConnection() else { return }
        // Any answer comes behind the news of what has changed before, which may be under way still.
        _ = try? connection.sync { connection throws(PulseError) in
            try connection.answerAndWait("pa_context_get_server_info", timeout: deadline.remaining) {
                connection.serverInfo(completion: $0)
            }
        }
        let awaited = board.catchUp()
        _ = mainloop.wait(timeout: min(.seconds(1), deadline.remaining)) {
            !board.isDeciding && board.table.covers(awaited)
        }
    }
}
