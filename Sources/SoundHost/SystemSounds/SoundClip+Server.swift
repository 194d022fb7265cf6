internal import AudioHost
internal import PulseClient

// A sound's frames in the server's words.
extension SoundClip {
    var spec: SampleSpec {
        SampleSpec(format: storage == .int16 ? .int16 : .float32, rate: UInt32(rate), channels: UInt8(channels))
    }
    var map: ChannelMap { ChannelMap(wave: UInt8(channels)) }
}
