/// The two lists of a buffer over the same samples: the bytes that are filled, and all there is room for.
///
/// It does not own the samples. One thread at a time uses it.
final class BufferLists {
    /// The list whose sizes are those of what is filled.
    let filled: UnsafeMutableAudioBufferListPointer
    /// The list whose sizes are those of the capacity; apps may change them.
    let whole: UnsafeMutableAudioBufferListPointer
    private let buffers: [AudioBuffer]

    /// Lists of buffers whose sizes are the capacities; nothing is filled yet.
    init(_ buffers: [AudioBuffer]) {
        self.buffers = buffers
        filled = AudioBufferList.allocate(maximumBuffers: buffers.count)
        whole = AudioBufferList.allocate(maximumBuffers: buffers.count)
        setFilled(bytes: 0)
    }

    deinit {
        free(filled.unsafeMutablePointer)
        free(whole.unsafeMutablePointer)
    }

    /// Sets how many bytes of each buffer are filled, and takes back what the app has changed in either list.
    func setFilled(bytes: UInt32) {
        for (index, buffer) in buffers.enumerated() {
            whole[index] = buffer
            filled[index] = buffer
            filled[index].mDataByteSize = min(bytes, buffer.mDataByteSize)
        }
    }
}
