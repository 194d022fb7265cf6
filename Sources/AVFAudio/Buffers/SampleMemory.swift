/// The memory of a buffer's samples: owned and zeroed at first, or lent by the app.
///
/// The memory is given back when the object goes. One thread at a time uses it.
final class SampleMemory {
    /// The number of bytes from the start of one block to the next is a multiple of this, a cache line.
    private static let alignment = 64

    /// The blocks, one for each channel, or one for all if they are interleaved.
    let blocks: [UnsafeMutableRawPointer]
    private let giveBack: () -> Void

    /// Zeroed blocks of the same size; nil if there is no memory.
    init?(blocks count: Int, bytes: Int) {
        let (rounded, tooLong) = max(bytes, 1).addingReportingOverflow(Self.alignment - 1)
        let distance = rounded / Self.alignment * Self.alignment
        guard count > 0, bytes >= 0, !tooLong, let memory = calloc(count, distance) else { return nil }
        blocks = (0..<count).map { memory + $0 * distance }
        giveBack = { free(memory) }
    }

    /// Blocks of the app; `deallocator` is called once, with a list equal to this one.
    init(
        _ blocks: [UnsafeMutableRawPointer], _ list: [AudioBuffer],
        deallocator: ((UnsafePointer<AudioBufferList>) -> Void)?
    ) {
        self.blocks = blocks
        giveBack = {
            guard let deallocator else { return }
            let copy = AudioBufferList.allocate(maximumBuffers: list.count)
            for (index, buffer) in list.enumerated() { copy[index] = buffer }
            deallocator(copy.unsafePointer)
            free(copy.unsafeMutablePointer)
        }
    }

    deinit { giveBack() }
}
