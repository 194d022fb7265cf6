package import AudioRealtime
package import SessionPolicy

/// What is to be recorded, and how.
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

    /// What may be done to the sound of a microphone.
    package enum Processing: Hashable, Sendable {
        /// What the server does by itself.
        case usual
        /// Nothing: filters of the server are gone around.
        case none
        /// What a conversation needs: no echo of what is played, and an even level.
        case voice
    }

    /// How many channels sound servers carry at most.
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
    /// Where the channels of the frame belong; empty is the order of a WAV file.
    package var places: [Channel] = []
    /// What may be done to the sound.
    package var processing = Processing.usual
    /// How much is delivered at a time.
    package var pace = Pace.usual

    /// How much is delivered at a time.
    ///
    /// Each delivery wakes the process, which costs more than the sound in it.
    package enum Pace: Sendable {
        /// For a file.
        case usual
        /// For somebody who watches the levels.
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
