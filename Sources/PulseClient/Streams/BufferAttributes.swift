package import CPulse

/// The sizes of a stream's buffer on the server, in bytes; nil leaves a value to the server.
///
/// PulseAudio: `pa_buffer_attr`.
public struct BufferAttributes: Hashable, Sendable {
    /// The largest amount of data in the buffer.
    public var maximumLength: UInt32?
    /// Playback: the queue that the server tries to keep; it requests more data below that.
    public var targetLength: UInt32?
    /// Playback: the queue required before sound starts, and again after an underrun.
    ///
    /// The server's default is nearly ``targetLength``; one frame starts at once. With zero, playback would continue
    /// over silence after an underrun, and the missing time would be lost.
    public var prebuffer: UInt32?
    /// Playback: the least amount of data that the server requests at a time.
    public var minimumRequest: UInt32?
    /// Recording: the amount of data delivered at a time.
    public var fragmentSize: UInt32?

    /// Creates buffer sizes; the server chooses the missing ones.
    public init(
        maximumLength: UInt32? = nil, targetLength: UInt32? = nil, prebuffer: UInt32? = nil,
        minimumRequest: UInt32? = nil, fragmentSize: UInt32? = nil
    ) {
        self.maximumLength = maximumLength
        self.targetLength = targetLength
        self.prebuffer = prebuffer
        self.minimumRequest = minimumRequest
        self.fragmentSize = fragmentSize
    }

    init(_ raw: pa_buffer_attr) {
        self.init(
            maximumLength: raw.maxlength, targetLength: raw.tlength, prebuffer: raw.prebuf, minimumRequest: raw.minreq,
            fragmentSize: raw.fragsize)
    }

    /// The sizes as libpulse's structure.
    package var raw: pa_buffer_attr {
        let open = UInt32.max
        return pa_buffer_attr(
            maxlength: maximumLength ?? open, tlength: targetLength ?? open, prebuf: prebuffer ?? open,
            minreq: minimumRequest ?? open, fragsize: fragmentSize ?? open)
    }
}

/// The options for connecting a stream.
///
/// PulseAudio: `pa_stream_flags_t`.
public struct StreamFlags: OptionSet, Hashable, Sendable {
    /// The bits of `PA_STREAM_…`.
    public let rawValue: UInt32

    /// Flags from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Begins corked.
    ///
    /// PulseAudio: `PA_STREAM_START_CORKED`.
    public static let startCorked = StreamFlags(rawValue: 0x0001)
    /// Positions are interpolated between the server's reports.
    ///
    /// PulseAudio: `PA_STREAM_INTERPOLATE_TIMING`.
    public static let interpolateTiming = StreamFlags(rawValue: 0x0002)
    /// The position may go back, when a report of the server corrects it.
    ///
    /// PulseAudio: `PA_STREAM_NOT_MONOTONIC`.
    public static let notMonotonic = StreamFlags(rawValue: 0x0004)
    /// Channels are matched by their positions; none is mixed into another.
    ///
    /// PulseAudio: `PA_STREAM_NO_REMIX_CHANNELS`.
    public static let noRemix = StreamFlags(rawValue: 0x0020)
    /// The server reports the position regularly.
    ///
    /// PulseAudio: `PA_STREAM_AUTO_TIMING_UPDATE`.
    public static let autoTimingUpdate = StreamFlags(rawValue: 0x0008)
    /// Never moved to another device.
    ///
    /// PulseAudio: `PA_STREAM_DONT_MOVE`.
    public static let dontMove = StreamFlags(rawValue: 0x0200)
    /// Records only peaks.
    ///
    /// PulseAudio: `PA_STREAM_PEAK_DETECT`.
    public static let peakDetect = StreamFlags(rawValue: 0x0800)
    /// The device's own latency counts towards the target length.
    ///
    /// PulseAudio: `PA_STREAM_ADJUST_LATENCY`.
    public static let adjustLatency = StreamFlags(rawValue: 0x2000)
    /// The stream does not keep the device awake.
    ///
    /// PulseAudio: `PA_STREAM_DONT_INHIBIT_AUTO_SUSPEND`.
    public static let dontInhibitAutoSuspend = StreamFlags(rawValue: 0x8000)
    /// Begins not muted, whatever the server remembers.
    ///
    /// PulseAudio: `PA_STREAM_START_UNMUTED`.
    public static let startUnmuted = StreamFlags(rawValue: 0x10000)
}
