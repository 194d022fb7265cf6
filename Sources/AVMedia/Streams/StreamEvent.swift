package import AudioFiles

/// A change of a stream's state.
package enum StreamEvent: Sendable {
    /// The stream can be played, or could not be opened; on a queue of the player's own.
    case opened(StreamError?)
    /// On the main queue: the loaded part was heard, and the stream has not ended.
    case stalled
    /// On the main queue: the stream was heard to its end, or to where it broke off.
    case ended(StreamError?)
    /// On the main queue: an interruption of the session stopped the stream.
    case interrupted
    /// On the main queue: the loaded part or the phase has changed.
    case changed
    /// On the main queue: a part of the stream could not be loaded, and is passed over.
    case failed(StreamTraffic.Failure)
    /// On the main queue: a radio's title, and its position in seconds.
    case announced(String, Double)
}
