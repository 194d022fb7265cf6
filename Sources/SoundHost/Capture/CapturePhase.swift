/// The life cycle of a capture, with the known state of its input in each phase.
///
/// A value: ``apply(_:)`` is the only way from one phase to another, and returns false if there is none.
enum CapturePhase: Hashable, Sendable {
    /// The known state of an input whose frames flow.
    struct Flow: Hashable, Sendable {
        /// Whether frames are missing, and replaced by silence.
        var isLost = false
        /// Whether the server has suspended the source.
        var isAsleep = false
        /// Whether the last wanted frame has come.
        var hasEnded = false
    }

    /// Corked, and no frames are wanted. Can move to: due, closed.
    case paused
    /// Frames are wanted, but its time has not come, or the server has not confirmed the stop yet; without that for too
    /// long the input is lost. Can move to: recording, paused, closed.
    case due(isLost: Bool)
    /// Frames are wanted, and flow. Can move to: due, draining, lingering, paused, closed.
    case recording(Flow)
    /// Paused by the session, and earlier frames are still to come. Can move to: paused, closed.
    case draining(Flow)
    /// Frames flow and are dropped, for a capture that resumes soon. Can move to: recording, paused, closed.
    case lingering(Flow)
    /// The stream is gone. Final.
    case closed

    /// The causes of a change of phase.
    enum Event: Hashable, Sendable, CaseIterable {
        /// Frames are wanted from now on.
        case resume
        /// The stream was uncorked.
        case flow
        /// The stream was corked, until the time of the capture comes, or for good.
        case cork
        /// No frames are wanted any more, and the stream was corked.
        case pause
        /// All wanted frames have come.
        case finish
        /// Later frames are not wanted, but earlier ones are.
        case drain
        /// No frames have come for too long.
        case lose
        /// Frames are coming again.
        case restore
        /// The source was suspended, or resumed.
        case sleep, wake
        /// The last wanted frame has come.
        case end
        /// The stream was closed, or has failed.
        case close
    }

    /// Moves to the phase that follows from an event; false, without a change, if there is none.
    @discardableResult
    mutating func apply(_ event: Event) -> Bool {
        guard let next = next(after: event) else { return false }
        self = next
        return true
    }

    private func next(after event: Event) -> CapturePhase? {
        switch (self, event) {
        case (.closed, _): return nil
        case (_, .close): return .closed
        case (.paused, .resume): return .due(isLost: false)
        case (.lingering(var flow), .resume):
            flow.hasEnded = false
            return .recording(flow)
        case (.due(let isLost), .flow): return .recording(Flow(isLost: isLost))
        case (.recording, .cork): return .due(isLost: false)
        case (.draining, .cork), (.lingering, .cork): return .paused
        case (.due, .pause), (.recording, .pause), (.draining, .pause), (.lingering, .pause): return .paused
        case (.recording(let flow), .finish): return .lingering(flow)
        case (.recording(let flow), .drain): return .draining(flow)
        case (.due, .lose): return .due(isLost: true)
        case (.due, .restore): return .due(isLost: false)
        case (_, .lose): return changed { $0.isLost = true }
        case (_, .restore): return changed { $0.isLost = false }
        case (_, .sleep): return changed { $0.isAsleep = true }
        case (_, .wake): return changed { $0.isAsleep = false }
        case (.recording, .end), (.draining, .end): return changed { $0.hasEnded = true }
        default: return nil
        }
    }

    /// The same phase with another flow; nil where nothing flows.
    private func changed(_ change: (inout Flow) -> Void) -> CapturePhase? {
        guard var flow else { return nil }
        change(&flow)
        switch self {
        case .recording: return .recording(flow)
        case .draining: return .draining(flow)
        case .lingering: return .lingering(flow)
        case .paused, .due, .closed: return nil
        }
    }

    // MARK: Questions

    /// What is known of the input, while frames flow.
    var flow: Flow? {
        switch self {
        case .recording(let flow), .draining(let flow), .lingering(let flow): flow
        case .paused, .due, .closed: nil
        }
    }

    /// Whether the server was told to let frames flow.
    var isFlowing: Bool { flow != nil }

    /// Whether frames are wanted.
    var isRunning: Bool {
        switch self {
        case .due, .recording: true
        case .paused, .draining, .lingering, .closed: false
        }
    }

    /// Whether frames from before the session's pause are still to come.
    var isDraining: Bool { if case .draining = self { true } else { false } }

    /// Whether no frames come although they should.
    var isLost: Bool { if case .due(let isLost) = self { isLost } else { flow?.isLost == true } }

    /// Whether the last frame that is wanted has come.
    var hasEnded: Bool { flow?.hasEnded == true }

    /// Whether the server has put the source to sleep.
    var isAsleep: Bool { flow?.isAsleep == true }
}
