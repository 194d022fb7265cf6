/// A function that is called when a node has no more use for what it was given.
///
/// It is called on a queue of the node's, one call at a time, never on the sound thread.
///
/// Apple: `AVAudioNodeCompletionHandler`
public typealias AVAudioNodeCompletionHandler = @Sendable () -> Void

/// A function that is called when a scheduled sound has come to a point, which it is told.
///
/// It is called on a queue of the node's, one call at a time, never on the sound thread.
///
/// Apple: `AVAudioPlayerNodeCompletionHandler`
public typealias AVAudioPlayerNodeCompletionHandler = @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// How a buffer is played.
///
/// Apple: `AVAudioPlayerNodeBufferOptions`; so are its members.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The buffer repeats until it is interrupted or the player is stopped.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1 << 0)
    /// All that was scheduled before is dropped, and the buffer begins at once.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 1 << 1)
    /// What plays ends with its current pass, all else that was scheduled before is dropped.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 1 << 2)
}

/// The point at which a completion handler is called.
///
/// Apple: `AVAudioPlayerNodeCompletionCallbackType`; so are its cases.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The player needs the data no more.
    case dataConsumed = 0
    /// The last frame was rendered.
    case dataRendered = 1
    /// The last frame was heard; without a device that is never so, and the handler is called by `stop()`.
    case dataPlayedBack = 2
}
