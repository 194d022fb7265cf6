internal import AudioFiles

/// A converter between formats of PCM: encodings, channels, interleaving and sample rates.
///
/// One thread at a time uses a converter. No call waits. Without a change of the rate every sample that the output can
/// hold arrives exactly; nothing changes the level.
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

    private let input: PCMSamples
    private let output: PCMSamples
    private var routing: ChannelRouting
    private var stream: ConversionStream
    private var noise = DitherNoise()

    /// A converter; nil for formats that are not PCM, of no rate or channels, or of samples of an unknown form.
    ///
    /// Nil too if the rates differ and libsoxr is not installed.
    ///
    /// Apple: `AVAudioConverter.init(from:to:)`
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
        guard let input = PCMSamples(fromFormat.basicDescription), let output = PCMSamples(toFormat.basicDescription),
            [fromFormat, toFormat].allSatisfy({ $0.sampleRate.isFinite && $0.sampleRate > 0 })
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
            : AVAudioConverterPrimeInfo()
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

    /// The length of the rate converter's filter, which `primeMethod` takes away or puts in front; 0 at one rate.
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
        write(routing.routed(input.read(inputBuffer))[...], into: outputBuffer, at: 0)
        outputBuffer.frameLength = frames
    }

    /// Fills a buffer with converted frames, for which it asks an input block as often as it must.
    ///
    /// The block is not called when the output is full, and not any more once it has answered `endOfStream`. An answer
    /// of `haveData` without a frame counts as `noDataNow`. The output has as many frames in all as the input, times
    /// the ratio of the rates, rounded; frames that have no room wait for the next call.
    ///
    /// Returns `haveData` with a full output or the last frames, `inputRanDry` with what there was before the block
    /// answered `noDataNow`, `endOfStream` with none from then on until `reset()`, and `error` with none. Errors are in
    /// `NSOSStatusErrorDomain`: −1 for an input of another format, `kAudioFileUnsupportedDataFormatError` for an output
    /// of another format, `kAudio_ParamError` for an output without room.
    ///
    /// Apple: `AVAudioConverter.convert(to:error:withInputFrom:)`
    @discardableResult
    open func convert(
        to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus {
        outError?.pointee = nil
        guard let outputBuffer = outputBuffer as? AVAudioPCMBuffer, outputBuffer.has(outputFormat) else {
            (outputBuffer as? AVAudioPCMBuffer)?.frameLength = 0
            outError?.pointee = NSError(
                status: Int(kAudioFileUnsupportedDataFormatError), message: "The output has another format.")
            return .error
        }
        outputBuffer.frameLength = 0
        guard outputBuffer.frameCapacity > 0 else {
            outError?.pointee = NSError(
                status: Int(kAudio_ParamError), message: "The output has no room for a frame.")
            return .error
        }
        var made = 0
        var isDry = false
        while true {
            let frames = stream.give(Int(outputBuffer.frameCapacity) - made)
            write(frames, into: outputBuffer, at: made)
            made += frames.count / Int(outputFormat.channelCount)
            guard made < outputBuffer.frameCapacity, !stream.hasEnded, !isDry else { break }
            switch ask(inputBlock, for: Int(outputBuffer.frameCapacity) - made) {
            case .frames(let samples): stream.take(samples)
            case .nothing: isDry = true
            case .end: stream.end()
            case .wrong:
                outError?.pointee = NSError(status: -1, message: "The input has another format.")
                return .error
            }
        }
        outputBuffer.frameLength = AVAudioFrameCount(made)
        if made == outputBuffer.frameCapacity { return .haveData }
        if stream.hasEnded { return made > 0 ? .haveData : .endOfStream }
        return .inputRanDry
    }

    private enum Answer {
        case frames([Double])
        case nothing, end, wrong
    }

    /// Asks the block for what so many frames of the output are made of.
    private func ask(_ block: AVAudioConverterInputBlock, for frames: Int) -> Answer {
        let wanted = (Double(frames) * inputFormat.sampleRate / outputFormat.sampleRate).rounded(.up)
        var status = AVAudioConverterInputStatus.haveData
        let buffer = block(AVAudioPacketCount(min(max(wanted, 1), Double(Int32.max))), &status)
        switch status {
        case .noDataNow: return .nothing
        case .endOfStream: return .end
        case .haveData: break
        }
        guard let buffer else { return .nothing }
        guard let buffer = buffer as? AVAudioPCMBuffer, buffer.has(inputFormat) else { return .wrong }
        guard buffer.frameLength > 0 else { return .nothing }
        return .frames(routing.routed(input.read(buffer)))
    }

    private func write(_ samples: ArraySlice<Double>, into buffer: AVAudioPCMBuffer, at start: Int) {
        guard dither, losesBits else { return output.write(samples, into: buffer, at: start) }
        output.write(samples, into: buffer, at: start) { noise.next() }
    }

    /// Whether the output's integers have fewer bits than the sound.
    private var losesBits: Bool {
        guard let bits = output.integerBits else { return false }
        guard let given = input.integerBits, inputFormat.sampleRate == outputFormat.sampleRate, routing.isExact else {
            return true
        }
        return bits < given
    }
}

/// Noise for dither: the sum of two random numbers, each from −1/2 to 1/2.
///
/// The numbers are those of xorshift64* (Vigna, 2016), always the same ones.
struct DitherNoise {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The next value, from −1 to 1.
    mutating func next() -> Double { uniform() + uniform() }

    private mutating func uniform() -> Double {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Double((state &* 0x2545_F491_4F6C_DD1D) >> 11) * 0x1p-53 - 0.5
    }
}

extension AVAudioPCMBuffer {
    /// Whether the samples are of a format; a layout changes none.
    fileprivate func has(_ format: AVAudioFormat) -> Bool { self.format.basicDescription == format.basicDescription }
}
