/// A block of PCM sound that nobody changes, so that any thread may read it.
///
/// Apple: `AVReadOnlyAudioPCMBuffer`; so are its members.
public struct AVReadOnlyAudioPCMBuffer: Sendable {
    // SAFETY: the buffer is reached only through members that do not change it.
    private final class Storage: @unchecked Sendable {
        let buffer: AVAudioPCMBuffer
        init(_ buffer: AVAudioPCMBuffer) { self.buffer = buffer }
    }

    private let storage: Storage

    /// The buffer, which nobody may change.
    var buffer: AVAudioPCMBuffer { storage.buffer }

    /// A copy of a buffer; ends the program if there is no memory for it.
    public init(copying buffer: AVAudioPCMBuffer) {
        storage = Storage(buffer.copied)
    }

    /// A buffer itself, without a copy; the caller changes its samples no more.
    public init(unsafeRetaining buffer: sending AVAudioPCMBuffer) { storage = Storage(buffer) }

    /// A buffer that the caller has made, and does not change any more.
    init(owning buffer: AVAudioPCMBuffer) { storage = Storage(buffer) }

    /// A new buffer that a function fills.
    ///
    /// The function gets a list with room for `frameCapacity` frames of silence. The sizes that it leaves in the list
    /// say how many frames are filled.
    ///
    /// Throws the function's error, and `kAudio_ParamError` (−50) in the domain `com.apple.coreaudio.avfaudio` where
    /// `AVAudioPCMBuffer.init(pcmFormat:frameCapacity:)` returns nil.
    public init(
        format: AVAudioFormat, frameCapacity: Int,
        initializingWith body: (UnsafeMutablePointer<AudioBufferList>) throws -> Void
    ) throws {
        guard let frames = AVAudioFrameCount(exactly: frameCapacity),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames)
        else {
            throw NSError.audio(
                kAudio_ParamError, "A buffer of \(frameCapacity) frames of \(format.summary) cannot be made.")
        }
        try body(buffer.mutableAudioBufferList)
        let filled = buffer.mutableAudioBufferList.pointee.mBuffers.mDataByteSize
        buffer.frameLength = filled / format.basicDescription.mBytesPerFrame
        storage = Storage(buffer)
    }

    /// The format of the sound.
    public var format: AVAudioFormat { buffer.format }

    /// The number of frames that are filled.
    public var frameLength: Int { Int(buffer.frameLength) }

    /// The number of frames that the buffer has room for.
    public var frameCapacity: Int { Int(buffer.frameCapacity) }

    /// Calls a function with the list of what is filled; rethrows its error.
    public func withUnsafeAudioBufferList<Result>(
        _ body: (UnsafePointer<AudioBufferList>) throws -> Result
    ) rethrows -> Result {
        try buffer.withUnsafeAudioBufferList(body)
    }
}

extension AVAudioPCMBuffer {
    /// A deep copy.
    fileprivate var copied: AVAudioPCMBuffer {
        guard let copy = duplicate() as? AVAudioPCMBuffer else { preconditionFailure("a copy of another class") }
        return copy
    }
}
