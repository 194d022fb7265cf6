package import AudioHost
internal import PulseClient

/// How much a capture is delivered at a time.
///
/// What a recording costs is the number of times that it is woken. PulseAudio cannot hand over a part of what it
/// gathers, so there it gathers no more than may be missing for a moment. PipeWire can, as soon as it is told to
/// deliver less at a time; there it gathers much, and is hurried whenever something depends on what was captured last:
///
///     just resumed, just moved, something missing   until the device's clock is known
///     little more is wanted                         so that the end is not missed
///     pausing, finishing                            what was heard until now
///
/// Somebody who watches the levels is always delivered little at a time.
struct CaptureDelivery {
    /// What a server can be asked for, in seconds.
    struct Amounts {
        let little: Double
        let usual: Double

        static let pulseAudio = Amounts(little: 0.02, usual: 0.1)
        /// PipeWire lets its whole graph run in shorter cycles for who asks for less than one of its longest, which
        /// last 43 ms, and each change of the cycles tears what is heard and recorded at that moment.
        static let pipeWire = Amounts(little: 0.05, usual: 0.4)
    }

    /// How long it takes to know the device's clock, in seconds.
    private static let settling = 0.3

    let amounts: Amounts
    /// Whether the server hands over what it has as soon as it is asked for less.
    let canHurry: Bool
    var pace: CaptureRequest.Pace
    /// Until when little is delivered at a time, in seconds of ``MonotonicClock``.
    private var hurry = -Double.infinity
    /// What the server was told last.
    private var told = 0.0

    init(_ amounts: Amounts, pace: CaptureRequest.Pace, canHurry: Bool) {
        self.amounts = amounts
        self.pace = pace
        self.canHurry = canHurry
    }

    /// Asks for little at a time from now on, for a while.
    mutating func hurry(at now: Double) { hurry = now + Self.settling }

    /// What to tell the server, in seconds; nil if it knows.
    mutating func change(at now: Double) -> Double? {
        let isLittle = pace == .watched || canHurry && now < hurry
        let amount = isLittle ? amounts.little : amounts.usual
        guard amount != told else { return nil }
        told = amount
        return amount
    }

    /// How much may be on its way at most, in seconds: what is gathered, and a late delivery.
    var most: Double { amounts.usual + 0.1 }
}

extension Capture {
    /// Changes how much is delivered at a time.
    ///
    /// With the main loop's lock held.
    package func setPace(_ pace: CaptureRequest.Pace) {
        delivery.pace = pace
        tellDelivery()
    }

    /// Has what was heard until now delivered soon, and what comes in the next moments too.
    ///
    /// With the main loop's lock held.
    package func hurry() {
        delivery.hurry(at: MonotonicClock.seconds)
        tellDelivery()
    }

    /// Frames that were heard and are wanted, but have not been delivered yet.
    ///
    /// With the main loop's lock held.
    package var undelivered: Int {
        guard isUnderWay, isFlowing, !isLost, !timeline.isAssessing else { return 0 }
        guard let heard = endFrame ?? timeline.frame(at: MonotonicClock.seconds) else { return 0 }
        let first = max(start.flatMap(timeline.frame) ?? 0, timeline.frames)
        return min(max(0, heard - first), Int(delivery.most * rate))
    }

    /// The sizes for a stream that is about to begin.
    func beginDelivery() -> BufferAttributes {
        delivery.hurry(at: MonotonicClock.seconds)
        return attributes(delivery.change(at: MonotonicClock.seconds) ?? 0)
    }

    /// Frames have come: more at a time will do, unless there is a reason for less.
    func adaptDelivery() {
        let now = MonotonicClock.seconds
        if !isRunning || start != nil || timeline.isAssessing || handlers.isUrgent() { delivery.hurry(at: now) }
        tellDelivery()
    }

    private func tellDelivery() {
        guard !isClosed, let seconds = delivery.change(at: MonotonicClock.seconds) else { return }
        stream.sync { $0.setBufferAttributes(attributes(seconds)) }
    }

    private func attributes(_ seconds: Double) -> BufferAttributes {
        BufferAttributes(fragmentSize: UInt32(stream.spec.bytes(seconds)))
    }
}
