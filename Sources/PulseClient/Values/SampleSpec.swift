package import CPulse

/// The storage format of a sample.
///
/// PulseAudio: `pa_sample_format_t`.
public enum SampleFormat: UInt32, Hashable, Sendable, CaseIterable {
    /// Unsigned 8-bit integers.
    case uint8 = 0
    /// 8-bit A-law.
    case aLaw = 1
    /// 8-bit µ-law.
    case muLaw = 2
    /// Signed 16-bit integers, little endian.
    case int16 = 3
    /// Signed 16-bit integers, big endian.
    case int16BigEndian = 4
    /// 32-bit floats of −1 … 1, little endian.
    case float32 = 5
    /// 32-bit floats of −1 … 1, big endian.
    case float32BigEndian = 6
    /// Signed 32-bit integers, little endian.
    case int32 = 7
    /// Signed 32-bit integers, big endian.
    case int32BigEndian = 8
    /// Signed 24-bit integers in three bytes, little endian.
    case int24 = 9
    /// Signed 24-bit integers in three bytes, big endian.
    case int24BigEndian = 10
    /// Signed 24-bit integers in the lower three of four bytes, little endian.
    case int24In32 = 11
    /// Signed 24-bit integers in the lower three of four bytes, big endian.
    case int24In32BigEndian = 12

    /// The size of one sample in bytes.
    public var bytes: Int { Int(pa_sample_size_of_format(raw)) }

    var raw: pa_sample_format_t { pa_sample_format_t(rawValue: Int32(rawValue)) }
}

/// The format, rate and number of channels of a stream or device; frames are interleaved.
///
/// PulseAudio: `pa_sample_spec`.
public struct SampleSpec: Hashable, Sendable, CustomStringConvertible {
    /// The storage format of a sample.
    public var format: SampleFormat
    /// The sample rate: frames per second, in Hz.
    public var rate: UInt32
    /// The number of samples in a frame.
    public var channels: UInt8

    /// Creates a sample specification.
    public init(format: SampleFormat, rate: UInt32, channels: UInt8) {
        self.format = format
        self.rate = rate
        self.channels = channels
    }

    /// The size of one frame in bytes.
    public var bytesPerFrame: Int { format.bytes * Int(channels) }

    /// Whether libpulse supports the specification.
    ///
    /// PulseAudio: `pa_sample_spec_valid`.
    public var isValid: Bool {
        var spec = raw
        return pa_sample_spec_valid(&spec) != 0
    }

    /// The size of a duration in bytes, rounded down to whole frames.
    ///
    /// Zero for a negative duration or NaN; at most 2³² − 1 frames.
    public func bytes(_ seconds: Double) -> Int {
        let frames = seconds * Double(rate)
        return (frames > 0 ? Int(min(frames, Double(UInt32.max))) : 0) * bytesPerFrame
    }

    /// A description such as `s16le 2ch 44100Hz`.
    public var description: String {
        let name = pa_sample_format_to_string(format.raw).map { String(cString: $0) } ?? "invalid"
        return "\(name) \(channels)ch \(rate)Hz"
    }

    /// The format as libpulse's structure.
    package var raw: pa_sample_spec { pa_sample_spec(format: format.raw, rate: rate, channels: channels) }

    init?(_ raw: pa_sample_spec) {
        guard raw.format.rawValue >= 0, let format = SampleFormat(rawValue: UInt32(raw.format.rawValue)) else {
            return nil
        }
        self.init(format: format, rate: raw.rate, channels: raw.channels)
    }
}

