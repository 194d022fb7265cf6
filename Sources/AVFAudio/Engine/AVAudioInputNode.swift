internal import AudioGraph
internal import Synchronization

/// A function that gives the input's next frames, in a list that stays valid until its next call.
///
/// Nil, or a list with fewer frames, means that there are not so many; then the input is silent for the block.
///
/// Apple: `AVAudioIONodeInputBlock`
public typealias AVAudioIONodeInputBlock = (_ inNumberOfFrames: AVAudioFrameCount) -> UnsafePointer<AudioBufferList>?

/// The end of an engine's graph where the input's sound comes from.
///
/// It is the session's microphone. The microphone is open while the engine runs and something uses the node: a connection
/// or a tap. A tap, and sinks that the node alone leads to, get the sound by the clock of the microphone; what leads to
/// the output follows the output's clock, some 50 ms late.
///
/// In manual rendering an app's function gives the sound; without one the input is silent. The node converts it to the
/// format of its connection.
///
/// Apple: `AVAudioInputNode`
// SAFETY: `GraphLock` protects the input and the filter.
nonisolated open class AVAudioInputNode: AVAudioIONode, AVAudioMixing, @unchecked Sendable {
    private var given: ManualInput?
    private var resampler: Resampler?
    /// The filter of what is rendered by the capture's clock.
    private var captureResampler: Resampler?
    /// The device's format as of the last start; nil before one, and in manual rendering.
    private var captured: AVAudioFormat?
    /// Whether the app has chosen the format of the output, which else follows the device's.
    private var isFormatOwn = false

    private var isManual: Bool { facts.engine?.rendering.manual != nil }

    override var defaultOutputFormat: AVAudioFormat {
        // Not of the graph, which a connection is changing.
        given?.format.standardized ?? captured ?? facts.engine?.rendering.format?.standardized
            ?? super.defaultOutputFormat
    }

    override var takesFormatOfTap: Bool { isManual || facts.engine == nil }

    override func isNoFormat(_ format: AVAudioFormat) -> Bool { format.sampleRate == 0 }

    /// The format of the device, or of the app's function in manual rendering.
    ///
    /// Asks the server for the device, for 2 s at most. It has 0 Hz and no channels in a category that does not record,
    /// without a microphone, and without the permission to record. Without a function it is the output's in manual
    /// rendering.
    ///
    /// Apple: `AVAudioNode.inputFormat(forBus:)`
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .none }
        let (device, known) = GraphLock.withLock {
            (isManual ? nil : facts.engine?.device, given?.format ?? defaultOutputFormat)
        }
        return device.map(\.inputFormat) ?? known
    }

    /// The format of the connection, if it was made with one; else the device's, as ``inputFormat(forBus:)``.
    ///
    /// It has 0 Hz and no channels where that has.
    ///
    /// Apple: `AVAudioNode.outputFormat(forBus:)`
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .none }
        let (device, known) = GraphLock.withLock {
            (isManual ? nil : facts.engine?.device, isFormatOwn ? facts.output : nil)
        }
        guard let device else { return super.outputFormat(forBus: bus) }
        let format = device.inputFormat
        return format.sampleRate > 0 ? known ?? format : format
    }

    /// Notes that the app has chosen the format of the output; called with ``GraphLock`` held.
    func noteOwnFormat() { isFormatOwn = true }

    /// Takes over the device's format, nil for none; called with ``GraphLock`` held.
    ///
    /// Returns the format that the output has to have now; nil if that stays.
    func follow(_ format: AVAudioFormat?) -> AVAudioFormat? {
        captured = format
        return isFormatOwn ? nil : format
    }

    override func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        let format = outputFormat
        switch compiler.input {
        case .none: break
        case .captured(let capture): return captured(capture, format, &compiler)
        case .played(let capture):
            let (reader, channels) = (capture.reader, Int(capture.format.channelCount))
            let bus = compiler.builder.addSource(
                channels: channels, rate: capture.format.sampleRate
            ) { samples, frames, _ in
                reader.read(into: samples, frames: frames)
                return true
            }
            return compiler.fitted(bus, to: format, by: &resampler)
        }
        guard let given else {
            return compiler.builder.addSource(
                channels: Int(format.channelCount), rate: format.sampleRate
            ) { _, _, _ in false }
        }
        let bus = compiler.builder.addSource(
            channels: Int(given.format.channelCount), rate: given.format.sampleRate
        ) { samples, frames, _ in given.render(samples, frames: frames) }
        return compiler.fitted(bus, to: format, by: &resampler)
    }

    private func captured(
        _ capture: CaptureRendering, _ format: AVAudioFormat, _ compiler: inout GraphCompiler
    ) -> ProgramBuilder.Bus {
        let bus = compiler.builder.addSource(
            channels: Int(capture.format.channelCount), rate: capture.format.sampleRate
        ) { samples, frames, position in capture.give(samples, frames, position) }
        if compiler.division.isLed { compiler.builder.addTap(bus, capture.window) }
        return compiler.fitted(bus, to: format, by: &captureResampler)
    }

    /// Sets the function that gives the input's sound in manual rendering, and its format.
    ///
    /// The function is called in the app's rendering, once a block, while the node leads to the output. A block has at most
    /// 4096 frames of the output, and so as many more of an input as its rate is higher. Leaving manual rendering forgets
    /// the function.
    ///
    /// - Parameters:
    ///   - format: A common format of PCM.
    ///   - block: The function; `sending`, so that a closure belongs to no actor.
    ///
    /// Returns false, and changes nothing, while the engine runs, outside of manual rendering, and for other formats.
    ///
    /// Apple: `AVAudioInputNode.setManualRenderingInputPCMFormat(_:inputBlock:)`
    public func setManualRenderingInputPCMFormat(
        _ format: AVAudioFormat, inputBlock block: sending @escaping AVAudioIONodeInputBlock
    ) -> Bool {
        // What is replaced may be an app's, and goes without the lock.
        var made: ManualInput?
        defer { withExtendedLifetime(made) {} }
        guard format.canBeRendered, let rendering = engine?.rendering,
            let input = ManualInput(format, rendering.shortage, block)
        else { return false }
        made = input
        return GraphLock.withLock {
            guard rendering.manual != nil, !rendering.isRunning else { return false }
            swap(&given, &made)
            return true
        }
    }

    /// Takes the app's function away; called with ``GraphLock`` held.
    ///
    /// The result goes without it.
    func forgetInput() -> AnyObject? {
        defer { given = nil }
        return given
    }
}

