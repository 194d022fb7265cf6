import AVFAudio
import Testing

extension SymbolLedger {
    mutating func buffers() {
        lists()
        samples()
        times()
        soundFiles()
        converters()
    }

    private mutating func lists() {
        // MARK: AudioBufferList
        works(AudioBuffer.self)
        works(AudioBuffer.init(mNumberChannels:mDataByteSize:mData:))
        works(
            AudioBuffer.init(_:numberOfChannels:) as (UnsafeMutableBufferPointer<Float>, Int) -> AudioBuffer,
            named: "AudioBuffer.init(_:numberOfChannels:)")
        works(AudioBufferList.self)
        works(AudioBufferList.init(mNumberBuffers:mBuffers:))
        works(AudioBufferList.sizeInBytes(maximumBuffers:))
        works(AudioBufferList.allocate(maximumBuffers:))
        works(UnsafeMutableAudioBufferListPointer.self)
        works(\UnsafeMutableAudioBufferListPointer.count)
        works(\UnsafeMutableAudioBufferListPointer.unsafePointer)
        works(\UnsafeMutableAudioBufferListPointer.unsafeMutablePointer)
        works(
            UnsafeBufferPointer.init(_:) as (AudioBuffer) -> UnsafeBufferPointer<Float>,
            named: "UnsafeBufferPointer.init(_: AudioBuffer)")
        works(
            UnsafeMutableBufferPointer.init(_:) as (AudioBuffer) -> UnsafeMutableBufferPointer<Float>,
            named: "UnsafeMutableBufferPointer.init(_: AudioBuffer)")
        works(AudioStreamPacketDescription.self)
        works(AVAudioPacketCount.self)
    }

    private mutating func samples() {
        // MARK: AVAudioBuffer
        works(AVAudioBuffer.self)
        works(\AVAudioBuffer.format)
        works(\AVAudioBuffer.audioBufferList)
        works(\AVAudioBuffer.mutableAudioBufferList)
        works({ $0.copy(with: nil) } as (AVAudioBuffer) -> Any, named: "AVAudioBuffer.copy(with:)")
        works({ $0.mutableCopy(with: nil) } as (AVAudioBuffer) -> Any, named: "AVAudioBuffer.mutableCopy(with:)")
        // MARK: AVAudioPCMBuffer
        works(AVAudioPCMBuffer.self)
        works(AVAudioPCMBuffer.init(pcmFormat:frameCapacity:), note: "nil for a format that is not PCM")
        works(AVAudioPCMBuffer.init(pcmFormat:bufferListNoCopy:deallocator:), note: "all frames count as filled")
        works(\AVAudioPCMBuffer.frameCapacity)
        works(\AVAudioPCMBuffer.frameLength, note: "a value beyond the capacity becomes the capacity")
        works(\AVAudioPCMBuffer.stride)
        works(\AVAudioPCMBuffer.floatChannelData)
        works(\AVAudioPCMBuffer.int16ChannelData)
        works(\AVAudioPCMBuffer.int32ChannelData)
        works(
            { $0.withUnsafeAudioBufferList { _ in } } as (AVAudioPCMBuffer) -> Void,
            named: "AVAudioPCMBuffer.withUnsafeAudioBufferList(_:)")
        // MARK: AVReadOnlyAudioPCMBuffer
        works(AVReadOnlyAudioPCMBuffer.self)
        works(AVReadOnlyAudioPCMBuffer.init(copying:))
        works(
            { AVReadOnlyAudioPCMBuffer(unsafeRetaining: $0) } as (sending AVAudioPCMBuffer) -> AVReadOnlyAudioPCMBuffer,
            named: "AVReadOnlyAudioPCMBuffer.init(unsafeRetaining:)")
        works(AVReadOnlyAudioPCMBuffer.init(format:frameCapacity:initializingWith:))
        works(\AVReadOnlyAudioPCMBuffer.format)
        works(\AVReadOnlyAudioPCMBuffer.frameLength)
        works(\AVReadOnlyAudioPCMBuffer.frameCapacity)
        works(
            { $0.withUnsafeAudioBufferList { _ in } } as (AVReadOnlyAudioPCMBuffer) -> Void,
            named: "AVReadOnlyAudioPCMBuffer.withUnsafeAudioBufferList(_:)")
        // MARK: AVAudioCompressedBuffer
        works(AVAudioCompressedBuffer.self)
        works(AVAudioCompressedBuffer.init(format:packetCapacity:maximumPacketSize:))
        works(AVAudioCompressedBuffer.init(format:packetCapacity:))
        works(\AVAudioCompressedBuffer.packetCapacity)
        works(\AVAudioCompressedBuffer.packetCount)
        works(\AVAudioCompressedBuffer.maximumPacketSize)
        works(\AVAudioCompressedBuffer.data)
        works(\AVAudioCompressedBuffer.byteCapacity)
        works(\AVAudioCompressedBuffer.byteLength)
        works(\AVAudioCompressedBuffer.packetDescriptions)
    }

