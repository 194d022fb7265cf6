internal import PulseClient
internal import SessionPolicy

/// A watch for the server's own policy that silences this process: PulseAudio's `module-role-cork` during a call.
///
/// The server mutes a stream and requests a cork from its client. There are three special cases:
/// - a stream that is created during a call is muted, and the request is lost;
/// - a stream that is moved during a call stays muted after it without a request to uncork: the watch unmutes it once no
///   call is left;
/// - streams of other libraries in this process (`pa_simple`, SDL) are muted, and their owner receives no request.
///
/// If the call is another session's, the claims have decided already, and a session that stays active unmutes itself. Any
/// other mute is the user's, and is left alone (``MuteHistory``). PipeWire has no such policy.
///
/// The request does not name the call. So the sound stops at once, and the session is notified when the server has listed
/// its streams, after 20 ms at the latest.
// SAFETY: only touched with the main loop's lock held.
final class ServerPolicyWatch: @unchecked Sendable {
    private enum Verdict: Hashable {
        /// Not silenced by the server. Can move to: asked, muted.
        case clear
        /// The server requested a cork. Can move to: clear (it requests an uncork, or unmutes the stream).
        case asked
        /// Muted without a request, or moved while corked, so that no request to uncork will come. Can move to: clear (the
        /// stream is unmuted, or no call is left and the watch unmutes it).
        case muted
    }

