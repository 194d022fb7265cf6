internal import AVFAudio

/// What plays an item's sound: an `AVAudioPlayer`, or the player of a stream.
protocol ItemAudio: AnyObject, Sendable {
    var rate: Float { get set }
    var volume: Float { get set }
    var currentTime: Double { get }
    var standing: PlayerStanding { get }

    /// Plays on from the position, `impatiently` with as little as there is; false if that is not possible.
    func start(impatiently: Bool) -> Bool
    func pause()
    func stop()
}

extension AVAudioPlayer: ItemAudio {
    func start(impatiently: Bool) -> Bool { play() }
}

extension StreamPlayer: ItemAudio {
    func start(impatiently: Bool) -> Bool { play(impatiently: impatiently) }
}
