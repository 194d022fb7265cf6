internal import AudioGraph
internal import Synchronization

/// An engine's rendering without a device: the mode, the timeline, and the memory of a block.
///
/// One begins with each timeline: when the mode is entered, and when the engine is reset.
// SAFETY: `RenderGate` gives the block's memory to one thread at a time; the rest is constant or atomic.
final class ManualRendering: @unchecked Sendable {
    let mode: AVAudioEngineManualRenderingMode
    let format: AVAudioFormat
    let maximumFrames: AVAudioFrameCount
    let renderer = Renderer()

    private let writer: PlanarSamples
    private let block: PlanarBlock
    private let start = Atomic<Int>(0)
    /// The memory that an app gets which brings none.
    private let own: AVAudioPCMBuffer

    /// Throws `kAudio_ParamError` for no frames or more than there is memory for, and a code for formats that are not
    /// rendered.
    ///
    /// - Parameter memory: The memory for an app which brings none; nil for new memory.
    init(
        _ mode: AVAudioEngineManualRenderingMode, _ format: AVAudioFormat, maximumFrames: AVAudioFrameCount,
        memory: AVAudioPCMBuffer? = nil
    ) throws {
        guard format.canBeRendered, let writer = PlanarSamples(format) else {
            throw NSError.engine(.formatNotSupported, "\(format.summary) cannot be rendered.")
        }
        guard maximumFrames > 0,
            let own = memory ?? AVAudioPCMBuffer(pcmFormat: format, frameCapacity: maximumFrames)
        else {
            throw NSError.audio(kAudio_ParamError, "No rendering has \(maximumFrames) frames.")
        }
        self.mode = mode
        self.format = format
        self.maximumFrames = maximumFrames
        self.writer = writer
        self.own = own
        block = PlanarBlock(channels: Int(format.channelCount))
    }

    /// The same mode with a timeline that begins at 0, and with the memory that an app may have in its list.
    func restarted() throws -> ManualRendering {
        try ManualRendering(mode, format, maximumFrames: maximumFrames, memory: own)
    }

    /// The first frame of the newest rendering, or of the next one before the first.
    var lastStart: Int { start.load(ordering: .acquiring) }

    /// Notes where a rendering begins.
    func begin() { start.store(renderer.position, ordering: .releasing) }

    /// Renders frames, at most as many as a block has, to a list of the format, from a frame of it on.
    func render(_ frames: Int, to list: UnsafeMutableAudioBufferListPointer, at offset: Int) {
        renderer.render(into: UnsafePointer(block.pointers), channels: block.channels, frames: frames)
        writer.write(UnsafePointer(block.pointers), channels: block.channels, frames: frames, to: list, at: offset)
    }

    /// Makes an app's list ready for so many frames, and returns false for one of another shape or size.
    ///
    /// Buffers without memory get the engine's. Sizes become those of the frames.
    func prepare(_ list: UnsafeMutableAudioBufferListPointer, frames: AVAudioFrameCount) -> Bool {
        let bytes = frames * UInt32(writer.bytesPerFrame)
        guard list.count == writer.blocks else { return false }
        for index in 0..<list.count {
            if list[index].mData == nil {
                list[index].mData = own.blocks[index]
            } else if list[index].mDataByteSize < bytes {
                return false
            }
            list[index].mDataByteSize = bytes
            list[index].mNumberChannels = UInt32(writer.channelsPerBlock)
        }
        return true
    }
}

extension AVAudioFormat {
    /// Whether connections and manual rendering take the format: a common one, of rates and channels that are of use.
    ///
    /// A block at one rate is as long as one at another rate, and the longest has to fit into memory.
    var canBeRendered: Bool {
        (1000...768_000).contains(sampleRate) && (1...64).contains(channelCount) && commonFormat != .otherFormat
    }
}
