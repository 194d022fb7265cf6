internal import Glibc
internal import PulseClient
internal import SessionPolicy

extension ForeignDucking.Settings {
    /// The user's.
    init(_ policy: UserPolicy) {
        self.init(
            gain: VerdictGain.ducked(decibels: policy.duckDepth).amplitude,
            ramps: DuckRamps(down: .seconds(policy.duckDownSeconds), up: .seconds(policy.duckUpSeconds)))
    }
}

/// What the other sessions leave of this one's sound while it plays.
enum VerdictGain: Hashable, Sendable {
    /// All of it.
    case full
    /// It is lowered under somebody else's, by so many dB.
    case ducked(decibels: Double)
    /// Somebody records.
    case muted

    /// The factor of the samples.
    var amplitude: Float {
        switch self {
        case .full: 1
        case .ducked(let decibels): Float(pow(10, -decibels / 20))
        case .muted: 0
        }
    }
}

extension PulseHost {
    func makeBoard() -> ClaimBoard {
        let board = ClaimBoard(mainloop: mainloop) { [weak self] in self?.events($0) }
        board.onVerdicts = { [weak self] in self?.verdictsChanged() }
        board.onClient = { [weak self] in self?.clientChanged($0, $1) }
        return board
    }

    private func verdictsChanged() {
        surroundings?.verdictsChanged()
        foreignPlayers?.participantsChanged()
        watchQuiet()
        applyQuiet()
        applyBuffer()
        follow(board.verdict)
    }

    /// Lowers or mutes the session's sound as a verdict on it says, or lets it be heard.
    func follow(_ verdict: Verdict) {
        let gain: VerdictGain =
            verdict.isMutedByRecording ? .muted : verdict.isDucked ? .ducked(decibels: policy.duckDepth) : .full
        guard gain != verdictGain else { return }
        verdictGain = gain
        // Every process ramps its own mixer, so nobody can be left lowered by somebody who is gone.
        let seconds = gain == .full ? policy.duckUpSeconds : policy.duckDownSeconds
        for output in allOutputs { output.setGain(outputGain, seconds: seconds) }
    }

    /// The factor of all samples of the session.
    var outputGain: Float { isOutputMuted || isQuieted ? 0 : verdictGain.amplitude }

    /// Makes the session's output silent, or lets it be heard again, without a click; players go on.
    package func setOutputMuted(_ muted: Bool) {
        mainloop.withLock {
            isOutputMuted = muted
            for output in allOutputs { output.setGain(outputGain, seconds: 0.02) }
        }
    }

    /// Whether a session's call lives that leaves ours active: the server's own policy has nothing to add then.
    var isLetBeByCall: Bool {
        (board.verdict.standing == .active || board.isGranted)
            && board.arbitration.participants.contains { $0.isLive && $0.claim.isCall && $0.id != board.id }
    }

    func isParticipants(_ stream: SinkInput) -> Bool {
        ServerStream(stream, client: nil).participant(among: board.arbitration.participants) != nil
    }
}
