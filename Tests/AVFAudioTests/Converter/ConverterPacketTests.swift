import AVFAudio
import TestSupport
import Testing

/// Packets of compressed formats, both ways.
@Suite("AVAudioConverter, packets", .limited)
struct ConverterPacketTests {
    /// A compressed format, by its identifier.
    private static func format(
        _ id: AudioFormatID, rate: Double = 44_100, channels: UInt32 = 1, frames: UInt32 = 1024, bytes: UInt32 = 0,
        flags: UInt32 = 0
    ) throws -> AVAudioFormat {
        var description = AudioStreamBasicDescription(
            mSampleRate: rate, mFormatID: id, mFormatFlags: flags, mBytesPerPacket: bytes, mFramesPerPacket: frames,
            mBytesPerFrame: 0, mChannelsPerFrame: channels, mBitsPerChannel: 0, mReserved: 0)
        return try #require(AVAudioFormat(streamDescription: &description))
    }

    private static func pcm(_ rate: Double = 44_100, _ channels: UInt32 = 1) throws -> AVAudioFormat {
        try EngineBench.format(rate, channels)
    }

    private static func buffer(_ samples: [Float], _ format: AVAudioFormat) throws -> AVAudioPCMBuffer {
        let frames = UInt32(samples.count) / format.channelCount
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: max(1, frames)))
        buffer.fill(samples)
        return buffer
    }

    /// Encodes samples, given in pieces; returns the filled buffers of so many packets each.
    private static func packets(
        _ converter: AVAudioConverter, _ samples: [Float], pieces: Int = 1000, room: UInt32 = 7
    ) throws -> [AVAudioCompressedBuffer] {
        var place = 0
        var buffers: [AVAudioCompressedBuffer] = []
        let channels = Int(converter.inputFormat.channelCount)
        while true {
            let buffer = AVAudioCompressedBuffer(
                format: converter.outputFormat, packetCapacity: room,
                maximumPacketSize: converter.maximumOutputPacketSize)
            var error: NSError?
            let status = converter.convert(to: buffer, error: &error) { _, status in
                guard place < samples.count else {
                    status.pointee = .endOfStream
                    return nil
                }
                let end = min(place + pieces * channels, samples.count)
                defer { place = end }
                status.pointee = .haveData
                return try? Self.buffer(Array(samples[place..<end]), converter.inputFormat)
            }
            if let error { throw error }
            guard status == .haveData else {
                #expect(status == .endOfStream && buffer.packetCount == 0 && buffer.byteLength == 0)
                return buffers
            }
            buffers.append(buffer)
        }
    }

    /// Decodes packets to the end.
    private static func samples(
        _ converter: AVAudioConverter, _ buffers: [AVAudioCompressedBuffer], room: UInt32 = 777
    ) throws -> [Float] {
        var rest = buffers[...]
        var samples: [Float] = []
        while true {
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: room))
            var error: NSError?
            let status = converter.convert(to: buffer, error: &error) { _, status in
                status.pointee = rest.isEmpty ? .endOfStream : .haveData
                return rest.popFirst()
            }
            if let error { throw error }
            guard status == .haveData else {
                #expect(status == .endOfStream && buffer.frameLength == 0)
                return samples
            }
            samples += buffer.frames(Float.self)
        }
    }

    @Test("E189: AAC of any channels comes back late by primeInfo, and is the sound", arguments: [1, 2] as [UInt32])
    func aac(channels: UInt32) throws {
        let (pcm, packed) = (
            try Self.pcm(44_100, channels), try Self.format(kAudioFormatMPEG4AAC, channels: channels)
        )
        let encoder = try #require(AVAudioConverter(from: pcm, to: packed))
        encoder.bitRate = 128_000 * Int(channels)
        let frames = 30_000
        let sound = (0..<frames).flatMap { frame in
            (0..<Int(channels)).map { tone(440 * Double($0 + 1), frame, amplitude: 0.5) }
        }
        let buffers = try Self.packets(encoder, sound)
        let late = Int(encoder.primeInfo.leadingFrames)
        #expect(late > 0)
        #expect(buffers.map { Int($0.packetCount) }.reduce(0, +) * 1024 >= frames + late)
        #expect(buffers.dropLast().allSatisfy { $0.packetCount == 7 })
        let decoder = try #require(AVAudioConverter(from: packed, to: pcm))
        decoder.magicCookie = encoder.magicCookie
        #expect(decoder.magicCookie?.isEmpty == false)
        let heard = try Self.samples(decoder, buffers)
        let count = Int(channels)
        #expect(heard.count / count >= frames + late)
        let middle = 4_000 * count..<(frames - 2_000) * count
        let difference = middle.map { abs(heard[$0 + late * count] - sound[$0]) }.max() ?? 1
        #expect(difference < 0.02, "\(difference)")
        // Low complexity needs no cookie.
        let other = try #require(AVAudioConverter(from: packed, to: pcm))
        #expect(try Self.samples(other, buffers) == heard)
    }

    @Test("E189: Apple Lossless comes back exactly, at its length", arguments: [(1, 16), (3, 24)] as [(UInt32, Int)])
    func lossless(flags: UInt32, bits: Int) throws {
        let pcm = try Self.pcm(48_000, 2)
        let packed = try Self.format(
            kAudioFormatAppleLossless, rate: 48_000, channels: 2, frames: 4096, flags: flags)
        let encoder = try #require(AVAudioConverter(from: pcm, to: packed))
        let steps = Float(1 << (bits - 1))
        // The last packet has fewer frames than the encoder takes at least.
        let sound = (0..<2 * (3 * 4096 + 5)).map { index -> Float in
            let noise = Float((index &* 7919) % 2003) / 2003
            return (noise * steps).rounded() / steps - 0.5
        }
        let buffers = try Self.packets(encoder, sound, pieces: 333, room: 3)
        #expect(encoder.primeInfo.leadingFrames == 0)
        let decoder = try #require(AVAudioConverter(from: packed, to: pcm))
        decoder.magicCookie = encoder.magicCookie
        let heard = try Self.samples(decoder, buffers)
        #expect(Array(heard.prefix(sound.count)) == sound)
        #expect(heard.dropFirst(sound.count).allSatisfy { $0 == 0 } && heard.count - sound.count < 64)
        // Noise cannot be made shorter, and stays below the size that is promised.
        #expect(encoder.maximumOutputPacketSize >= 4096 * 2 * bits / 8)
    }

    @Test("E189: packets of one size have no descriptions, and the format of IMA4 is decoded")
    func fixedSize() throws {
        let pcm = try Self.pcm(44_100, 1)
        let packed = try Self.format(kAudioFormatAppleIMA4, frames: 64, bytes: 34)
        let encoder = try #require(AVAudioConverter(from: pcm, to: packed))
        let sound = (0..<6400).map { tone(440, $0, amplitude: 0.5) }
        let buffers = try Self.packets(encoder, sound, room: 10)
        #expect(buffers.map { Int($0.packetCount) }.reduce(0, +) == 100)
        #expect(buffers.allSatisfy { $0.packetDescriptions == nil && $0.byteLength == $0.packetCount * 34 })
        let decoder = try #require(AVAudioConverter(from: packed, to: pcm))
        let heard = try Self.samples(decoder, buffers)
        #expect(heard.count == sound.count)
        let difference = (1000..<6000).map { abs(heard[$0] - sound[$0]) }.max() ?? 1
        #expect(difference < 0.05, "\(difference)")
    }

    @Test("E189: an input that runs dry is gone on with, and reset forgets it")
    func dry() throws {
        let encoder = try #require(
            AVAudioConverter(from: try Self.pcm(), to: try Self.format(kAudioFormatMPEG4AAC)))
        let output = AVAudioCompressedBuffer(
            format: encoder.outputFormat, packetCapacity: 100, maximumPacketSize: encoder.maximumOutputPacketSize)
        func give(_ frames: Int) throws -> (AVAudioConverterOutputStatus, UInt32) {
            var isGiven = false
            let input = try Self.buffer((0..<frames).map { tone(440, $0, amplitude: 0.5) }, encoder.inputFormat)
            let status = encoder.convert(to: output, error: nil) { _, status in
                status.pointee = isGiven ? .noDataNow : .haveData
                defer { isGiven = true }
                return isGiven ? nil : input
            }
            return (status, output.packetCount)
        }
        #expect(try give(1000) == (.inputRanDry, 0))
        var packets: UInt32 = 0
        for _ in 0..<10 {
            let (status, count) = try give(1024)
            #expect(status == .inputRanDry)
            packets += count
        }
        // FFmpeg's encoder holds back what it looks ahead.
        #expect((8...11).contains(packets))
        encoder.reset()
        #expect(try give(1000) == (.inputRanDry, 0))
    }

    @Test("E189: the bit rate is the encoder's, from the first frame or a reset on")
    func bitRate() throws {
        let encoder = try #require(
            AVAudioConverter(from: try Self.pcm(), to: try Self.format(kAudioFormatMPEG4AAC)))
        #expect(encoder.bitRate == 64_000 && encoder.maximumOutputPacketSize == 768)
        let noise = (0..<44_100).map { (frame: Int) -> Float in Float((frame &* 7919) % 2003) / 4006 - 0.25 }
        func size() throws -> Int { try Self.packets(encoder, noise).map { Int($0.byteLength) }.reduce(0, +) }
        let usual = try size()
        encoder.bitRate = 192_000
        encoder.reset()
        let more = try size()
        #expect(more > 2 * usual, "\(usual) and \(more) bytes")
    }

    @Test("E189: rates are converted on the way to packets")
    func rates() throws {
        let encoder = try #require(
            AVAudioConverter(from: try Self.pcm(22_050), to: try Self.format(kAudioFormatMPEG4AAC)))
        let sound = (0..<22_050).map { tone(440, $0, amplitude: 0.5, rate: 22_050) }
        let buffers = try Self.packets(encoder, sound)
        let decoder = try #require(AVAudioConverter(from: encoder.outputFormat, to: try Self.pcm()))
        let heard = try Self.samples(decoder, buffers)
        let recording = Recording(float: heard, sampleRate: 44_100, channels: 1)
        #expect(abs(recording.level(ofFrequency: 440, 10_000..<40_000) + 6) < 0.5)
        #expect((44_100...48_000).contains(heard.count))
    }

    @Test("E189: what cannot be converted makes no converter, or is an error, and nothing is lost")
    func refused() throws {
        let (pcm, aac) = (try Self.pcm(), try Self.format(kAudioFormatMPEG4AAC))
        #expect(AVAudioConverter(from: aac, to: aac) == nil)
        #expect(AVAudioConverter(from: pcm, to: try Self.format(kAudioFormatMPEGLayer3, frames: 1152)) == nil)
        #expect(AVAudioConverter(from: pcm, to: try Self.format(0x7878_7878)) == nil)
        let encoder = try #require(AVAudioConverter(from: pcm, to: aac))
        let sound = try Self.buffer((0..<8192).map { tone(440, $0, amplitude: 0.5) }, pcm)
        #expect(throws: NSError.self) { try encoder.convert(to: sound, from: sound) }
        func convert(to buffer: AVAudioBuffer) -> Int? {
            var error: NSError?
            var isGiven = false
            let status = encoder.convert(to: buffer, error: &error) { _, status in
                status.pointee = isGiven ? .endOfStream : .haveData
                defer { isGiven = true }
                return isGiven ? nil : sound
            }
            return status == .error ? error?.code : nil
        }
        #expect(convert(to: try Self.buffer([1], pcm)) == Int(kAudioFileUnsupportedDataFormatError))
        let tiny = AVAudioCompressedBuffer(format: aac, packetCapacity: 1, maximumPacketSize: 2)
        #expect(convert(to: tiny) == Int(kAudio_ParamError))
        // The packet that had no room is still there.
        let room = AVAudioCompressedBuffer(
            format: aac, packetCapacity: 1, maximumPacketSize: encoder.maximumOutputPacketSize)
        #expect(convert(to: room) == nil && room.packetCount == 1 && room.byteLength > 2)

        let decoder = try #require(AVAudioConverter(from: aac, to: pcm))
        let damaged = AVAudioCompressedBuffer(format: aac, packetCapacity: 1, maximumPacketSize: 64)
        damaged.data.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 64)
        damaged.packetDescriptions?[0] = AudioStreamPacketDescription(
            mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 64)
        (damaged.packetCount, damaged.byteLength) = (1, 64)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: pcm, frameCapacity: 1024))
        var error: NSError?
        let status = decoder.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return damaged
        }
        #expect(status == .error && error?.code == 0x6261_6461 && output.frameLength == 0)
        // A description that reaches beyond the bytes is none, whatever lies there.
        room.byteLength -= 1
        decoder.reset()
        error = nil
        _ = decoder.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return room
        }
        #expect(error?.code == 0x6261_6461)
    }
}
