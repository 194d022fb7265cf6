internal import AudioHost
internal import PulseClient

/// The fragment size of a capture: how much sound the server delivers at a time.
///
/// A recording costs as much as the number of times that it is woken. PulseAudio cannot deliver a part of a fragment,
/// so fragments there are no longer than what may be missing for a moment. PipeWire can, as soon as it is asked for
/// shorter ones; there they are long, and are shortened whenever something depends on the newest sound:
///
///     just resumed, just moved, something missing   until the device's clock is known
///     little more is wanted                         so that the end is not missed
///     pausing, finishing                            what was heard until now
///
/// A recorder whose levels are watched always gets short fragments, and an engine the shortest ones.
struct CaptureDelivery {
    /// The fragment sizes that a server is asked for, in seconds.
    struct Amounts {
        let little: Double
        let usual: Double
        let live: Double

        static let pulseAudio = Amounts(little: 0.02, usual: 0.1, live: 0.01)
        /// The short size is above PipeWire's longest quantum, 43 ms: a shorter one would shorten the quantum of the
        /// whole graph, and each change of the quantum tears what is heard and recorded at that moment.
        ///
        /// The live one is PipeWire's usual quantum, 1024 frames at 48 kHz, and never changes while a stream runs. A frame
        /// more would be delivered with the quantum after it.
        static let pipeWire = Amounts(little: 0.05, usual: 0.4, live: 0.02134)
    }

    /// How long it takes to know the device's clock, in seconds.
    private static let settling = 0.3

    let amounts: Amounts
    /// Whether the server delivers at once what it has when it is asked for shorter fragments.
    let canShorten: Bool
    var pace: CaptureRequest.Pace
    /// Until when fragments are short, in seconds of ``MonotonicClock``.
    private var shortenedUntil = -Double.infinity
    /// The size that the server was asked for last.
    private var requested = 0.0

    init(_ amounts: Amounts, pace: CaptureRequest.Pace, canShorten: Bool) {
        self.amounts = amounts
        self.pace = pace
        self.canShorten = canShorten
    }

    /// Shortens the fragments for a while from now on.
    mutating func shorten(at now: Double) { shortenedUntil = now + Self.settling }

    /// The size to ask the server for, in seconds; nil if that was asked for last.
    mutating func change(at now: Double) -> Double? {
        let isLittle = pace == .watched || canShorten && now < shortenedUntil
        let amount = pace == .live ? amounts.live : isLittle ? amounts.little : amounts.usual
        guard amount != requested else { return nil }
        requested = amount
        return amount
    }

    /// The most sound that may be on its way, in seconds: a fragment, and a late delivery.
    var most: Double { amounts.usual + 0.1 }
}
