internal import AudioGraph

/// A function that takes a block of sound.
///
/// It gets the time of the first frame, the number of frames, and a list that is valid inside of the call only. Its result
/// is ignored. On a device the time also has the host time at which the frame is heard, or was captured.
///
/// Apple: `AVAudioSinkNodeReceiverBlock`
public typealias AVAudioSinkNodeReceiverBlock = (
    _ timestamp: UnsafePointer<AudioTimeStamp>, _ frameCount: AVAudioFrameCount,
    _ inputData: UnsafePointer<AudioBufferList>
) -> OSStatus

/// An end of an engine's graph whose sound an app's function takes.
///
/// It takes the sound of its connection as it is, in the connection's format, once a block, on the thread that renders. It
/// may be connected to any node, and works in manual rendering, too; Apple's hangs at the input node, and on a device only.
/// The function is not called after a call that takes the node out of the graph has returned, unless that call was made
/// inside of it.
///
/// Apple: `AVAudioSinkNode`
// SAFETY: the constant is set once; `GraphLock` protects the rest.
nonisolated open class AVAudioSinkNode: AVAudioNode, @unchecked Sendable {
    /// The app's function; read by the compiler.
    let block: AVAudioSinkNodeReceiverBlock

    /// A sink with a function.
    ///
    /// - Parameter block: The function; `sending`, so that a closure belongs to no actor.
    ///
    /// Apple: `AVAudioSinkNode.init(receiverBlock:)`
    public init(receiverBlock block: sending @escaping AVAudioSinkNodeReceiverBlock) {
        self.block = block
        super.init()
    }

    override var inputLimit: Int? { 1 }
    override var hasOutput: Bool { false }
}

/// The call of a sink's function for a block: its list, its memory, and the way of the samples there.
///
/// The memory is that of one program.
// SAFETY: only the render side of one program uses it.
final class SinkCall: @unchecked Sendable {
    private let block: AVAudioSinkNodeReceiverBlock
    private let clock: ProgramClock
    private let rate: Double
    private let writer: PlanarSamples
    private let list: UnsafeMutableAudioBufferListPointer
    private let memory: UnsafeMutableRawPointer
    private let bytesPerBlock: Int

    /// Nil for formats that are none of the common ones.
    ///
    /// - Parameters:
    ///   - frames: The most frames of a block.
    ///   - clock: The clock of the program.
    init?(_ format: AVAudioFormat, frames: Int, _ clock: ProgramClock, _ block: @escaping AVAudioSinkNodeReceiverBlock)
    {
        guard let writer = PlanarSamples(format) else { return nil }
        self.block = block
        self.clock = clock
        rate = format.sampleRate
        self.writer = writer
        bytesPerBlock = frames * writer.bytesPerFrame
        memory = .allocate(byteCount: bytesPerBlock * writer.blocks, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytesPerBlock * writer.blocks)
        list = AudioBufferList.allocate(maximumBuffers: writer.blocks)
    }

    deinit {
        memory.deallocate()
        free(list.unsafeMutablePointer)
    }

    /// Gives a block to the function.
    func give(_ samples: Samples, _ frames: Int, _ position: Int) {
        for index in 0..<writer.blocks {
            list[index] = AudioBuffer(
                mNumberChannels: UInt32(writer.channelsPerBlock), mDataByteSize: UInt32(frames * writer.bytesPerFrame),
                mData: memory + index * bytesPerBlock)
        }
        writer.write(
            UnsafePointer(samples.channels), channels: samples.channelCount, frames: frames, to: list, at: 0)
        var stamp = clock.stamp(position, rate: rate)
        _ = block(&stamp, AVAudioFrameCount(frames), UnsafePointer(list.unsafeMutablePointer))
    }
}