    private mutating func times() {
        // MARK: AVAudioTime
        works(AVAudioTime.self)
        works(AVAudioTime.init(audioTimeStamp:sampleRate:))
        works(AVAudioTime.init(hostTime:))
        works(AVAudioTime.init(sampleTime:atRate:))
        works(AVAudioTime.init(hostTime:sampleTime:atRate:))
        works(AVAudioTime.hostTime(forSeconds:))
        works(AVAudioTime.seconds(forHostTime:))
        works(AVAudioTime.extrapolateTime(fromAnchor:))
        works(\AVAudioTime.isHostTimeValid)
        works(\AVAudioTime.isSampleTimeValid)
        works(\AVAudioTime.hostTime)
        works(\AVAudioTime.sampleTime)
        works(\AVAudioTime.sampleRate)
        works(\AVAudioTime.audioTimeStamp)
        works(AudioTimeStamp.self)
        works(AudioTimeStampFlags.nothingValid, raw: 0)
        works(AudioTimeStampFlags.sampleTimeValid, raw: 1)
        works(AudioTimeStampFlags.hostTimeValid, raw: 2)
        works(AudioTimeStampFlags.rateScalarValid, raw: 4)
        works(AudioTimeStampFlags.wordClockTimeValid, raw: 8)
        works(AudioTimeStampFlags.smpteTimeValid, raw: 16)
        works(AudioTimeStampFlags.sampleHostTimeValid, raw: 3)
        works(SMPTETime.self)
        works(SMPTETimeFlags.valid, raw: 1)
        works(SMPTETimeFlags.running, raw: 2)
        works(SMPTETimeType.type24, raw: 0)
        works(SMPTETimeType.type25, raw: 1)
        works(SMPTETimeType.type30Drop, raw: 2)
        works(SMPTETimeType.type30, raw: 3)
        works(SMPTETimeType.type2997, raw: 4)
        works(SMPTETimeType.type2997Drop, raw: 5)
        works(SMPTETimeType.type60, raw: 6)
        works(SMPTETimeType.type5994, raw: 7)
        works(SMPTETimeType.type60Drop, raw: 8)
        works(SMPTETimeType.type5994Drop, raw: 9)
        works(SMPTETimeType.type50, raw: 10)
        works(SMPTETimeType.type2398, raw: 11)
        works(mach_absolute_time, note: "nanoseconds of the monotonic clock")
        works(mach_timebase_info_data_t.self)
        works(mach_timebase_info(_:), note: "1/1")
    }

    private mutating func soundFiles() {
        // MARK: AVAudioFile
        works(AVAudioFile.self)
        works(AVAudioFile.init(forReading:))
        works(AVAudioFile.init(forReading:commonFormat:interleaved:))
        works(AVAudioFile.init(forWriting:settings:), note: "PCM settings make a lossless MPEG-4 or FLAC file")
        works(AVAudioFile.init(forWriting:settings:commonFormat:interleaved:))
        works(
            { try $0.read(into: $1) } as (AVAudioFile, AVAudioPCMBuffer) throws -> Void,
            named: "AVAudioFile.read(into:)", note: "throws −39 at the end")
        works(AVAudioFile.read(into:frameCount:))
        works(AVAudioFile.read(frameCount:))
        works(
            { try $0.write(from: $1) } as (AVAudioFile, AVAudioPCMBuffer) throws -> Void,
            named: "AVAudioFile.write(from:)")
        works(
            { try $0.write(from: $1) } as (AVAudioFile, AVReadOnlyAudioPCMBuffer) throws -> Void,
            named: "AVAudioFile.write(from:) of a read-only buffer")
        works(method: AVAudioFile.close)
        works(\AVAudioFile.isOpen)
        works(\AVAudioFile.url)
        works(\AVAudioFile.fileFormat)
        works(\AVAudioFile.processingFormat)
        works(\AVAudioFile.length)
        works(\AVAudioFile.framePosition)
    }

    private mutating func converters() {
        // MARK: AVAudioConverter
        works(AVAudioConverter.self)
        works(AVAudioConverter.init(from:to:), note: "encodes AAC, Apple Lossless and IMA4; decodes also MP3 and Opus")
        works(method: AVAudioConverter.reset)
        works(AVAudioConverter.convert(to:from:))
        works(AVAudioConverter.convert(to:error:withInputFrom:))
        works(\AVAudioConverter.inputFormat)
        works(\AVAudioConverter.outputFormat)
        works(\AVAudioConverter.channelMap)
        works(\AVAudioConverter.downmix)
        works(\AVAudioConverter.dither)
        works(\AVAudioConverter.sampleRateConverterQuality)
        works(\AVAudioConverter.sampleRateConverterAlgorithm)
        works(\AVAudioConverter.primeMethod)
        works(\AVAudioConverter.primeInfo)
        works(\AVAudioConverter.maximumOutputPacketSize)
        works(\AVAudioConverter.bitRate)
        works(\AVAudioConverter.magicCookie)
        works(AVAudioConverterInputBlock.self)
        works(AVAudioConverterPrimeInfo.self)
        works(AVAudioConverterPrimeMethod.pre, raw: 0)
        works(AVAudioConverterPrimeMethod.normal, raw: 1)
        works(AVAudioConverterPrimeMethod.none, raw: 2)
        works(AVAudioConverterInputStatus.haveData, raw: 0)
        works(AVAudioConverterInputStatus.noDataNow, raw: 1)
        works(AVAudioConverterInputStatus.endOfStream, raw: 2)
        works(AVAudioConverterOutputStatus.haveData, raw: 0)
        works(AVAudioConverterOutputStatus.inputRanDry, raw: 1)
        works(AVAudioConverterOutputStatus.endOfStream, raw: 2)
        works(AVAudioConverterOutputStatus.error, raw: 3)
        works(NSErrorPointer.self)
    }
}