    private let connection: PulseConnection
    private let report: (HostEvent) -> Void
    /// Silences the session's output at once.
    private let silence: () -> Void
    private var verdict: Verdict = .clear
    /// The caller, if it is known, while the server silences the session.
    private var caller: InterruptionOrigin?
    /// Whether the session is still to be notified of the interruption.
    private var isTellingPutOff = false
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.notify() }
    /// The limit for the notification; the server's list usually comes within 2 ms.
    private static let debounce = Duration.milliseconds(100)
    /// The indices of the session's output streams.
    private var outputs: Set<UInt32> = []
    /// Whether an output's stream was created since the last look, so that a mute dates from its creation.
    private var isNewcomer = false
    /// Whether an output's stream was moved since the last look; it may have been muted before.
    private var isMoved = false
    private var ownStreams: Set<UInt32> = []
    private var mutes = MuteHistory()
    /// This process's streams that the server has muted, as far as known, without those that the user has muted.
    private var serverMuted: Set<UInt32> = []
    /// Whether there was a call at the last look; every change is evaluated then.
    private var hasCall = false
    private var isLooking = false
    private var mustLookAgain = false
    private var whenLooked: [() -> Void] = []
    /// Whether the server's request is still to be matched with a call.
    private var isRequestOpen = false
    /// Whether a stream belongs to this process.
    var isOwn: (SinkInput) -> Bool = { _ in false }
    /// Whether a stream belongs to a participant.
    var isParticipants: (SinkInput) -> Bool = { _ in false }
    /// Whether there is a call of another session that leaves this one active.
    var isLetBeByCall: () -> Bool = { false }

    init(
        connection: PulseConnection, silence: @escaping () -> Void = {}, report: @escaping (HostEvent) -> Void
    ) {
        self.connection = connection
        self.silence = silence
        self.report = report
    }

    /// Whether a start of sound would be silenced; notifies the session again if so.
    func silencesStart() -> Bool {
        guard verdict != .clear else { return false }
        guard !isLetBeByCall() else {
            forgetSilencing()
            return false
        }
        if !isTellingPutOff { report(.interruptionBegan(.serverPolicy, by: caller)) }
        return true
    }

    /// Clears the state of a call that began while the session was not active, and whose session lets this one play.
    ///
    /// The next list unmutes the stream, or interrupts the session again for a call of another program.
    private func forgetSilencing() {
        timer.cancel()
        verdict = .clear
        caller = nil
        isTellingPutOff = false
        isRequestOpen = true
        look()
    }

    // MARK: What happens

    /// Notes the session's new, corked stream; `then` is called once its mute is known.
    func streamAppeared(_ index: UInt32?, then: @escaping () -> Void) {
        if let index { outputs.insert(index) }
        isNewcomer = true
        whenLooked.append(then)
        look()
    }

    /// Notes the end of one of the session's streams; nil for one that the server had not named yet.
    func streamDisappeared(_ index: UInt32?) {
        if let index { outputs.remove(index) }
        if verdict == .asked, outputs.isEmpty { end() }
    }

    /// Notes the move of one of the session's streams to another sink.
    func streamMoved(_ index: UInt32?) {
        isMoved = true
        if verdict == .asked {
            verdict = .muted
            if let index { serverMuted.insert(index) }
        }
        look()
    }

    /// Handles a request of the server to one of the session's streams.
    func streamAsked(_ name: String) {
        switch name {
        case "request-cork":
            guard verdict == .clear else { return }
            guard !isLetBeByCall() else {
                isRequestOpen = true
                return look()
            }
            verdict = .asked
            silence()
            isTellingPutOff = true
            timer.start(after: Self.debounce)
            look()
        case "request-uncork":
            isRequestOpen = false
            if verdict != .clear { end() }
        default: break
        }
    }

    /// Handles an event of any playback stream.
    func sinkInputChanged(_ event: SubscriptionEvent) {
        if event.change == .new { mutes.arrived(event.index) }
        guard verdict != .clear || hasCall || event.change == .new || ownStreams.contains(event.index) || mutes.isEmpty
        else { return }
        look()
    }

    // MARK: Evaluation

    private func look() {
        guard !isLooking else {
            mustLookAgain = true
            return
        }
        isLooking = true
        // These calls wait for the list requested here, whatever happens meanwhile.
        let waiting = whenLooked
        whenLooked = []
        connection.sync { connection in
            connection.sinkInputs { [weak self] result in
                guard let self else { return }
                self.isLooking = false
                if case .success(let streams) = result { self.judge(streams) }
                // A list requested before the server's request may lack the call.
                if self.caller != nil || !self.mustLookAgain { self.notify() }
                for action in waiting { action() }
                self.looked()
            }
        }
    }

    private func looked() {
        guard mustLookAgain else { return }
        mustLookAgain = false
        look()
    }

    private func judge(_ streams: [SinkInput]) {
        let own = streams.filter { outputs.contains($0.index) || isOwn($0) }
        ownStreams = Set(own.map(\.index))
        let calls = streams.filter {
            $0.properties["media.role"] == "phone" && !$0.isMuted && !$0.isCorked && !ownStreams.contains($0.index)
        }
        hasCall = !calls.isEmpty
        let muted = own.filter(\.isMuted)
        let silenced = silenced(of: muted, by: calls, among: streams)
        let sinks = (silenced.isEmpty ? own : silenced).map(\.sink)
        let call = calls.first { sinks.contains($0.sink) } ?? calls.first
        let origin = call.map { InterruptionOrigin(ServerStream($0, client: nil)) }
        switch verdict {
        case .clear:
            guard !silenced.isEmpty else {
                // A stream that was moved away from the call, where the server no longer unmutes it.
                unmute(muted.filter { serverMuted.contains($0.index) })
                break
            }
            if isLetBeByCall(), calls.allSatisfy(isParticipants) {
                unmute(silenced)
            } else {
                verdict = isRequestOpen ? .asked : .muted
                caller = origin
                report(.interruptionBegan(.serverPolicy, by: caller))
            }
        case .asked:
            if caller == nil { caller = origin }
            let isFree = !muted.contains { outputs.contains($0.index) }
            if isFree, !outputs.isEmpty, !(isTellingPutOff && mustLookAgain) { end() }
        case .muted:
            guard silenced.isEmpty else { break }
            unmute(muted.filter { serverMuted.contains($0.index) })
            end()
        }
        isNewcomer = false
        isMoved = false
        isRequestOpen = false
    }

    /// The streams, of this process's muted ones, that were muted because of a call.
    ///
    /// A mute without a call, or of a stream that existed before the call, is the user's.
    private func silenced(of muted: [SinkInput], by calls: [SinkInput], among streams: [SinkInput]) -> [SinkInput] {
        let newlyMuted = mutes.newlyMuted(in: streams)
        let isToldOfMute = isNewcomer || isRequestOpen || verdict == .asked
        let beside = muted.filter { stream in calls.contains { $0.sink == stream.sink } }
        serverMuted.formIntersection(muted.map(\.index))
        serverMuted.formUnion(
            beside.map(\.index).filter {
                outputs.contains($0) ? isToldOfMute || isMoved && newlyMuted.contains($0) : newlyMuted.contains($0)
            })
        return beside.filter { serverMuted.contains($0.index) }
    }

    private func unmute(_ streams: [SinkInput]) {
        for stream in streams { connection.sync { $0.setSinkInputMute(false, at: stream.index) } }
    }

    /// Notifies the session of a pending interruption.
    private func notify() {
        timer.cancel()
        guard isTellingPutOff else { return }
        isTellingPutOff = false
        report(.interruptionBegan(.serverPolicy, by: caller))
    }

    private func end() {
        notify()
        verdict = .clear
        caller = nil
        report(.interruptionEnded(.serverPolicy, shouldResume: true))
    }
}
