internal import AVFAudio
internal import Foundation

/// The state of a player: its properties are read from here, from its item and from its session.
struct PlayerFacts: Sendable {
    var item: AVPlayerItem?
    /// The items that are played after the current one.
    var upcoming: [AVPlayerItem] = []
    /// The rate that the app asked for; 0 from the moment that a stop was noticed.
    var rate: Float = 0
    /// The session's stops up to the moment at which the app asked for that rate.
    var stopsBefore = (interruptions: 0, deactivations: 0)
    /// Whether the item's sound was started, so that a sound that does not run was stopped.
    var isStarted = false
    var usualRate: Float = 1
    var volume: Float = 1
    var isMuted = false
    var endAction = AVPlayer.ActionAtItemEnd.pause
    /// Whether streams wait for enough to play on without a stall.
    var waits = true
    var failure: NSError?
    /// Whether an item was found ready to play once.
    var wasReady = false
    /// Starts that failed after a second or more: the sound server did not answer.
    var unansweredStarts = 0
    /// Rate and status before a command; other threads read them until the command returns, or the session is stopped.
    var held: (rate: Float, status: AVPlayer.TimeControlStatus)?

    /// The current item and those after it.
    var queue: [AVPlayerItem] { (item.map { [$0] } ?? []) + upcoming }

    /// The rate: 0 too where the session or the sound was stopped, and no command has noticed yet.
    func rate(in session: AVAudioSession) -> Float {
        if let held { return session.stops == stopsBefore ? held.rate : 0 }
        guard rate != 0 else { return 0 }
        if isStarted, let standing = item?.sound.standing {
            switch standing {
            case .running: return rate
            // A stop after the end is none of the sound's.
            case .finished: break
            case .interrupted, .stopped: return 0
            }
        }
        return session.stops == stopsBefore ? rate : 0
    }

    /// Whether the sound is heard, or why not.
    func status(in session: AVAudioSession) -> AVPlayer.TimeControlStatus {
        guard rate(in: session) != 0 else { return .paused }
        if let held { return held.status }
        guard let item, item.status == .readyToPlay, !item.sound.isWaiting else {
            return .waitingToPlayAtSpecifiedRate
        }
        return .playing
    }
}
