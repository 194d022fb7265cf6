package import AudioRealtime
internal import PulseClient

extension OutputMix {
    /// The sample rate and channels of an output's stream: the sink's own.
    package struct Format: Hashable, Sendable {
        /// Frames per second, in Hz.
        package let rate: Int
        /// The positions of the interleaved channels, in the server's words.
        let positions: [ChannelMap.Position]
        /// The positions in the mixer's words.
        package var channels: [Channel] { positions.map(Channel.init) }
        /// The same for the server.
        var spec: SampleSpec { SampleSpec(format: .float32, rate: UInt32(rate), channels: UInt8(positions.count)) }
    }
}
