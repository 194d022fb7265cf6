internal import AVFAudio

/// The player of an item's sound: an `AVAudioPlayer`, or a ``StreamPlayer``.
///
/// Properties wait for nothing; functions may wait for the sound server, for 2 s at most.
protocol ItemAudio: AnyObject, Sendable {
    var rate: Float { get set }
    var volume: Float { get set }
    var currentTime: Double { get }
    var standing: PlayerStanding { get }
    /// Waits until `currentTime` of a paused sound is exact, for 0.25 s at most; it is an estimate until then.
    func settle()

    /// Plays on from the position, `impatiently` with as little as is loaded; false if that is not possible.
    func start(impatiently: Bool) -> Bool
    func pause()
    func stop()

    /// Whether another sound could begin by itself where this one ends.
    var canLead: Bool { get }
    /// The voice, prepared to begin where another sound ends; nil if that is not possible.
    func readyToFollow() -> QueuedVoice?
    /// Lets a sound begin where this one ends, or no sound; false if that sound has to be started then.
    func lead(_ next: QueuedVoice?) -> Bool
}

extension AVAudioPlayer: ItemAudio {
    func start(impatiently: Bool) -> Bool { play() }
}

extension StreamPlayer: ItemAudio {
    func start(impatiently: Bool) -> Bool { play(impatiently: impatiently) }
}
