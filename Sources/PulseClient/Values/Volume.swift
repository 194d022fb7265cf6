internal import CPulse

/// The volume of each channel of a stream or device, on the cubic scale that mixers show.
///
/// PulseAudio: `pa_cvolume`.
public struct Volume: Hashable, Sendable, CustomStringConvertible {
    /// The value of one channel at 100 %.
    ///
    /// PulseAudio: `PA_VOLUME_NORM`.
    public static let normal: UInt32 = 0x10000

    /// The values of the channels: 0 is silence, ``normal`` is 100 %; mixers allow more.
    public var values: [UInt32]

    /// Creates a volume from its values, at most 32.
    public init(values: [UInt32]) { self.values = values }

    /// Creates the same volume for all channels, as mixers show it: 1 is 100 %, 0.5 sounds about half as loud.
    public init(channels: UInt8, fraction: Double) {
        self.init(channels: channels, value: UInt32(max(0, min(fraction, 16)) * Double(Volume.normal) + 0.5))
    }

    /// Creates the same volume for all channels from a linear factor of the samples.
    ///
    /// PulseAudio: `pa_sw_volume_from_linear`.
    public init(channels: UInt8, linear: Double) {
        self.init(channels: channels, value: pa_sw_volume_from_linear(linear))
    }

    /// Creates the same volume for all channels from decibels: 0 is 100 %, `-.infinity` is silence.
    ///
    /// PulseAudio: `pa_sw_volume_from_dB`.
    public init(channels: UInt8, decibels: Double) {
        self.init(channels: channels, value: pa_sw_volume_from_dB(decibels))
    }

    private init(channels: UInt8, value: UInt32) { values = Array(repeating: value, count: Int(channels)) }

    /// The volume of the loudest channel as mixers show it: 1 is 100 %.
    ///
    /// PulseAudio: `pa_cvolume_max`.
    public var fraction: Double { Double(values.max() ?? 0) / Double(Volume.normal) }

    /// The linear factor of each channel's samples.
    ///
    /// PulseAudio: `pa_sw_volume_to_linear`.
    public var linear: [Double] { values.map { pa_sw_volume_to_linear($0) } }

    /// The volume of each channel in decibels; `-.infinity` is silence.
    ///
    /// PulseAudio: `pa_sw_volume_to_dB`.
    public var decibels: [Double] { values.map { $0 == 0 ? -.infinity : pa_sw_volume_to_dB($0) } }

    /// This volume, with every channel's samples multiplied by a further factor.
    ///
    /// PulseAudio: `pa_sw_cvolume_multiply_scalar`.
    public func scaled(linear factor: Double) -> Volume {
        let factor = pa_sw_volume_from_linear(factor)
        return Volume(values: values.map { pa_sw_volume_multiply($0, factor) })
    }

    /// The volumes in percent, such as `100% 50%`.
    public var description: String {
        values.map { "\((UInt64($0) * 100 + UInt64(Volume.normal) / 2) / UInt64(Volume.normal))%" }.joined(
            separator: " ")
    }

    init(_ raw: pa_cvolume) {
        values = withUnsafeBytes(of: raw.values) { bytes in
            Array(bytes.bindMemory(to: pa_volume_t.self).prefix(Int(raw.channels)))
        }
    }

    var raw: pa_cvolume {
        var volume = pa_cvolume()
        pa_cvolume_init(&volume)
        withUnsafeMutableBytes(of: &volume.values) { bytes in
            let slots = bytes.bindMemory(to: pa_volume_t.self)
            volume.channels = UInt8(clamping: min(values.count, slots.count))
            for (index, value) in values.prefix(slots.count).enumerated() { slots[index] = value }
        }
        return volume
    }
}
