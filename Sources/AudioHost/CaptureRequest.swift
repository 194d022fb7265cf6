package import AudioRealtime
package import SessionPolicy

/// The source and the format of a capture.
package struct CaptureRequest: Hashable, Sendable {
    /// The encoding of a sample, in native byte order.
    package enum Format: Hashable, Sendable {
        /// 16-bit signed integers.
        case int16
        /// 32-bit signed integers; a source of fewer bits fills the upper ones.
        case int32
        /// 32-bit floats, −1 … 1.
        case float32
    }

    /// The processing of a microphone's sound by the server.
    package enum Processing: Hashable, Sendable {
        /// The server's default.
        case usual
        /// No processing: filters of the server are bypassed.
        case none
        /// Processing for conversations: echo cancellation and automatic gain.
        case voice
    }

    /// The highest number of channels of a stream.
    package static let mostChannels = 32

    /// The encoding of a sample.
    package var format: Format
    /// The sample rate: frames per second, in Hz.
    package var rate: Int
    /// The number of channels in a frame.
    package var channels: Int
    /// The role of the stream; nil for none.
    package var role: StreamRole?
    /// The name of the source; nil for the server's default.
    package var source: String?
    /// For each channel of a frame the channel of the source to take, counted from 0; empty leaves the choice to the
    /// server.
    package var sourceChannels: [Int] = []
    /// The positions of a frame's channels; empty means the order of a WAV file.
    package var places: [Channel] = []
    /// The processing by the server.
    package var processing = Processing.usual
    /// The size of the fragments.
    package var pace = Pace.usual

    /// The use of the capture, which decides the size of fragments.
    ///
    /// Each fragment wakes the process, which costs more than handling its frames: only metering and engines need short
    /// fragments.
    package enum Pace: Sendable {
        /// Recording to a file: long fragments.
        case usual
        /// Metering: short fragments.
        case watched
        /// Hearing at once, as an engine does: the shortest fragments.
        case live
    }

    /// A request for a capture.
    package init(format: Format, rate: Int, channels: Int, role: StreamRole?, source: String? = nil) {
        self.format = format
        self.rate = rate
        self.channels = channels
        self.role = role
        self.source = source
    }
}
