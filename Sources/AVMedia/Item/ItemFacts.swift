internal import AVFAudio
internal import Foundation

/// The state of an item's sound: the item's properties are read from here, and from the sound.
struct ItemFacts: Sendable {
    var state = ItemSound.State.closed
    /// The asset's length; nil until the sound is open.
    var asset: AssetFacts?
    /// Whether a stream waits for enough to play on without a stall.
    var waits = true
    var volume: Float = 1
    /// Seconds of a stream that are loaded ahead; 0 for the usual ones.
    var forwardBuffer = 0.0
    /// The highest bit rate of a stream with variants, in bits a second; 0 for no limit.
    var peakBitRate = 0.0
    /// The position that was asked for before the sound was open, in seconds.
    var pendingSeconds: Double?
    /// Whether a seek went to the end of a file: the sound itself would begin anew.
    var restsAtEnd = false
    /// Whether the sound has come to the item's forward end, and no seek followed.
    var restsAtForwardEnd = false
    /// The statistics of a stream that has failed.
    var lastReport: StreamReport?
    /// Standing and seconds before a command that moves a file; other threads read them until the command returns.
    var held: (standing: PlayerStanding, seconds: Double)?

    /// The open sound.
    var audio: (any ItemAudio)? {
        if case .ready(let audio) = state { audio } else { nil }
    }

    /// The open sound of a stream.
    var stream: StreamPlayer? { audio as? StreamPlayer }

    /// The standing of the open sound.
    var audioStanding: PlayerStanding? { held?.standing ?? audio?.standing }
}
