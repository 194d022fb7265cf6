package import SessionPolicy

/// The durations of the ramps by which streams of other programs are lowered and restored.
package struct DuckRamps: Hashable, Sendable {
    /// The duration of the ramp down.
    package var down: Duration
    /// The duration of the ramp up.
    package var up: Duration

    /// Ramps; by default 0.2 s down and 0.5 s up.
    package init(down: Duration = .milliseconds(200), up: Duration = .milliseconds(500)) {
        self.down = down
        self.up = up
    }
}

/// An implementation of lowering and restoring streams of other programs, for one kind of server.
///
/// All members are used with the main loop's lock held and return at once; the work continues on the loop.
package protocol ForeignVolume: AnyObject {
    /// Sets the level of each stream; a stream that is not named is restored.
    ///
    /// - Parameters:
    ///   - levels: The levels by the server's index of the stream (PulseAudio's sink input).
    ///   - newborn: Streams that began while others were lowered already: they go down without a ramp.
    ///   - gain: The gain of a lowered stream, as a factor for samples: 0.1 for -20 dB.
    ///   - ramps: The durations of the ramps.
    func apply(_ levels: [UInt32: DuckTargets.Level], newborn: Set<UInt32>, gain: Float, ramps: DuckRamps)

    /// Takes over the streams in other processes' ledgers and in the ledger file.
    ///
    /// The next ``apply(_:newborn:gain:ramps:)`` keeps them lowered or restores them.
    func adopt(_ ledgers: [DuckLedger])

    /// Forgets all streams without restoring them, since another process has taken over.
    func forget()

    /// Notes a change of a playback stream, with which the server may have remembered a lowered volume.
    func streamsChanged()

    /// Checks whether this process can lower streams; `completion` is called later, with the main loop's lock held.
    func probe(_ completion: @escaping (Bool) -> Void)

    /// Whether no stream is lowered by this process and no work is left.
    var isIdle: Bool { get }

    /// Called with the client index of a process that has taken over.
    var onDeposed: ((UInt32) -> Void)? { get set }
    /// Called with a ledger with entries before it is written: the guard must have it before other processes see it.
    var onIntent: ((DuckLedger) -> Void)? { get set }
    /// Called with the ledger after each change, before any volume is set.
    var onLedger: ((DuckLedger) -> Void)? { get set }
    /// Called when this process turns out to be unable to lower streams.
    var onUnable: (() -> Void)? { get set }
    /// Called when no work is left.
    var onIdle: (() -> Void)? { get set }
}
