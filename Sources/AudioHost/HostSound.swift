package import AudioRealtime
package import SessionPolicy

/// A request for an output.
package struct OutputRequest: Hashable, Sendable {
    /// The role of the stream; nil for none.
    package var role: StreamRole?
    /// One of several sinks to play on at once; nil for the main output.
    package var sink: String?
    /// Whether single channels of the sink are addressed: the stream then has the channels of its current sink.
    package var isAssigned = false
    /// Whether the sound is made as it is heard, and so the output is to be filled only as far ahead as the device needs.
    package var isLive = false

    /// A request for the output of a role.
    package init(role: StreamRole?, sink: String? = nil, isAssigned: Bool = false, isLive: Bool = false) {
        self.role = role
        self.sink = sink
        self.isAssigned = isAssigned
        self.isLive = isLive
    }
}

/// An output, as it was when it was opened.
package struct OutputPlace: Hashable, Sendable {
    /// The number of the output; each output of a host has its own.
    package let id: Int
    /// The sample rate: frames per second, in Hz.
    package let rate: Int
    /// The positions of the interleaved channels.
    package let channels: [Channel]
    /// The name of the sink; nil if the server does not say.
    package let device: String?
    /// The history that a ring has to keep, in seconds: rendered frames that may be rendered again after a rewind.
    package let historySeconds: Double
    /// The sound that the output takes at a time, in seconds.
    package let period: Double

    /// An output with these values.
    package init(
        id: Int, rate: Int, channels: [Channel], device: String?, historySeconds: Double, period: Double = 0.5
    ) {
        self.historySeconds = historySeconds
        self.period = period
        self.id = id
        self.rate = rate
        self.channels = channels
        self.device = device
    }
}

/// A source that fills a ring with frames to play.
///
/// The host's thread reads the ring; everything else in it belongs to the source. Members are called with the host's
/// lock held, on any thread, and must return at once: they may set a flag, or dispatch work to a queue.
package protocol SoundSource: AnyObject, Sendable {
    /// The ring of frames to play.
    var ring: Voice { get }
    /// The number of free frames in the ring from which on ``refill()`` is called.
    var refillThreshold: Int { get }
    /// The matrix from the source's channels to those of an output.
    func matrix(to channels: [Channel]) -> ChannelMatrix
    /// Requests more frames; called again only after ``HostSound/didWrite()``.
    func refill()
    /// The last frame was heard.
    func finished()
    /// The session stopped the sound, which the app had not asked for.
    func interrupted()
    /// The queued frames were rewound after ``HostSound/requestRedecode()``; called once for each request.
    ///
    /// The source may write other frames from this position on, and then calls ``HostSound/didRedecode()``.
    func redecode()
}

/// A sound in an output of a host.
///
/// All members may be called on any thread, and all return at once except ``settle(seconds:)``.
package protocol HostSound: AnyObject, Sendable {
    /// The state and position of the sound.
    var status: SoundStatus { get }

    /// Starts the sound at its position, now or at a time of ``HostFacts/deviceTime``.
    ///
    /// - Parameter fade: A ramp of the gain that begins with the sound's first frame.
    func play(at time: Double?, fade: GainChange?) -> SoundStart

    /// Stops the sound at the next frame to be heard; ``settle(seconds:)`` waits until that frame is known.
    func pause()

    /// Waits until the position of the paused sound is exact, for `seconds` at most.
    func settle(seconds: Double)

    /// Takes the sound out of the output for a moment, without reporting an end.
    ///
    /// - Returns: Whether the sound ran; only then ``endSuspension(with:)`` must follow.
    func suspend() -> Bool

    /// Ends a suspension with this sound, another one, or none.
    ///
    /// Nothing plays if the session was deactivated in between.
    func endSuspension(with sound: (any HostSound)?)

    /// Empties the ring of a sound that does not run; with `keepsRamps`, a ramp of the gain goes on.
    func empty(keepsRamps: Bool)

    /// The source wrote frames to its ring, or marked its end.
    func didWrite()

    /// Rewinds the frames that the server has not played, and then calls ``SoundSource/redecode()``.
    func requestRedecode()

    /// The source has finished a ``SoundSource/redecode()``; to be called once for each.
    func didRedecode()

    /// Replaces the ring's frames from `frame` on.
    ///
    /// - Parameters:
    ///   - frame: A frame of the ring, counted from its start.
    ///   - pieces: Interleaved frames; empty only cuts.
    ///   - isEnd: Whether the sound ends with them.
    /// - Returns: The total number of frames ever written to the ring. Nil if frames beyond `frame` have been rendered
    ///   already: the ring is unchanged then.
    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int?

    /// Changes gain, pan or metering; a running sound's queued frames are rendered again, so that the change is heard
    /// at once.
    func change(_ change: SoundChange)

    /// Copies the gain of another sound, its ramp included, unless that sound was heard to its end.
    func takeGain(of other: any HostSound)

    /// The levels of the `window` frames heard last; nil while the sound is not heard.
    func levels(window: Int) -> Levels?

    /// Sets the sound of the same output that begins with the frame after this sound's last one; nil for none.
    ///
    /// - Returns: False if it is too late: this sound was heard to its end, or was stopped.
    func chain(to next: (any HostSound)?) -> Bool
}

/// The state and position of a sound.
package struct SoundStatus: Hashable, Sendable {
    /// The state of a sound.
    package enum State: Hashable, Sendable {
        /// Silent at its position.
        case paused
        /// Heard, or waiting for its start time.
        case running
        /// Heard to its end.
        case finished
    }

    /// The state.
    package var state: State
    /// The ring's frame that is heard now; just after a pause an estimate until the server has answered.
    package var frame: Int

    /// A status.
    package init(state: State, frame: Int) {
        self.state = state
        self.frame = frame
    }
}

/// The result of a start of a sound.
package enum SoundStart: Hashable, Sendable {
    /// The sound runs, or will at its time.
    case begun
    /// The session is interrupted: the sound is paused, and its source has been notified.
    case interrupted
    /// The session is not active, or the output has gone.
    case refused
}

/// A change of a sound's gain, at once or over a ramp.
package struct GainChange: Hashable, Sendable {
    /// The target gain, 0 … 1, linear.
    package var gain: Float
    /// The length of the ramp in frames; 0 for none.
    package var rampFrames: Int
    /// A gain to reach before the ramp begins; nil begins with the present gain.
    package var start: Start?

    /// The beginning of a ramp.
    package struct Start: Hashable, Sendable {
        /// The gain, 0 … 1, linear.
        package var gain: Float
        /// The number of frames until that gain is reached.
        package var frames: Int

        /// A beginning at a gain.
        package init(gain: Float, frames: Int) {
            self.gain = gain
            self.frames = frames
        }
    }

    /// A change to a gain.
    package init(to gain: Float, rampFrames: Int, from start: Start? = nil) {
        self.gain = gain
        self.rampFrames = rampFrames
        self.start = start
    }
}

/// A change of a running or paused sound.
package enum SoundChange: Hashable, Sendable {
    /// The gain.
    case gain(GainChange)
    /// The pan, −1 (left) … 1 (right).
    case pan(Float)
    /// Whether levels are measured.
    case metering(Bool)
}