/// The loudspeaker positions of a frame's channels.
///
/// PulseAudio: `pa_channel_map`.
public struct ChannelMap: Hashable, Sendable {
    /// A loudspeaker position.
    ///
    /// PulseAudio: `pa_channel_position_t`.
    public enum Position: Int32, Hashable, Sendable {
        /// The only channel.
        case mono = 0
        /// Front left.
        case frontLeft = 1
        /// Front right.
        case frontRight = 2
        /// Front centre.
        case frontCenter = 3
        /// Rear centre.
        case rearCenter = 4
        /// Rear left.
        case rearLeft = 5
        /// Rear right.
        case rearRight = 6
        /// Low frequencies.
        case lfe = 7
        /// Front, left of the centre.
        case frontLeftOfCenter = 8
        /// Front, right of the centre.
        case frontRightOfCenter = 9
        /// Left side.
        case sideLeft = 10
        /// Right side.
        case sideRight = 11
        /// The first auxiliary channel. Auxiliary channels have a number and no position; there are 32.
        case aux0 = 12
        /// Further auxiliary channels.
        case aux1, aux2, aux3, aux4, aux5, aux6, aux7, aux8, aux9, aux10, aux11, aux12, aux13, aux14, aux15
        /// Further auxiliary channels.
        case aux16, aux17, aux18, aux19, aux20, aux21, aux22, aux23, aux24, aux25, aux26, aux27, aux28, aux29, aux30
        /// The last auxiliary channel.
        case aux31
        /// Above, centre.
        case topCenter = 44
        /// Above, front left.
        case topFrontLeft = 45
        /// Above, front right.
        case topFrontRight = 46
        /// Above, front centre.
        case topFrontCenter = 47
        /// Above, rear left.
        case topRearLeft = 48
        /// Above, rear right.
        case topRearRight = 49
        /// Above, rear centre.
        case topRearCenter = 50
    }

    /// The positions, one for each channel in order.
    public var positions: [Position]

    /// Creates a map from positions.
    public init(_ positions: [Position]) { self.positions = positions }

    /// Creates the usual channel order of a WAV file; empty for no channels, or more than libpulse's 32.
    ///
    /// libpulse's own function uses the first bits of a WAV file's channel mask, by which four channels are three in
    /// front and a subwoofer. Real files of four, five, seven and eight channels are different.
    ///
    /// PulseAudio: `pa_channel_map_init_extend` with `PA_CHANNEL_MAP_WAVEEX`.
    public init(wave channels: UInt8) {
        // libpulse aborts the process for invalid numbers of channels.
        guard pa_channels_valid(channels) != 0 else {
            self.init([])
            return
        }
        var map = pa_channel_map()
        pa_channel_map_init_extend(&map, UInt32(channels), PA_CHANNEL_MAP_WAVEEX)
        let front: [Position] = [.frontLeft, .frontRight, .frontCenter]
        switch channels {
        case 4: self.init([.frontLeft, .frontRight, .rearLeft, .rearRight])
        case 5: self.init(front + [.rearLeft, .rearRight])
        case 7: self.init(front + [.lfe, .rearCenter, .sideLeft, .sideRight])
        case 8: self.init(front + [.lfe, .rearLeft, .rearRight, .sideLeft, .sideRight])
        default: self.init(map)
        }
    }

    init(_ raw: pa_channel_map) {
        positions = withUnsafeBytes(of: raw.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(raw.channels)).map {
                Position(rawValue: $0.rawValue) ?? .aux0
            }
        }
    }

    var raw: pa_channel_map {
        var map = pa_channel_map()
        pa_channel_map_init(&map)
        map.channels = UInt8(clamping: positions.count)
        withUnsafeMutableBytes(of: &map.map) { bytes in
            let slots = bytes.bindMemory(to: pa_channel_position_t.self)
            for (index, position) in positions.prefix(slots.count).enumerated() {
                slots[index] = pa_channel_position_t(rawValue: position.rawValue)
            }
        }
        return map
    }
}

/// Lends a channel map, or NULL for none, for the length of one call.
package func withUnsafeRaw<Result>(of map: ChannelMap?, _ body: (UnsafePointer<pa_channel_map>?) -> Result) -> Result {
    guard var raw = map?.raw else { return body(nil) }
    return body(&raw)
}
