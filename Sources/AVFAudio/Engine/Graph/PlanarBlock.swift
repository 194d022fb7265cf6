/// The memory of one block of sound: as many frames as a block has at most, in one piece for each channel.
// SAFETY: the constants are set once; the owner says which thread has the samples.
final class PlanarBlock: @unchecked Sendable {
    let channels: Int
    /// The samples of each channel.
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let samples: UnsafeMutablePointer<Float>

    /// A silent block.
    init(channels: Int) {
        self.channels = channels
        let frames = GraphCompiler.longestBlock
        samples = .allocate(capacity: channels * frames)
        samples.initialize(repeating: 0, count: channels * frames)
        pointers = .allocate(capacity: channels)
        for channel in 0..<channels { (pointers + channel).initialize(to: samples + channel * frames) }
    }

    deinit {
        pointers.deallocate()
        samples.deallocate()
    }
}
