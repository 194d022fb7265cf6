internal import AudioFiles

/// A converter between formats of PCM, and between PCM and packets of a compressed format.
///
/// It changes encodings, channels, interleaving and sample rates. One thread at a time uses a converter. No call waits.
/// Without a change of the rate every sample that the output can hold arrives exactly; nothing changes the level. Packets
/// are encoded as AAC, Apple Lossless or IMA4, and decoded from these, MP3 and Opus, with FFmpeg.
///
/// Apple: `AVAudioConverter`
nonisolated open class AVAudioConverter: NSObject {
    /// The format of the input.
    ///
    /// Apple: `AVAudioConverter.inputFormat`
    public let inputFormat: AVAudioFormat

    /// The format of the output.
    ///
    /// Apple: `AVAudioConverter.outputFormat`
    public let outputFormat: AVAudioFormat

    let input: ConverterInput
    let output: ConverterOutput
    private var routing: ChannelRouting
    private var stream: ConversionStream
    private var noise = DitherNoise()

    /// A converter; nil for formats without a rate or channels, of samples of an unknown form, or of packets for which
    /// there is no codec.
    ///
    /// Nil too if both formats are compressed, if the rates differ and libsoxr is not installed, and for packets if FFmpeg
    /// is not installed. The input format's cookie is the decoder's configuration.
    ///
    /// Apple: `AVAudioConverter.init(from:to:)`
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
        guard
            [fromFormat, toFormat].allSatisfy({ $0.sampleRate.isFinite && $0.sampleRate > 0 && $0.channelCount > 0 }),
            let input = ConverterInput(fromFormat), let output = ConverterOutput(toFormat),
            !(input.isCompressed && output.isCompressed)
        else { return nil }
        inputFormat = fromFormat
        outputFormat = toFormat
        self.input = input
        self.output = output
        routing = ChannelRouting(from: Int(fromFormat.channelCount), to: Int(toFormat.channelCount))
        let isConverted = fromFormat.sampleRate != toFormat.sampleRate
        primeInfo =
            isConverted
            ? AVAudioConverterPrimeInfo(leadingFrames: Self.filterFrames, trailingFrames: Self.filterFrames)
            : AVAudioConverterPrimeInfo(leadingFrames: AVAudioFrameCount(output.priming), trailingFrames: 0)
        let conversion = isConverted ? SampleRateConversion(inputRate: fromFormat.sampleRate, quality: .medium) : nil
        do throws(AudioFileError) {
            stream = try ConversionStream(
                conversion, to: toFormat.sampleRate, channels: Int(toFormat.channelCount), priming: .normal)
        } catch { return nil }
        super.init()
    }

    /// The length of the filter on each side in frames of the input, as it was measured on Apple's systems.
    private static let filterFrames: AVAudioFrameCount = 32

    // MARK: Settings

    /// The input of each output channel, by its index, −1 for silence.
    ///
    /// By default each output has the input of its own index, and a single input goes to all outputs. A map with
    /// another number of entries, or an input that does not exist, becomes the default.
    ///
    /// Apple: `AVAudioConverter.channelMap`
    public var channelMap: [NSNumber] {
        get { routing.effectiveMap.map { NSNumber(value: $0) } }
        set { routing.set(newValue.map(\.intValue)) }
    }

    /// Whether fewer outputs than inputs are a mixture of all inputs, as long as no map was set; false by default.
    ///
    /// Apple: `AVAudioConverter.downmix`
    public var downmix: Bool {
        get { routing.isMixed }
        set { routing.isMixed = newValue }
    }

    /// Whether noise of one step hides the steps of integers with fewer bits than the sound; false by default.
    ///
    /// The noise is the same after each `reset()`.
    ///
    /// Apple: `AVAudioConverter.dither`
    public var dither = false

    /// The quality of the rate converter, as a raw value of `AVAudioQuality` or between two; 64, medium, by default.
    ///
    /// Like the other settings of the rate converter it counts from the first frame or the next `reset()` on.
    ///
    /// Apple: `AVAudioConverter.sampleRateConverterQuality`
    public var sampleRateConverterQuality = AVAudioQuality.medium.rawValue {
        didSet { restartIfFresh() }
    }

    /// The algorithm of the rate converter, one of the `AVSampleRateConverterAlgorithm_` constants; nil and unknown
    /// names are the normal one.
    ///
    /// `AVSampleRateConverterAlgorithm_Mastering` has the highest quality.
    ///
    /// Apple: `AVAudioConverter.sampleRateConverterAlgorithm`
    public var sampleRateConverterAlgorithm: String? {
        didSet { restartIfFresh() }
    }

    /// What the rate converter assumes in front of the first frame; silence that does not come out, by default.
    ///
    /// Apple: `AVAudioConverter.primeMethod`
    public var primeMethod = AVAudioConverterPrimeMethod.normal {
        didSet { restartIfFresh() }
    }

    /// The length of the rate converter's filter, which `primeMethod` takes away or puts in front.
    ///
    /// At one rate it is the frames that an encoder puts in front of the sound, which its decoder gives too; else 0.
    ///
    /// Apple: `AVAudioConverter.primeInfo`
    public var primeInfo: AVAudioConverterPrimeInfo {
        didSet { restartIfFresh() }
    }

    private var conversion: SampleRateConversion? {
        guard inputFormat.sampleRate != outputFormat.sampleRate else { return nil }
        let isMastering = sampleRateConverterAlgorithm == AVSampleRateConverterAlgorithm_Mastering
        let quality: SampleRateConversion.Quality =
            switch sampleRateConverterQuality {
            case _ where isMastering: .veryHigh
            case ..<AVAudioQuality.low.rawValue: .quick
            case ..<AVAudioQuality.medium.rawValue: .low
            case ..<AVAudioQuality.high.rawValue: .medium
            case ..<AVAudioQuality.max.rawValue: .high
            default: .veryHigh
            }
        return SampleRateConversion(
            inputRate: inputFormat.sampleRate, quality: quality,
            isMinimumPhase: sampleRateConverterAlgorithm == AVSampleRateConverterAlgorithm_MinimumPhase)
    }

    private var priming: ConversionStream.Priming {
        // A filter of more than a million frames is a mistake, and would cost memory.
        let frames = Int(min(primeInfo.leadingFrames, 1 << 20))
        return switch primeMethod {
        case .normal: .normal
        case .pre: .taken(frames)
        case .none: .delayed(frames)
        }
    }

    private func restartIfFresh() { if stream.isFresh { restart() } }

    private func restart() {
        input.restart()
        output.restart()
        let channels = Int(outputFormat.channelCount)
        // These rates could be converted before, at another quality.
        if let made = try? ConversionStream(
            conversion, to: outputFormat.sampleRate, channels: channels, priming: priming)
        {
            stream = made
        }
    }

    /// Forgets what the filter holds and that the input has ended, as if nothing had been converted.
    ///
    /// Apple: `AVAudioConverter.reset()`
    open func reset() {
        noise = DitherNoise()
        restart()
    }

    // MARK: Conversion

    /// Converts a buffer at once, at one rate; the output's `frameLength` becomes the input's.
    ///
    /// Throws `kAudio_ParamError` (−50) in `NSOSStatusErrorDomain`, with an output `frameLength` of 0: for rates that
    /// differ, for buffers of other formats, and for an output with less room than the input has frames.
    ///
    /// Apple: `AVAudioConverter.convert(to:from:)`, which raises an exception for an output without room.
    open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
        // The input may be the output.
        let frames = inputBuffer.frameLength
        guard case .samples(let samples) = input, case .samples = output else {
            throw NSError(status: Int(kAudio_ParamError), message: "A compressed format needs an input block.")
        }
        let problem: String? =
            if inputFormat.sampleRate != outputFormat.sampleRate {
                "The rates differ: convert with an input block."
            } else if !inputBuffer.has(inputFormat) {
                "The input's format \(inputBuffer.format.summary) is not the converter's \(inputFormat.summary)."
            } else if !outputBuffer.has(outputFormat) {
                "The output's format \(outputBuffer.format.summary) is not the converter's \(outputFormat.summary)."
            } else if outputBuffer.frameCapacity < frames {
                "The output has room for \(outputBuffer.frameCapacity) frames, and the input has \(frames)."
            } else {
                nil
            }
        if let problem {
            outputBuffer.frameLength = 0
            throw NSError(status: Int(kAudio_ParamError), message: problem)
        }
        write(routing.routed(samples.read(inputBuffer))[...], into: outputBuffer, at: 0)
        outputBuffer.frameLength = frames
    }

    /// Fills a buffer with converted frames or packets, for which it asks an input block as often as it must.
    ///
    /// The block is not called when the output is full, and not any more once it has answered `endOfStream`. An answer
    /// of `haveData` without a frame counts as `noDataNow`. The output has as many frames in all as the input, times
    /// the ratio of the rates, rounded; frames that have no room wait for the next call.
    ///
    /// Returns `haveData` with a full output or the last frames, `inputRanDry` with what there was before the block
    /// answered `noDataNow`, `endOfStream` with none from then on until `reset()`, and `error` with none. Errors are in
    /// `NSOSStatusErrorDomain`: −1 for an input of another format, `kAudioFileUnsupportedDataFormatError` for an output
    /// of another format, `kAudio_ParamError` for an output without room, 1650549857 (`'bada'`) for a packet that cannot be
    /// decoded.
    ///
    /// Apple: `AVAudioConverter.convert(to:error:withInputFrom:)`
    @discardableResult
    open func convert(
        to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus {
        outError?.pointee = nil
        do {
            switch (output, outputBuffer) {
            case (.samples, let buffer as AVAudioPCMBuffer) where buffer.has(outputFormat):
                return try fill(buffer, inputBlock)
            case (.packets(let packets), let buffer as AVAudioCompressedBuffer) where buffer.has(outputFormat):
                return try fill(buffer, packets, inputBlock)
            default:
                outputBuffer.empty()
                throw NSError(
                    status: Int(kAudioFileUnsupportedDataFormatError), message: "The output has another format.")
            }
        } catch {
            outError?.pointee = error as NSError
            return .error
        }
    }

    private func fill(
        _ buffer: AVAudioPCMBuffer, _ inputBlock: AVAudioConverterInputBlock
    ) throws -> AVAudioConverterOutputStatus {
        buffer.frameLength = 0
        guard buffer.frameCapacity > 0 else {
            throw NSError(status: Int(kAudio_ParamError), message: "The output has no room for a frame.")
        }
        var made = 0
        var isDry = false
        while true {
            let frames = stream.give(Int(buffer.frameCapacity) - made)
            write(frames, into: buffer, at: made)
            made += frames.count / Int(outputFormat.channelCount)
            guard made < buffer.frameCapacity, !stream.hasEnded, !isDry else { break }
            isDry = try !take(from: inputBlock, for: Int(buffer.frameCapacity) - made)
        }
        buffer.frameLength = AVAudioFrameCount(made)
        if made == buffer.frameCapacity { return .haveData }
        if stream.hasEnded { return made > 0 ? .haveData : .endOfStream }
        return .inputRanDry
    }

    private func fill(
        _ buffer: AVAudioCompressedBuffer, _ packets: PacketOutput, _ inputBlock: AVAudioConverterInputBlock
    ) throws -> AVAudioConverterOutputStatus {
        buffer.empty()
        guard buffer.packetCapacity > 0 else {
            throw NSError(status: Int(kAudio_ParamError), message: "The output has no room for a packet.")
        }
        var isDry = false
        while true {
            if try packets.give(to: buffer) { return .haveData }
            if packets.isOver { return buffer.packetCount > 0 ? .haveData : .endOfStream }
            let frames = stream.give(.max)
            if !frames.isEmpty {
                try packets.put(frames)
            } else if stream.hasEnded {
                try packets.finish()
            } else if isDry {
                return .inputRanDry
            } else {
                isDry = try !take(from: inputBlock, for: packets.framesPerPacket)
            }
        }
    }

    /// Asks the block for the input of a number of output frames; false if the block has no data now.
    ///
    /// Throws −1 for another format, and `'bada'` for a damaged packet.
    private func take(from block: AVAudioConverterInputBlock, for frames: Int) throws -> Bool {
        let wanted = (Double(frames) * inputFormat.sampleRate / outputFormat.sampleRate).rounded(.up)
        let count = input.packets(for: min(max(wanted, 1), Double(Int32.max)))
        var status = AVAudioConverterInputStatus.haveData
        let buffer = block(AVAudioPacketCount(count), &status)
        switch status {
        case .noDataNow: return false
        case .endOfStream:
            stream.take(routing.routed(try input.finish()))
            stream.end()
            return true
        case .haveData: break
        }
        guard let buffer else { return false }
        guard buffer.has(inputFormat), let samples = try input.read(buffer) else {
            throw NSError(status: -1, message: "The input has another format.")
        }
        stream.take(routing.routed(samples))
        return !buffer.isEmpty
    }

    private func write(_ samples: ArraySlice<Double>, into buffer: AVAudioPCMBuffer, at start: Int) {
        guard case .samples(let output) = output else { return }
        guard dither, losesBits(output) else { return output.write(samples, into: buffer, at: start) }
        output.write(samples, into: buffer, at: start) { noise.next() }
    }

    /// Whether the output's integers have fewer bits than the sound.
    private func losesBits(_ output: PCMSamples) -> Bool {
        guard let bits = output.integerBits else { return false }
        guard case .samples(let input) = input, let given = input.integerBits,
            inputFormat.sampleRate == outputFormat.sampleRate, routing.isExact
        else { return true }
        return bits < given
    }

    // MARK: Packets

    /// The bytes of the largest packet of the output; of a frame for PCM.
    ///
    /// Apple: `AVAudioConverter.maximumOutputPacketSize`
    public var maximumOutputPacketSize: Int {
        if case .packets(let packets) = output { return packets.largest }
        return Int(outputFormat.basicDescription.mBytesPerPacket)
    }

    /// The bits a second that an encoder of AAC is to make; 0 for other outputs.
    ///
    /// 64 000 a channel at first. Like the settings of the rate converter it counts from the first frame or the next
    /// `reset()` on; a value that the encoder does not have becomes the nearest.
    ///
    /// Apple: `AVAudioConverter.bitRate`
    public var bitRate: Int {
        get { if case .packets(let packets) = output { packets.bitRate } else { 0 } }
        set {
            guard case .packets(let packets) = output else { return }
            packets.bitRate = newValue
            restartIfFresh()
        }
    }

    /// The configuration of the encoder, which its decoder needs, or of the decoder; nil without one.
    ///
    /// An encoder's cannot be set. A decoder's counts from the first packet or the next `reset()` on; without one AAC of low
    /// complexity, or Apple Lossless in packets of 4096 frames, is expected in the rate and channels of the input format.
    ///
    /// Apple: `AVAudioConverter.magicCookie`
    public var magicCookie: Data? {
        get {
            if case .packets(let packets) = output { return packets.cookie }
            if case .packets(let packets) = input { return packets.cookie }
            return nil
        }
        set {
            guard case .packets(let packets) = input else { return }
            packets.cookie = newValue
            restartIfFresh()
        }
    }
}

extension AVAudioBuffer {
    /// Whether the sound is of a format; a layout and a cookie change nothing.
    fileprivate func has(_ format: AVAudioFormat) -> Bool { self.format.basicDescription == format.basicDescription }

    /// Whether there is no frame or packet.
    fileprivate var isEmpty: Bool {
        switch self {
        case let buffer as AVAudioPCMBuffer: buffer.frameLength == 0
        case let buffer as AVAudioCompressedBuffer: buffer.packetCount == 0
        default: true
        }
    }

    /// Forgets the frames or packets.
    fileprivate func empty() {
        switch self {
        case let buffer as AVAudioPCMBuffer: buffer.frameLength = 0
        case let buffer as AVAudioCompressedBuffer: (buffer.packetCount, buffer.byteLength) = (0, 0)
        default: break
        }
    }
}
