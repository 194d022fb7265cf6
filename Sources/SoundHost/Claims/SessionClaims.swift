internal import AudioHost
internal import Locks
internal import PulseClient
internal import SessionPolicy

/// The session's relations to other sessions and programs: publishes its claim, and answers questions about them.
///
/// Functions that throw or return facts about others may wait for the server, for the time they state.
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

    /// Attaches the monitor of a new connection; nil after its loss.
    func attach(_ monitor: OtherProgramsMonitor?) {
        // The previous monitor is released without the lock: its deinit may call back here.
        let old = attached.withLock { attached in
            defer { attached = monitor }
            return attached
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Publishing

    /// Publishes an active claim, and returns when every other session can know it, at the deadline at the latest.
    ///
    /// Throws `insufficientPriority` during another session's call that outranks the settings, or another program's
    /// call, and `mediaServicesFailed` if the server does not answer.
    ///
    /// - Parameters:
    ///   - settings: The session's settings.
    ///   - deadline: The time at which the claim is withdrawn.
    ///   - publishing: Called with the main loop's lock held, just before the claim is sent.
    ///   - granted: Called when the claim takes effect, on the main loop's thread with its lock held, so that no
    ///     reaction of another session can come in between.
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

    /// Publishes other settings of an active session, after 2 s at most.
    ///
    /// Throws if they are refused; nothing has changed then.
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
    /// After a session's end it waits until others can know it, for 1 s at most, so that a session activated next, in
    /// any process, finds it.
    func take(_ step: ClaimStep) {
        mainloop.withLock {
            board.apply(step)
            guard case .idle = step, !mainloop.isOnLoop else { return }
            _ = mainloop.wait(timeout: .seconds(1)) { board.isEchoed }
        }
    }

    /// Registers an activation that a call refused: ``HostEvent/refusalEnded`` is reported once no call would refuse
    /// it.
    func awaitEndOfCalls(for settings: SessionSettings) { mainloop.withLock { monitor?.sessionRefused(settings) } }

    /// Throws during a call of a program outside the library, which like a session's call keeps others from recording.
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

    /// Waits for a request of the board.
    ///
    /// `ask` makes the request and returns its number. At the deadline the request expires, so that nothing is granted
    /// after the error.
    private func awaitClaim(
        until deadline: AnswerDeadline, _ ask: (@escaping (SessionError?) -> Void) -> Int
    ) throws(SessionError) {
        let outcome = Outcome()
        mainloop.withLock {
            // One request at a time: the app's previous activation may have returned before its claim took effect.
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

    /// Whether sound of any other session or program is heard.
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
                // A stream silenced with its session counts as muted.
                let isHeldDown = stream.unmanagedStreamOwner(among: participants)?.claim.isProcessSilent == true
                let isOwn = isOwn(input) || stream.participant(among: participants).map { $0.id == board.id } == true
                return !input.isCorked && !input.isMuted && !isOwn && stream.kind == .program && !isHeldDown
            }
        }
    }

    /// The state of other sessions and programs.
    ///
    /// Waits until all streams on the server are known, for 2 s at most. They are known already while the session is
    /// active.
    var others: OtherAudio {
        knowingOthers { monitor in
            let own = board.claim
            let live = board.arbitration.participants.filter {
                $0.isLive && $0.id != board.id && !$0.claim.isOfSameProcess(as: own)
            }
            var others = OtherAudio()
            others.participants = board.arbitration.participants
            others.silencesSecondaryAudio = board.isSecondaryAudioToBeSilenced
            others.isInCall = live.contains(where: \.claim.isCall) || monitor?.blocksInput != nil
            others.isSpeaking = live.contains(where: \.claim.isSpokenAudio)
            return others
        }
    }

    /// All streams on the server; calls have the role `phone`.
    ///
    /// Waits for 1 s at most until they are known.
    var allStreams: [ServerStream] {
        mainloop.withLock {
            guard let monitor else { return [] }
            // If the session ended meanwhile, monitoring has stopped, and there is nothing to wait for.
            _ = mainloop.wait(timeout: .seconds(1)) {
                monitor.isCurrent || !(monitor.isListening || board.isDeciding)
            }
            return monitor.streams
        }
    }

    /// Whether a playback stream belongs to this process: by its client, or else by its process ID and host.
    ///
    /// Where process IDs are ambiguous (``AppIdentity/claimedProcess``), the session named by the stream decides.
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

    /// Whether another session's call is in progress that leaves this session active.
    ///
    /// The server's own policy is ignored then.
    var isLetBeByCall: Bool {
        (board.verdict.standing == .active || board.isGranted)
            && board.arbitration.participants.contains { $0.isLive && $0.claim.isCall && $0.id != board.id }
    }

    /// Evaluates `answer` once all streams on the server are known, with the main loop's lock held.
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

    /// Fetches the claims whose refresh an inactive session would delay.
    private func catchUp(until deadline: AnswerDeadline) {
        guard !mainloop.isOnLoop, let connection = try? link.readyConnection() else { return }
        // Any answer follows the events of earlier changes, which may still be on their way.
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
