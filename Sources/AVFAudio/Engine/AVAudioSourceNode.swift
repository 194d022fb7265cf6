internal import AudioGraph

/// A function that fills a buffer list with sound.
///
/// It gets a flag that it may set if all it writes is zero, the time of the first frame, a number of frames of at most
/// 4096, and a list with as many buffers as its format has. It may write to them, or put its own memory into the list,
/// valid until the next call. A result other than `noErr` makes the block silent. On a device the time also has the host
/// time at which the frame is heard; above a unit that changes the time it is that of the device's block.
///
/// Apple: `AVAudioSourceNodeRenderBlock`
public typealias AVAudioSourceNodeRenderBlock = (
    _ isSilence: UnsafeMutablePointer<ObjCBool>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AVAudioFrameCount, _ outputData: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus

/// A node whose sound an app's function makes.
///
/// The function is called while the engine renders and the node leads to the output: in manual rendering on the thread
/// that renders. It is not called after a call that takes the node out of the graph has returned, unless that call was
/// made inside of it. The class is open for subclasses.
///
/// Apple: `AVAudioSourceNode`
// SAFETY: the constants are set once; `GraphLock` protects the rest.
nonisolated open class AVAudioSourceNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
    private let block: AVAudioSourceNodeRenderBlock
    /// The format of the function's buffers; nil for that of the output.
    private let ownFormat: AVAudioFormat?
    /// The conversion of the function's rate to the output's.
    private var resampler: Resampler?

    /// A source whose function writes in the format of the node's output, which connections set.
    ///
    /// - Parameter block: The function; `sending`, so that a closure belongs to no actor.
    ///
    /// Apple: `AVAudioSourceNode.init(renderBlock:)`
    public init(renderBlock block: sending @escaping AVAudioSourceNodeRenderBlock) {
        self.block = block
        ownFormat = nil
        super.init()
    }

    /// A source whose function writes in a format of its own, which the node converts.
    ///
    /// - Parameters:
    ///   - format: The format of the buffers: PCM of a common format. Another one makes the node silent.
    ///   - block: The function; `sending`, so that a closure belongs to no actor.
    ///
    /// Apple: `AVAudioSourceNode.init(format:renderBlock:)`
    public init(format: AVAudioFormat, renderBlock block: sending @escaping AVAudioSourceNodeRenderBlock) {
        self.block = block
        ownFormat = format
        super.init()
    }

    override var defaultOutputFormat: AVAudioFormat { ownFormat?.standardized ?? super.defaultOutputFormat }

    override func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        let output = outputFormat
        let format = ownFormat ?? output
        guard
            let rendering = SourceRendering(
                format, frames: GraphCompiler.longestBlock, clock: compiler.clock, block: block)
        else {
            return compiler.builder.addSource(
                channels: Int(output.channelCount), rate: output.sampleRate
            ) { _, _, _ in false }
        }
        let bus = compiler.builder.addSource(
            channels: Int(format.channelCount), rate: format.sampleRate
        ) { samples, frames, position in rendering.render(samples, frames: frames, position: position) }
        return compiler.fitted(bus, to: output, by: &resampler)
    }
}

/// The call of a source's function for a block: its list, its memory, and the way from its samples to Float32.
///
/// The memory is that of one program.
// SAFETY: only the render side of one program uses it.
final class SourceRendering: @unchecked Sendable {
    private let block: AVAudioSourceNodeRenderBlock
    private let clock: ProgramClock
    private let rate: Double
    private let reader: PlanarSamples
    private let list: UnsafeMutableAudioBufferListPointer
    private let memory: UnsafeMutableRawPointer
    private let bytesPerBlock: Int

    /// Nil for formats that cannot be rendered.
    ///
    /// Blocks of another rate than the program's may have more frames: memory is there for each call's number, as
    /// `frames` is only the usual one.
    init?(
        _ format: AVAudioFormat, frames: Int, clock: ProgramClock, block: @escaping AVAudioSourceNodeRenderBlock
    ) {
        guard format.canBeRendered, let reader = PlanarSamples(format) else { return nil }
        self.block = block
        self.clock = clock
        rate = format.sampleRate
        self.reader = reader
        bytesPerBlock = frames * reader.bytesPerFrame
        memory = .allocate(byteCount: bytesPerBlock * reader.blocks, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytesPerBlock * reader.blocks)
        list = AudioBufferList.allocate(maximumBuffers: reader.blocks)
    }

    deinit {
        memory.deallocate()
        free(list.unsafeMutablePointer)
    }

    /// Calls the function as often as its memory makes necessary; false if the block is to be silent.
    func render(_ samples: Samples, frames: Int, position: Int) -> Bool {
        var done = 0
        while done < frames {
            let count = min(frames - done, bytesPerBlock / reader.bytesPerFrame)
            list.count = reader.blocks
            for index in 0..<reader.blocks {
                list[index] = AudioBuffer(
                    mNumberChannels: UInt32(reader.channelsPerBlock),
                    mDataByteSize: UInt32(count * reader.bytesPerFrame), mData: memory + index * bytesPerBlock)
            }
            var stamp = clock.stamp(position + done, rate: rate)
            var isSilence: ObjCBool = false
            let result = block(&isSilence, &stamp, AVAudioFrameCount(count), list.unsafeMutablePointer)
            guard result == noErr, list.count == reader.blocks else {
                samples.clear(frames: done)
                return false
            }
            reader.read(list, frames: count, to: samples, at: done)
            done += count
        }
        return true
    }
}
