internal import AudioFiles

/// The sound that goes into a converter.
enum ConverterInput {
    case samples(PCMSamples)
    case packets(PacketInput)

    /// Nil for samples of an unknown form, and for packets without a decoder.
    init?(_ format: AVAudioFormat) {
        if let samples = PCMSamples(format.basicDescription) {
            self = .samples(samples)
        } else if let packets = PacketInput(format) {
            self = .packets(packets)
        } else {
            return nil
        }
    }

    var isCompressed: Bool { if case .packets = self { true } else { false } }

    /// The number of packets that hold a number of frames; a packet of PCM is one frame.
    func packets(for frames: Double) -> Double {
        if case .packets(let packets) = self { (frames / Double(packets.framesPerPacket)).rounded(.up) } else { frames }
    }

    /// Reads a buffer of the input's format, interleaved; nil for a buffer of another kind.
    ///
    /// Throws `'bada'` for a packet that cannot be decoded.
    func read(_ buffer: AVAudioBuffer) throws -> [Double]? {
        switch (self, buffer) {
        case (.samples(let samples), let buffer as AVAudioPCMBuffer): samples.read(buffer)
        case (.packets(let packets), let buffer as AVAudioCompressedBuffer): try packets.read(buffer)
        default: nil
        }
    }

    /// What a decoder still holds.
    func finish() throws -> [Double] { if case .packets(let packets) = self { try packets.finish() } else { [] } }

    func restart() { if case .packets(let packets) = self { packets.restart() } }
}

/// The sound that comes out of a converter.
enum ConverterOutput {
    case samples(PCMSamples)
    case packets(PacketOutput)

    /// Nil for samples of an unknown form, and for packets without an encoder.
    init?(_ format: AVAudioFormat) {
        if let samples = PCMSamples(format.basicDescription) {
            self = .samples(samples)
        } else if let packets = PacketOutput(format) {
            self = .packets(packets)
        } else {
            return nil
        }
    }

    var isCompressed: Bool { if case .packets = self { true } else { false } }

    /// The frames that an encoder puts in front of the sound.
    var priming: Int { if case .packets(let packets) = self { packets.priming } else { 0 } }

    func restart() { if case .packets(let packets) = self { packets.restart() } }
}

/// Packets on their way into a converter, and their decoder.
final class PacketInput {
    private let format: AVAudioFormat
    private let encoding: AudioEncoding
    private var decoder: any PacketDecoder
    /// The decoder's configuration, from the next ``restart()`` on.
    var cookie: Data?

    /// Nil without a decoder.
    init?(_ format: AVAudioFormat) {
        guard let encoding = format.compressedEncoding,
            let decoder = try? Self.decoder(encoding, format, format.magicCookie)
        else { return nil }
        self.format = format
        self.encoding = encoding
        self.decoder = decoder
        cookie = format.magicCookie
    }

    /// The frames of a packet, as far as the format says so.
    var framesPerPacket: Int { max(1, Int(format.basicDescription.mFramesPerPacket)) }

    private static func decoder(
        _ encoding: AudioEncoding, _ format: AVAudioFormat, _ cookie: Data?
    ) throws(AudioFileError) -> any PacketDecoder {
        try PacketCodec.decoder(
            encoding, sampleRate: format.sampleRate, channels: Int(format.channelCount),
            bytesPerPacket: Int(format.basicDescription.mBytesPerPacket), configuration: cookie.map(Array.init) ?? [])
    }

    /// Makes a new decoder with the cookie; the old one stays if the cookie is not valid.
    func restart() { if let made = try? Self.decoder(encoding, format, cookie) { decoder = made } }

    func read(_ buffer: AVAudioCompressedBuffer) throws -> [Double] {
        var samples: [Float] = []
        let size = Int(format.basicDescription.mBytesPerPacket)
        for index in 0..<Int(buffer.packetCount) {
            let range = buffer.packetDescriptions.map { descriptions in
                let start = max(0, Int(descriptions[index].mStartOffset))
                return start..<start + Int(descriptions[index].mDataByteSize)
            }
            let bytes = range ?? index * size..<(index + 1) * size
            guard bytes.upperBound <= Int(buffer.byteLength) else { throw Self.damage }
            do throws(AudioFileError) {
                let packet = UnsafeRawBufferPointer(start: buffer.data + bytes.lowerBound, count: bytes.count)
                samples += try decoder.decode(packet)
            } catch { throw Self.damage }
        }
        return samples.map(Double.init)
    }

