package import AudioRealtime
package import SessionPolicy

/// The source and the format of a capture.
package struct CaptureRequest: Hashable, Sendable {
    /// How one sample is stored; native byte order.
    package enum Format: Hashable, Sendable {
        /// 16-bit integers.
        case int16
        /// 32-bit integers, of which the upper bits count.
        case int32
        /// 32-bit floats of −1 … 1.
        case float32
    }

    /// The processing of a microphone's sound by the server.
    package enum Processing: Hashable, Sendable {
        /// The server's default.
        case usual
        /// None: filters of the server are bypassed.
        case none
        /// For conversations: echo cancellation, and an even level.
        case voice
    }

    /// The highest number of channels of a stream.
    package static let mostChannels = 32

    /// How one sample is stored.
    package var format: Format
    /// Frames per second, in Hz.
    package var rate: Int
    /// Samples in a frame.
    package var channels: Int
    /// The role of the stream.
    package var role: StreamRole?
    /// A source's name; nil for the default one.
    package var source: String?
    /// For each channel of the frame the source's channel to take, from 0; empty leaves that to the server.
    package var sourceChannels: [Int] = []
    /// The positions of the frame's channels; empty is the order of a WAV file.
    package var places: [Channel] = []
    /// The processing by the server.
    package var processing = Processing.usual
    /// The size of the fragments.
    package var pace = Pace.usual

    /// The use that decides the size of fragments.
    ///
    /// Each fragment wakes the process, which costs more than the sound in it.
    package enum Pace: Sendable {
        /// For a file.
        case usual
        /// Levels are watched.
        case watched
    }

    /// A request to record.
    package init(format: Format, rate: Int, channels: Int, role: StreamRole?, source: String? = nil) {
        self.format = format
        self.rate = rate
        self.channels = channels
        self.role = role
        self.source = source
    }
}