/// An app's function that gives the input's sound, and the way of its samples into the graph.
// SAFETY: the constants are set once; the function is called by the render side only.
final class ManualInput: @unchecked Sendable {
    let format: AVAudioFormat
    private let reader: PlanarSamples
    private let shortage: InputShortage
    private let block: AVAudioIONodeInputBlock

    /// Nil for formats that are none of the common ones.
    init?(_ format: AVAudioFormat, _ shortage: InputShortage, _ block: @escaping AVAudioIONodeInputBlock) {
        guard let reader = PlanarSamples(format) else { return nil }
        self.format = format
        self.reader = reader
        self.shortage = shortage
        self.block = block
    }

    /// Fills a block; false if the function has too few frames.
    func render(_ samples: Samples, frames: Int) -> Bool {
        if let list = block(AVAudioFrameCount(frames)) {
            let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
            let bytes = UInt32(frames * reader.bytesPerFrame)
            var isWhole = buffers.count == reader.blocks
            for index in 0..<min(buffers.count, reader.blocks) where isWhole {
                isWhole = buffers[index].mData != nil && buffers[index].mDataByteSize >= bytes
            }
            if isWhole {
                reader.read(buffers, frames: frames, to: samples, at: 0)
                return true
            }
        }
        shortage.note()
        return false
    }
}

/// Whether an input had too few frames during a rendering.
final class InputShortage: Sendable {
    private let isNoted = Atomic<Bool>(false)

    func note() { isNoted.store(true, ordering: .relaxed) }

    /// Whether there was one since the last call.
    func take() -> Bool { isNoted.exchange(false, ordering: .relaxed) }
}
