/// An event between two states of a server.
package enum ServerStateChange: Hashable, Sendable {
    /// An activation of a session, or its return from an interruption.
    case active(UInt32)
    /// The end of a session; `notify` is whether others may resume, nil if the client vanished.
    case inactive(UInt32, notify: Bool?)
    /// A stop of a session's process.
    case stopped(UInt32)
    /// A continuation of a session's process.
    case continued(UInt32)
    /// The beginning of an interruption of a session.
    case interruptionBegan(UInt32, by: [ServerState.Hindrance])
    /// The end of an interruption by sessions.
    case interruptionEnded(UInt32, shouldResume: Bool)
    /// The beginning or end of ducking of a session.
    case ducked(UInt32, Bool, by: [UInt32])
    /// The beginning or end of a session's mute by a recording.
    case muted(UInt32, Bool)
    /// The start of a session's players or recorders.
    case started(UInt32)
    /// The end of a session's last running player or recorder.
    case paused(UInt32)
    /// The start of a program's stream, or its uncorking.
    case streamStarted(ServerStream)
    /// The corking of a stream.
    case streamPaused(ServerStream)
    /// The end of a stream.
    case streamFinished(ServerStream)
    /// The beginning or end of the ducking of a stream of another program, or of one that its session cannot lower.
    case streamDucked(ServerStream, Bool, by: [UInt32])
    /// The beginning or end of a stream's mute; by a call of another program if the server mutes for those.
    case streamMuted(ServerStream, Bool, by: ServerStream?)
}

extension ServerState {
    /// The events since an earlier state, causes before effects.
    ///
    /// Sessions and streams that appeared and ended between the two states are missing.
    package func changes(since old: ServerState) -> [ServerStateChange] {
        let gone = old.participants.filter { same(as: $0) == nil && old.condition(of: $0) != .idle }
        let changes: [ServerStateChange] =
            gone.map { .inactive($0.id, notify: nil) } + participants.flatMap { steps(of: $0, since: old) }
            + participants.flatMap { consequences(for: $0, since: old) } + streamChanges(since: old)
        // The offset keeps the order of changes of the same rank.
        return changes.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(
            \.element)
    }

    /// The same participant in this state; a client index may have been reused.
    private func same(as participant: Participant) -> Participant? {
        arbitration.participant(participant.id).flatMap { $0.claim.uid == participant.claim.uid ? $0 : nil }
    }

    /// The events caused by the participant itself.
    private func steps(of participant: Participant, since old: ServerState) -> [ServerStateChange] {
        let earlier = old.same(as: participant)
        let (before, now) = (earlier.map(old.condition) ?? .idle, condition(of: participant))
        var changes: [ServerStateChange] = []
        switch (before, now) {
        case (.idle, .idle), (.active, .active), (.interrupted, .interrupted), (.stopped, .stopped): break
        case (_, .idle): changes.append(.inactive(participant.id, notify: participant.claim.notify))
        case (_, .stopped): changes.append(.stopped(participant.id))
        case (.stopped, _): changes.append(.continued(participant.id))
        case (.idle, _), (_, .active): changes.append(.active(participant.id))
        case (_, .interrupted): break
        }
        let wasPlaying = earlier?.claim.isPlaying ?? false
        if participant.claim.isPlaying != wasPlaying {
            changes.append(wasPlaying ? .paused(participant.id) : .started(participant.id))
        }
        return changes
    }

