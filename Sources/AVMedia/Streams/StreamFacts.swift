internal import AudioFiles
internal import AudioHost
internal import Foundation

/// The state of a stream player: its properties are read from here, from the loader's status and from the sound's.
struct StreamFacts: Sendable {
    enum Phase: Sendable {
        /// Not asked to play. Can move to: waiting, ended.
        case paused
        /// Asked to play, with too little loaded. Can move to: running, paused, ended.
        case waiting
        /// The voice is in the mix. Can move to: waiting, paused, ended.
        case running
        /// Heard to the end. Can move to: paused, waiting with a seek.
        case ended
    }

    /// The player's voice in its session's output.
    struct Output: Sendable {
        let place: OutputPlace
        let sound: any HostSound
        let timeline: StreamTimeline
    }

    /// Phase and position at one moment.
    struct Moment: Sendable {
        var phase: Phase
        /// The stream's frame that is heard, or that playing goes on from.
        var frame: Int64
        /// Whether the session stopped the voice.
        var isCutOff: Bool
    }

    var output: Output?
    var phase = Phase.paused
    /// The frame that playing goes on from where the voice has no position.
    var restingFrame: Int64 = 0
    /// Whether a seek waits for the web server.
    var isSeeking = false
    /// The moment before a command that moves the voice; other threads read it until the command returns.
    var held: Moment?
    /// The frame after the last one, once it was found.
    var foundEnd: Int64?
    /// Whether playing waits for enough to play on without a stall.
    var waits = true
    var volume: Float = 1
    var rate = 1.0
    /// The session's activation in which the app asked to play last; 0 for none.
    var activation = 0
    var stalls = 0
    /// The beginning of the opening, and its end.
    var begun = Date()
    var opened: Date?

    /// Phase and position now; asks the host, which answers at once.
    var moment: Moment {
        if let held { return held }
        guard let output else { return Moment(phase: phase, frame: restingFrame, isCutOff: false) }
        let status = output.sound.status
        let isResting = isSeeking || phase == .ended
        return Moment(
            phase: phase, frame: isResting ? restingFrame : output.timeline.streamFrame(at: status.frame),
            isCutOff: phase == .running && status.state == .paused)
    }
}

/// The loaded part of a stream, seen from the listener's position.
struct StreamOutlook {
    /// Seconds of sound that suffice for a start: at any speed of loading, of a live stream, and where sound is loaded
    /// faster than it plays.
    private static let enough = (always: 5.0, live: 2.0, whenFast: 0.5)
    /// Seconds of sound that are loaded in a second, from which on loading is fast.
    private static let fast = 1.3

    let status: StreamLoader.Status
    let moment: StreamFacts.Moment

    /// Loaded seconds beyond the listener's position.
    var ahead: Double {
        guard let format = status.format, !status.isSeeking else { return 0 }
        let frames = status.frames.upperBound - max(moment.frame, status.frames.lowerBound)
        return max(0, Double(frames) / format.sampleRate)
    }

    /// Whether playing will probably not stall.
    var isLikelyToKeepUp: Bool {
        guard let format = status.format, !status.isSeeking else { return false }
        if status.isComplete || status.isFull { return true }
        let seconds = ahead
        if seconds >= (format.isLive ? Self.enough.live : Self.enough.always) { return true }
        return seconds >= Self.enough.whenFast && (moment.phase == .running || status.speed.rate >= Self.fast)
    }

    /// Whether no sound is loaded beyond the position, though the stream has not ended.
    var isEmpty: Bool { ahead <= 0 && !status.isComplete }

    /// Whether the loader has stopped loading, for now or for good.
    var isFull: Bool { status.isFull || status.isComplete }

    /// The loaded part in seconds; nil if there is none.
    var loadedSeconds: Range<Double>? {
        guard let rate = status.format?.sampleRate, !status.frames.isEmpty, !status.isSeeking else { return nil }
        return Double(status.frames.lowerBound) / rate..<Double(status.frames.upperBound) / rate
    }
}

extension StreamLoader.Status {
    /// The frame after the stream's last one, if that was loaded; nil for a stream without a length.
    var endFound: Int64? {
        guard format?.duration != nil, isComplete, error == nil, !isSeeking else { return nil }
        // A seek beyond the end loads nothing.
        return frames.isEmpty ? nil : frames.upperBound
    }
}
