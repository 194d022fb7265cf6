/// A block of sound in memory; its subclasses are ``AVAudioPCMBuffer`` and ``AVAudioCompressedBuffer``.
///
/// One thread at a time uses a buffer. No call waits. The lists and the samples live as long as the buffer: keep the
/// buffer while a pointer of it is in use.
///
/// Apple: `AVAudioBuffer`
nonisolated open class AVAudioBuffer: NSObject, NSCopying, NSMutableCopying {
    /// The format of the sound.
    ///
    /// Apple: `AVAudioBuffer.format`
    public let format: AVAudioFormat

    /// The lists; subclasses say how much is filled.
    let lists: BufferLists

    init(_ format: AVAudioFormat, _ lists: BufferLists) {
        self.format = format
        self.lists = lists
        super.init()
    }

    /// The buffer list, whose `mDataByteSize` is what is filled, in bytes.
    ///
    /// Apple: `AVAudioBuffer.audioBufferList`
    public var audioBufferList: UnsafePointer<AudioBufferList> { lists.filled.unsafePointer }

    /// The buffer list for functions that fill it: its `mDataByteSize` is the capacity, in bytes.
    ///
    /// Whoever has filled the samples says so with `frameLength`, or with `byteLength` and `packetCount`.
    ///
    /// Apple: `AVAudioBuffer.mutableAudioBufferList`
    public var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { lists.whole.unsafeMutablePointer }

    /// A buffer with the same capacity and a copy of the sound; ends the program if there is no memory for it.
    ///
    /// Apple: `AVAudioBuffer.copy(with:)`
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    /// A buffer with the same capacity and a copy of the sound; ends the program if there is no memory for it.
    ///
    /// Apple: `AVAudioBuffer.mutableCopy(with:)`
    open func mutableCopy(with zone: NSZone? = nil) -> Any { duplicate() }

    /// A deep copy; each subclass makes its own.
    func duplicate() -> AVAudioBuffer { preconditionFailure("an AVAudioBuffer is of one of its subclasses") }
}