    /// The events caused by others.
    private func consequences(for participant: Participant, since old: ServerState) -> [ServerStateChange] {
        let id = participant.id
        let earlier = old.same(as: participant)
        var changes: [ServerStateChange] = []
        let condition = condition(of: participant)
        if case .ended(let shouldResume) = judgedAsBefore(participant, earlier).interruptionChange(
            of: id, since: old.arbitration)
        {
            changes.append(.interruptionEnded(id, shouldResume: shouldResume))
        } else if let earlier, calls.isEmpty, old.hindrances(of: earlier).contains(where: \.isForeignCall) {
            changes.append(.interruptionEnded(id, shouldResume: true))
        }
        let wasActive = earlier.map(old.condition) == .active
        if case .began = arbitration.interruptionChange(of: id, since: old.arbitration) {
            changes.append(.interruptionBegan(id, by: causes(for: participant, since: old)))
        } else if wasActive, condition == .interrupted {
            // By something other than a session.
            changes.append(.interruptionBegan(id, by: causes(for: participant, since: old)))
        }
        let (before, now) = (earlier == nil ? .inactive : old.arbitration.verdict(on: id), arbitration.verdict(on: id))
        if before.isDucked != now.isDucked {
            changes.append(.ducked(id, now.isDucked, by: now.isDucked ? arbitration.duckers : old.arbitration.duckers))
        }
        if before.isMutedByRecording != now.isMutedByRecording {
            changes.append(.muted(id, now.isMutedByRecording))
        }
        return changes
    }

    /// The hindrances of a participant whose interruption is new; calls that ended since the earlier state, if no other cause
    /// is visible.
    private func causes(for participant: Participant, since old: ServerState) -> [Hindrance] {
        let hindrances = hindrances(of: participant)
        guard hindrances.contains(.unseen), !old.calls.isEmpty else { return hindrances }
        return hindrances.filter { $0 != .unseen } + old.calls.map { .foreignCall($0) }
    }

    /// The verdicts without the participant's own change, so that the end of an interruption is reported even if it
    /// resumes at once.
    private func judgedAsBefore(_ participant: Participant, _ earlier: Participant?) -> Arbitration {
        guard let earlier, earlier.claim.order != participant.claim.order, participant.isLive else {
            return arbitration
        }
        return Arbitration(arbitration.participants.map { $0.id == participant.id ? earlier : $0 })
    }

    // MARK: Streams

    /// The streams that no session plays itself: other streams of participants, and those of other programs.
    private var looseStreams: [ServerStream] {
        programStreams.filter { stream in stream.client.flatMap { arbitration.participant($0) } == nil }
    }

    private func streamChanges(since old: ServerState) -> [ServerStateChange] {
        let (before, now) = (old.looseStreams, looseStreams)
        let finished = before.filter { stream in !now.contains { $0.isSame(as: stream) } }
        return finished.map { .streamFinished($0) }
            + now.compactMap { stream in
                let wasCorked = before.first { $0.isSame(as: stream) }?.isCorked ?? true
                guard stream.isCorked != wasCorked else { return nil }
                return stream.isCorked ? .streamPaused(stream) : .streamStarted(stream)
            } + streamEffects(since: old)
    }

    /// The beginnings and ends of what others do to streams; the end of a stream is no end of these.
    private func streamEffects(since old: ServerState) -> [ServerStateChange] {
        let (before, now) = (old.looseStreams, looseStreams)
        let (duckedBefore, duckedNow) = (old.duckedStreams, duckedStreams)
        return now.flatMap { stream in
            var changes: [ServerStateChange] = []
            let earlier = before.first { $0.isSame(as: stream) }
            let wasDucked = earlier.map { duckedBefore[$0] != nil } ?? false
            let duckers = duckedNow[stream]
            if wasDucked != (duckers != nil) {
                changes.append(.streamDucked(stream, !wasDucked, by: duckers ?? []))
            }
            if stream.isMuted != (earlier?.isMuted ?? false) {
                changes.append(.streamMuted(stream, stream.isMuted, by: stream.isMuted ? muter(of: stream) : nil))
            }
            return changes
        }
    }
}

extension ServerStateChange {
    /// The rank for sorting: causes have lower ranks than their effects.
    fileprivate var rank: Int {
        switch self {
        case .inactive, .stopped: 0
        case .interruptionEnded: 1
        case .active, .continued: 2
        case .interruptionBegan: 3
        case .ducked, .muted: 4
        case .started, .paused: 5
        case .streamStarted, .streamPaused, .streamFinished: 6
        case .streamDucked, .streamMuted: 7
        }
    }
}

extension ServerState.Hindrance {
    fileprivate var isForeignCall: Bool {
        if case .foreignCall = self { true } else { false }
    }
}

extension ServerStream {
    fileprivate func isSame(as other: ServerStream) -> Bool {
        direction == other.direction && index == other.index && client == other.client
    }
}