    func finish() throws -> [Double] {
        do throws(AudioFileError) { return try decoder.finish().map(Double.init) } catch { throw Self.damage }
    }

    /// `kAudioCodecBadDataError`.
    private static var damage: NSError { NSError(status: 0x6261_6461, message: "A packet cannot be decoded.") }
}

/// Packets on their way out of a converter, and their encoder.
final class PacketOutput {
    private let format: AVAudioFormat
    private let encoding: AudioEncoding
    private var encoder: any PacketEncoder
    private var waiting: [EncodedPacket] = []
    private var isFinished = false
    /// The wish of bits a second, from the next ``restart()`` on; 0 for encodings without a choice.
    var bitRate: Int

    /// Nil without an encoder.
    init?(_ format: AVAudioFormat) {
        guard let encoding = format.compressedEncoding else { return nil }
        let bitRate = encoding == .aac ? 64_000 * Int(format.channelCount) : 0
        guard let encoder = try? Self.encoder(encoding, format, bitRate) else { return nil }
        self.format = format
        self.encoding = encoding
        self.encoder = encoder
        self.bitRate = bitRate
    }

    private static func encoder(
        _ encoding: AudioEncoding, _ format: AVAudioFormat, _ bitRate: Int
    ) throws(AudioFileError) -> any PacketEncoder {
        try PacketCodec.encoder(
            encoding, sampleRate: format.sampleRate, channels: Int(format.channelCount),
            bitRate: bitRate > 0 ? bitRate : nil)
    }

    var framesPerPacket: Int { encoder.framesPerPacket }
    var priming: Int { encoder.priming }
    var cookie: Data? { encoder.configuration.isEmpty ? nil : Data(encoder.configuration) }

    /// The bytes of the largest packet.
    var largest: Int {
        let channels = Int(format.channelCount)
        switch encoding {
        // What a decoder must be able to take: 6144 bits a channel.
        case .aac: return 768 * channels
        case .imaADPCM: return 34 * channels
        // Samples that cannot be made shorter, and a head.
        default: return framesPerPacket * channels * (encoding.bitDepth / 8) + 64
        }
    }

    /// Whether all packets of a sound that has ended were given.
    var isOver: Bool { isFinished && waiting.isEmpty }

    /// Makes a new encoder with the bit rate, and drops the packets that wait.
    func restart() {
        waiting = []
        isFinished = false
        if let made = try? Self.encoder(encoding, format, bitRate) { encoder = made }
    }

    func put(_ samples: ArraySlice<Double>) throws { waiting += try encoder.encode(samples) }

    func finish() throws {
        isFinished = true
        waiting += try encoder.finish()
    }

    /// Gives packets to a buffer; true if it has no room for the next one.
    ///
    /// Throws `kAudio_ParamError` if an empty buffer has no room for it.
    func give(to buffer: AVAudioCompressedBuffer) throws -> Bool {
        while let packet = waiting.first {
            let (size, used) = (packet.bytes.count, Int(buffer.byteLength))
            let hasRoom = size <= buffer.maximumPacketSize && used + size <= Int(buffer.byteCapacity)
            guard buffer.packetCount < buffer.packetCapacity, hasRoom else {
                if buffer.packetCount > 0 { return true }
                throw NSError(
                    status: Int(kAudio_ParamError), message: "The output has no room for a packet of \(size) bytes.")
            }
            packet.bytes.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { (buffer.data + used).copyMemory(from: start, byteCount: size) }
            }
            buffer.packetDescriptions?[Int(buffer.packetCount)] = AudioStreamPacketDescription(
                mStartOffset: Int64(used),
                mVariableFramesInPacket: packet.frames == framesPerPacket ? 0 : UInt32(packet.frames),
                mDataByteSize: UInt32(size))
            buffer.packetCount += 1
            buffer.byteLength = UInt32(used + size)
            waiting.removeFirst()
        }
        return buffer.packetCount == buffer.packetCapacity
    }
}

extension AVAudioFormat {
    /// The encoding of packets that can be decoded, perhaps encoded; nil for others.
    fileprivate var compressedEncoding: AudioEncoding? {
        switch basicDescription.mFormatID {
        case kAudioFormatMPEG4AAC: .aac
        // The flag of 24-bit sources; 16 bits are 1.
        case kAudioFormatAppleLossless: basicDescription.mFormatFlags == 3 ? .alac24 : .alac16
        case kAudioFormatAppleIMA4: .imaADPCM
        case kAudioFormatMPEGLayer3: .mp3
        case kAudioFormatOpus: .opus
        default: nil
        }
    }
}
