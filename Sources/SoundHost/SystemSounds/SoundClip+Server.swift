internal import AudioHost
internal import PulseClient

// The format of a sound's frames, for the server.
extension SoundClip {
    var spec: SampleSpec {
        SampleSpec(format: storage == .int16 ? .int16 : .float32, rate: UInt32(rate), channels: UInt8(channels))
    }
    var map: ChannelMap { ChannelMap(wave: UInt8(channels)) }
}
