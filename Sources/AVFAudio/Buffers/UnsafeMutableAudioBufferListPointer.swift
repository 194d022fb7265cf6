/// The buffers of an `AudioBufferList` as a collection.
///
/// The pointer owns nothing; the list and its samples belong to whoever made them.
///
/// Apple: `UnsafeMutableAudioBufferListPointer`; so are its members.
public struct UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection {
    /// The list.
    public var unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>

    /// The list, for functions that only read it.
    public var unsafePointer: UnsafePointer<AudioBufferList> { UnsafePointer(unsafeMutablePointer) }

    /// The buffers of a list.
    public init(_ p: UnsafeMutablePointer<AudioBufferList>) { unsafeMutablePointer = p }

    /// The buffers of a list; nil without one.
    public init?(_ p: UnsafeMutablePointer<AudioBufferList>?) {
        guard let p else { return nil }
        self.init(p)
    }

    /// The number of buffers; setting it needs a list with room for so many.
    public var count: Int {
        get { Int(unsafeMutablePointer.pointee.mNumberBuffers) }
        nonmutating set { unsafeMutablePointer.pointee.mNumberBuffers = UInt32(clamping: newValue) }
    }

    /// The index of the first buffer, 0.
    public var startIndex: Int { 0 }

    /// The index after the last buffer.
    public var endIndex: Int { count }

    /// The buffer with an index from 0 to `count - 1`; any other index ends the program.
    public subscript(index: Int) -> AudioBuffer {
        get {
            precondition(indices.contains(index), "an index beyond the buffers of the list")
            return first[index]
        }
        nonmutating set {
            precondition(indices.contains(index), "an index beyond the buffers of the list")
            first[index] = newValue
        }
    }

    /// The first buffer, behind which the others stand.
    private var first: UnsafeMutablePointer<AudioBuffer> {
        UnsafeMutableRawPointer(unsafeMutablePointer)
            .advanced(by: MemoryLayout<AudioBufferList>.offset(of: \.mBuffers) ?? 0)
            .assumingMemoryBound(to: AudioBuffer.self)
    }
}

extension AudioBufferList {
    /// The number of bytes of a list with room for so many buffers; at least one.
    ///
    /// Apple: `AudioBufferList.sizeInBytes(maximumBuffers:)`
    public static func sizeInBytes(maximumBuffers: Int) -> Int {
        MemoryLayout<AudioBufferList>.size + (max(maximumBuffers, 1) - 1) * MemoryLayout<AudioBuffer>.stride
    }

    /// A new list of so many buffers without samples; its owner calls `free(list.unsafeMutablePointer)`.
    ///
    /// Ends the program if there is no memory.
    ///
    /// Apple: `AudioBufferList.allocate(maximumBuffers:)`
    public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
        guard let memory = calloc(1, sizeInBytes(maximumBuffers: maximumBuffers)) else {
            fatalError("no memory for a list of \(maximumBuffers) buffers")
        }
        let list = UnsafeMutableAudioBufferListPointer(memory.bindMemory(to: AudioBufferList.self, capacity: 1))
        list.count = maximumBuffers
        return list
    }
}

extension UnsafeBufferPointer {
    /// The samples of a buffer; a remainder that is no whole element is left out.
    ///
    /// Apple: `UnsafeBufferPointer.init(_: AudioBuffer)`
    public init(_ audioBuffer: AudioBuffer) {
        self.init(UnsafeMutableBufferPointer<Element>(audioBuffer))
    }
}

extension UnsafeMutableBufferPointer {
    /// The samples of a buffer; a remainder that is no whole element is left out.
    ///
    /// Apple: `UnsafeMutableBufferPointer.init(_: AudioBuffer)`
    public init(_ audioBuffer: AudioBuffer) {
        let count = audioBuffer.mData == nil ? 0 : Int(audioBuffer.mDataByteSize) / MemoryLayout<Element>.stride
        self.init(start: audioBuffer.mData?.assumingMemoryBound(to: Element.self), count: count)
    }
}
