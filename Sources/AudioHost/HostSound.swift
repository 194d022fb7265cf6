package import AudioRealtime
package import SessionPolicy

/// The output that a sound is to be heard on.
package struct OutputRequest: Hashable, Sendable {
    /// What servers are told of the sound; nil for no role.
    package var role: StreamRole?
    /// One of several sinks that are played on at once; nil for the one that everything else goes to.
    package var sink: String?
    /// Whether channels of the sink are meant one by one: the stream gets those of the sink that it is on.
    package var isAssigned = false

    /// A request for the output of a role.
    package init(role: StreamRole?, sink: String? = nil, isAssigned: Bool = false) {
        self.role = role
        self.sink = sink
        self.isAssigned = isAssigned
    }
}

/// An output as it was when it was opened.
package struct OutputPlace: Hashable, Sendable {
    /// The number of the output; an output that replaces another one has another number.
    package let id: Int
    /// Frames per second, in Hz.
    package let rate: Int
    /// The loudspeakers, in the order of the interleaved channels.
    package let channels: [Channel]
    /// The name of the sink; nil where the server does not say.
    package let device: String?
    /// How much of what was rendered a ring has to keep, in seconds, since it may be rendered again.
    package let historySeconds: Double

    /// An output with the given number.
    package init(id: Int, rate: Int, channels: [Channel], device: String?, historySeconds: Double) {
        self.historySeconds = historySeconds
        self.id = id
        self.rate = rate
        self.channels = channels
        self.device = device
    }
}

/// What fills a ring with frames to be heard.
///
/// The host's thread reads the ring; everything else in it belongs to the source. Functions are called with the host's
/// lock held, on any thread, and must return at once: they may set a flag or put work on a queue.
package protocol SoundSource: AnyObject, Sendable {
    /// The frames to come.
    var ring: Voice { get }
    /// Frames of free room in the ring from which on ``refill()`` is called.
    var refillThreshold: Int { get }
    /// Where the source's channels go in an output with the given ones.
    func matrix(to channels: [Channel]) -> ChannelMatrix
    /// There is room for much more; called again only after ``HostSound/didWrite()``.
    func refill()
    /// The last frame was heard.
    func finished()
    /// The session stopped the sound, against the app's wish.
    func interrupted()
    /// What the server had not played was taken back, as ``HostSound/requestRedecode()`` asked for: the source may
    /// write other frames from here on, and then calls ``HostSound/didRedecode()``. Called once for each request.
    func redecode()
}

/// A sound in an output of a host.
///
/// Functions may be called on any thread and return at once, but for ``settle(seconds:)``.
package protocol HostSound: AnyObject, Sendable {
    /// Where the sound stands now; waits for nothing.
    var status: SoundStatus { get }

    /// Lets the sound be heard from its position on, or at a time of ``HostFacts/deviceTime``.
    ///
    /// - Parameter fade: A ramp of the gain that begins with the sound's first frame.
    func play(at time: Double?, fade: GainChange?) -> SoundStart

    /// Stops the sound at the frame that is heard next; ``settle(seconds:)`` waits until that is known.
    func pause()

    /// Waits until the position of the paused sound is exact, for so many seconds at most.
    func settle(seconds: Double)

    /// Takes the sound out so that it, or another one, goes on in a moment: no end of the sound is told.
    ///
    /// - Returns: Whether the sound ran; only then ``endSuspension(with:)`` is to follow.
    func suspend() -> Bool

    /// Goes on after a suspension with a sound, which may be another one, or with none.
    ///
    /// Nothing is played where the session was deactivated meanwhile.
    func endSuspension(with sound: (any HostSound)?)

    /// Empties the ring of a sound that does not run; `keepsRamps` lets a ramp of the gain go on.
    func empty(keepsRamps: Bool)

    /// The source wrote frames to its ring, or set its end.
    func didWrite()

    /// Takes back what the server has not played, and then calls ``SoundSource/redecode()``.
    func requestRedecode()

    /// The source has done what ``SoundSource/redecode()`` told it to; to be called once for each time.
    func didRedecode()

    /// Replaces the frames from `frame` on by others, while nobody renders.
    ///
    /// - Parameters:
    ///   - frame: A frame of the ring, counted from its start.
    ///   - pieces: Interleaved frames; empty to cut only.
    ///   - isEnd: Whether the sound ends with them.
    /// - Returns: The frames that the ring was ever given, or nil where frames beyond `frame` were rendered already:
    ///   nothing has changed then.
    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int?

    /// Changes gain, pan or metering; a sound that runs is heard with the change at once, not behind what is queued.
    func change(_ change: SoundChange)

    /// Takes over the gain of another sound, in the middle of a ramp too, unless that one was heard to its end.
    func takeGain(of other: any HostSound)

    /// The levels of the frames heard last, and so many before; nil while nothing is heard.
    func levels(window: Int) -> Levels?

    /// Lets another sound of the same output begin with the frame after the last one of this sound, or none.
    ///
    /// - Returns: Whether it is not too late for that: false if this sound was heard to its end, or was stopped.
    func chain(to next: (any HostSound)?) -> Bool
}

/// Where a sound stands.
package struct SoundStatus: Hashable, Sendable {
    /// What a sound does.
    package enum State: Hashable, Sendable {
        /// Not heard; its position stands.
        case paused
        /// Heard, or waiting for its time.
        case running
        /// Heard to its end.
        case finished
    }

    /// What the sound does.
    package var state: State
    /// The frame of the ring that is heard now; just after a pause an estimate until the server has answered.
    package var frame: Int

    /// A status.
    package init(state: State, frame: Int) {
        self.state = state
        self.frame = frame
    }
}

/// What became of a start.
package enum SoundStart: Hashable, Sendable {
    /// The sound runs, or will at its time.
    case begun
    /// The session is interrupted: the sound is paused, and its source was told.
    case interrupted
    /// The session is not active, or the output has gone.
    case refused
}

/// A change of a sound's gain.
package struct GainChange: Hashable, Sendable {
    /// The gain to come to, 0 … 1, linear.
    package var gain: Float
    /// How many frames that takes; 0 for at once.
    package var rampFrames: Int
    /// The gain to begin with, and the frames that it takes to come to that; nil for the gain that it has.
    package var start: Start?

    /// Where a ramp begins.
    package struct Start: Hashable, Sendable {
        /// The gain, 0 … 1, linear.
        package var gain: Float
        /// How many frames it takes to come to that.
        package var frames: Int

        /// A start at a gain.
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

/// A change of a sound.
package enum SoundChange: Hashable, Sendable {
    /// Its gain.
    case gain(GainChange)
    /// Its pan, −1 … 1.
    case pan(Float)
    /// Whether its levels are measured.
    case metering(Bool)
}
