internal import PulseClient
internal import SessionPolicy

/// Notices when the server's own policy silences this process: PulseAudio's `module-role-cork` during a call.
///
/// The server mutes a stream and asks its client to cork. Three things make that harder than it sounds:
/// - a stream that is born during a call is muted, and the request is lost before the client could hear it;
/// - a stream that is moved during a call stays muted for ever, and nobody asks it to go on: we unmute it ourselves
///   once no call is left;
/// - streams that other libraries of this process opened (`pa_simple`, SDL) are muted, and their owner hears nothing.
///
/// The call may be that of another session: then the claims have decided already who yields to whom, and a session that
/// they leave active unmutes itself. Any other mute is the user's, and is left alone (``MuteHistory``). PipeWire has no
/// such policy.
///
/// The request does not say whose call it is for. So the sound stops at once, and the session is told a moment later,
/// when the server has listed its streams; it does not wait for long.
// SAFETY: only touched with the main loop's lock held.
final class ServerPolicyWatch: @unchecked Sendable {
    private enum Verdict: Hashable {
        /// The server lets us be. Can move to: asked, muted.
        case clear
        /// It asked us to cork. Can move to: clear (it asks us to go on, or unmutes us).
        case asked
        /// It muted us without a word, or moved us while corked: no request to go on will come. Can move to: clear (we
        /// are unmuted, or no call is left, and we unmute ourselves).
        case muted
    }

    private let connection: PulseConnection
    private let report: (HostEvent) -> Void
    /// Stops all sound of ours at once.
    private let silence: () -> Void
    private var verdict: Verdict = .clear
    /// Who calls, while the server silences us and it is known.
    private var caller: InterruptionOrigin?
    /// Whether the session has still to be told that it is interrupted.
    private var isTellingPutOff = false
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.notify() }
    /// How long a session may not know that it is interrupted; the answer comes within a millisecond or two.
    private static let debounce = Duration.milliseconds(20)
    /// Our own stream's index, once it is there.
    private var stream: UInt32?
    /// Whether our stream was born since the last look at it: then whoever muted it did so at its birth.
    private var isNewcomer = false
    /// Whether it was moved since: it may have been muted before.
    private var isMoved = false
    private var ownStreams: Set<UInt32> = []
    private var mutes = MuteHistory()
    /// Streams of ours that the server mutes, as far as one can know; what the user muted is not among them.
    private var serverMuted: Set<UInt32> = []
    /// Whether there was a call when we last looked; every change is of interest then.
    private var hasCall = false
    private var isLooking = false
    private var mustLookAgain = false
    private var whenLooked: [() -> Void] = []
    /// Whether the server's request is still to be judged by whose call it is for.
    private var isRequestOpen = false
    /// Whether a stream is of this process.
    var isOwn: (SinkInput) -> Bool = { _ in false }
    /// Whether a stream belongs to a session that takes part.
    var isParticipants: (SinkInput) -> Bool = { _ in false }
    /// Whether a session's call lives that leaves ours active.
    var isLetBeByCall: () -> Bool = { false }

    init(
        connection: PulseConnection, silence: @escaping () -> Void = {}, report: @escaping (HostEvent) -> Void
    ) {
        self.connection = connection
        self.silence = silence
        self.report = report
    }

    /// Whether sound would be silenced at once; says so to the session again if it is.
    func silencesStart() -> Bool {
        guard verdict != .clear else { return false }
        guard !isLetBeByCall() else {
            forgetSilencing()
            return false
        }
        if !isTellingPutOff { report(.interruptionBegan(.serverPolicy, by: caller)) }
        return true
    }

    /// What silenced us did so while our session was not active, and is the call of a session that lets it play.
    ///
    /// The list that is asked for has us unmuted, or interrupted anew: somebody outside may be in a call as well.
    private func forgetSilencing() {
        timer.cancel()
        verdict = .clear
        caller = nil
        isTellingPutOff = false
        isRequestOpen = true
        look()
    }

    // MARK: What happens

    /// Our stream is on the server, corked; `then` is called once it is known whether it was muted at birth.
    func streamAppeared(_ index: UInt32?, then: @escaping () -> Void) {
        stream = index
        isNewcomer = true
        whenLooked.append(then)
        look()
    }

    func streamDisappeared() {
        stream = nil
        if verdict == .asked { end() }
    }

    func streamMoved() {
        isMoved = true
        if verdict == .asked {
            verdict = .muted
            if let stream { serverMuted.insert(stream) }
        }
        look()
    }

    /// The server asked something of our stream.
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

    /// Some stream on the server changed.
    func sinkInputChanged(_ event: SubscriptionEvent) {
        if event.change == .new { mutes.arrived(event.index) }
        guard verdict != .clear || hasCall || event.change == .new || ownStreams.contains(event.index) || mutes.isEmpty
        else { return }
        look()
    }

    // MARK: Looking

    private func look() {
        guard !isLooking else {
            mustLookAgain = true
            return
        }
        isLooking = true
        // Who waits since before the question is told with its answer, whatever happens meanwhile.
        let waiting = whenLooked
        whenLooked = []
        connection.sync { connection in
            connection.sinkInputs { [weak self] result in
                guard let self else { return }
                self.isLooking = false
                if case .success(let streams) = result { self.judge(streams) }
                // A list that was asked for before the request may not show the call yet.
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
        let own = streams.filter { $0.index == stream || isOwn($0) }
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
                // One that was moved away from the call, and forgotten there.
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
            if let stream, !(isTellingPutOff && mustLookAgain), !muted.contains(where: { $0.index == stream }) { end() }
        case .muted:
            guard silenced.isEmpty else { break }
            unmute(muted.filter { serverMuted.contains($0.index) })
            end()
        }
        isNewcomer = false
        isMoved = false
        isRequestOpen = false
    }

    /// Which of our muted streams are so because of a call.
    ///
    /// A mute that comes without a call, or on a stream of ours that stood there before, is the user's.
    private func silenced(of muted: [SinkInput], by calls: [SinkInput], among streams: [SinkInput]) -> [SinkInput] {
        let newlyMuted = mutes.newlyMuted(in: streams)
        let isToldOfMute = isNewcomer || isRequestOpen || verdict == .asked
        let beside = muted.filter { stream in calls.contains { $0.sink == stream.sink } }
        serverMuted.formIntersection(muted.map(\.index))
        serverMuted.formUnion(
            beside.map(\.index).filter {
                $0 == stream ? isToldOfMute || isMoved && newlyMuted.contains($0) : newlyMuted.contains($0)
            })
        return beside.filter { serverMuted.contains($0.index) }
    }

    private func unmute(_ streams: [SinkInput]) {
        for stream in streams { connection.sync { $0.setSinkInputMute(false, at: stream.index) } }
    }

    /// Tells the session what it has not been told yet.
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
