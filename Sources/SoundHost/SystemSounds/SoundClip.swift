internal import PulseClient

/// A short sound, decoded, in the form in which the server keeps it.
package struct SoundClip: Hashable, Sendable {
    /// How samples are stored, little endian.
    package enum Storage: Hashable, Sendable {
        /// Signed 16-bit integers.
        case int16
        /// 32-bit floats of −1 … 1.
        case float32
    }

    /// How samples are stored.
    package let storage: Storage
    /// Frames per second, in Hz.
    package let rate: Int
    /// Samples in a frame.
    package let channels: Int
    /// Interleaved frames.
    package let frames: [UInt8]

    /// A sound of the given frames; nil for a rate, or so many channels, that no server takes.
    package init?(storage: Storage, rate: Int, channels: Int, frames: [UInt8]) {
        guard let rate32 = UInt32(exactly: rate), let channels8 = UInt8(exactly: channels),
            Self.spec(storage, rate32, channels8).isValid
        else { return nil }
        self.storage = storage
        self.rate = rate
        self.channels = channels
        self.frames = frames
    }

    /// Of the frames only some: those of two sounds are compared anyway, and a press of a button should not have to
    /// wait.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(rate)
        hasher.combine(channels)
        hasher.combine(frames.count)
        for index in stride(from: 0, to: frames.count, by: max(1, frames.count / 64)) { hasher.combine(frames[index]) }
    }

    /// How long it plays, in seconds.
    package var seconds: Double { Double(frames.count / spec.bytesPerFrame) / Double(rate) }

    var spec: SampleSpec { Self.spec(storage, UInt32(rate), UInt8(channels)) }
    var map: ChannelMap { ChannelMap(wave: UInt8(channels)) }

    private static func spec(_ storage: Storage, _ rate: UInt32, _ channels: UInt8) -> SampleSpec {
        SampleSpec(format: storage == .int16 ? .int16 : .float32, rate: rate, channels: channels)
    }
}
