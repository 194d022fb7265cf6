package import SessionPolicy

/// How fast streams of other programs go down and up.
package struct DuckRamps: Hashable, Sendable {
    /// The time to go down.
    package var down: Duration
    /// The time to come back.
    package var up: Duration

    /// Ramps; 0.2 s down and 0.5 s up if nothing else is said.
    package init(down: Duration = .milliseconds(200), up: Duration = .milliseconds(500)) {
        self.down = down
        self.up = up
    }
}

/// Something that lowers streams of programs outside the library, and gives them back: one for each kind of server.
///
/// All members are used with the main loop's lock held, return at once, and do the rest from the loop.
package protocol ForeignVolume: AnyObject {
    /// Says how far each stream is to go down; a stream that is not named is given back.
    ///
    /// - Parameters:
    ///   - levels: How far, by the server's number of the stream (PulseAudio's sink input).
    ///   - gain: What lowered means: the factor for the samples, 0.1 for -20 dB.
    ///   - ramps: How fast.
    func apply(_ levels: [UInt32: DuckTargets.Level], gain: Float, ramps: DuckRamps)

    /// Takes over what somebody else has lowered; with the next ``apply(_:gain:ramps:)`` it stays so, or is given back.
    ///
    /// What the ledger file holds is taken over too.
    func adopt(_ ledgers: [DuckLedger])

    /// Leaves everything as it is to another process, which has taken over.
    func forget()

    /// Called on every change of any playback stream: the server may have remembered a lowered volume.
    func streamsChanged()

    /// Finds out whether anything can be lowered from here, and says so later, with the main loop's lock held.
    func probe(_ completion: @escaping (Bool) -> Void)

    /// Whether nothing is lowered, as far as this process knows, and nothing remains to be done.
    var isIdle: Bool { get }

    /// Told when another process has taken over, with the index of its connection.
    var onDeposed: ((UInt32) -> Void)? { get set }
    /// Told of a ledger with entries before it is written down: whoever gives it back after our death must know it
    /// before others see that it is ours.
    var onIntent: ((DuckLedger) -> Void)? { get set }
    /// Told of the ledger as text after each change, before any volume follows from it.
    var onLedger: ((DuckLedger) -> Void)? { get set }
    /// Told when it turns out that nothing can be lowered from here.
    var onUnable: (() -> Void)? { get set }
    /// Told when nothing is left to do.
    var onIdle: (() -> Void)? { get set }
}
