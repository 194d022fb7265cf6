import AVFAudio
import Foundation
import TestSupport
import Testing

private typealias Bench = ConverterBench

/// Conversions at one rate: encodings, channels, errors.
@Suite("AVAudioConverter, at one rate", .limited)
struct AVAudioConverterTests {
    private func failure(_ call: () throws -> Void) -> NSError? {
        do { try call() } catch { return error as NSError }
        return nil
    }

    /// A PCM format of any width, order and sign.
    private func format(bits: UInt32, bytes: UInt32, flags: AudioFormatFlags, channels: UInt32 = 2) throws
        -> AVAudioFormat
    {
        var description = AudioStreamBasicDescription(
            mSampleRate: 48000, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags,
            mBytesPerPacket: bytes * channels, mFramesPerPacket: 1, mBytesPerFrame: bytes * channels,
            mChannelsPerFrame: channels, mBitsPerChannel: bits, mReserved: 0)
        return try #require(AVAudioFormat(streamDescription: &description))
    }

    @Test("E177: any pair of PCM formats has a converter; unknown formats, no rate and odd samples have none")
    func pairs() throws {
        let formats = [
            try Bench.format(48000, 2), try Bench.format(8000, 1, .pcmFormatInt16, interleaved: true),
            try Bench.format(48000, 1, .pcmFormatFloat64), try Bench.format(44100, 2, .pcmFormatInt32),
            try format(bits: 24, bytes: 3, flags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked),
            try format(bits: 8, bytes: 1, flags: kAudioFormatFlagIsPacked),
            try format(bits: 64, bytes: 8, flags: kAudioFormatFlagIsFloat | kAudioFormatFlagIsBigEndian),
        ]
        for from in formats { for to in formats { #expect(AVAudioConverter(from: from, to: to) != nil) } }
        var description = formats[0].streamDescription.pointee
        description.mSampleRate = 0
        let still = try #require(AVAudioFormat(streamDescription: &description))
        description.mSampleRate = 48000
        description.mFormatID = kAudioFormatiLBC
        let iLBC = try #require(AVAudioFormat(streamDescription: &description))
        let odd = try format(bits: 12, bytes: 1, flags: kAudioFormatFlagIsSignedInteger)
        for wrong in [still, iLBC, odd] {
            #expect(AVAudioConverter(from: wrong, to: formats[0]) == nil)
            #expect(AVAudioConverter(from: formats[0], to: wrong) == nil)
        }
    }

    @Test(
        "E177: integers of every width, order, sign and place go to Float64 and back unchanged",
        arguments: [(8, 1), (16, 2), (24, 3), (32, 4), (24, 4), (20, 3), (12, 2)] as [(UInt32, UInt32)],
        [0, kAudioFormatFlagIsBigEndian, kAudioFormatFlagIsAlignedHigh])
    func widths(width: (bits: UInt32, bytes: UInt32), extra: AudioFormatFlags) throws {
        let double = try Bench.format(48000, 2, .pcmFormatFloat64, interleaved: true)
        let values = integerNoise(2 * 500, bits: Int(width.bits)).map { Double($0) * 0x1p-31 }
        let source = try Bench.buffer(double, values)
        for sign in [kAudioFormatFlagIsSignedInteger, 0] {
            let packed = try format(bits: width.bits, bytes: width.bytes, flags: sign | extra)
            let middle = try #require(AVAudioPCMBuffer(pcmFormat: packed, frameCapacity: 500))
            try Bench.converter(double, packed).convert(to: middle, from: source)
            let back = try #require(AVAudioPCMBuffer(pcmFormat: double, frameCapacity: 500))
            try Bench.converter(packed, double).convert(to: back, from: middle)
            #expect(back.frames(Double.self).elementsEqual(values))
        }
    }

    @Test("E177: the bytes are those of the format: order, place and sign")
    func bytes() throws {
        let double = try Bench.format(48000, 1, .pcmFormatFloat64)
        let source = try Bench.buffer(double, [0.5, -1.0])
        let signed = kAudioFormatFlagIsSignedInteger
        let cases: [(UInt32, UInt32, AudioFormatFlags, [UInt8])] = [
            (16, 2, signed, [0x00, 0x40, 0x00, 0x80]),
            (16, 2, signed | kAudioFormatFlagIsBigEndian, [0x40, 0x00, 0x80, 0x00]),
            (8, 1, 0, [0xC0, 0x00]),
            (24, 4, signed, [0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x80, 0xFF]),
            (24, 4, signed | kAudioFormatFlagIsAlignedHigh, [0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x80]),
        ]
        for (bits, bytes, flags, expected) in cases {
            let target = try format(bits: bits, bytes: bytes, flags: flags, channels: 1)
            let output = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 2))
            try Bench.converter(double, target).convert(to: output, from: source)
            #expect(output.frames(UInt8.self).count == 2)
            let written = UnsafeBufferPointer<UInt8>(output.audioBufferList.pointee.mBuffers)
            #expect(Array(written) == expected, "\(bits) bits in \(bytes) bytes, flags \(flags)")
        }
    }

    @Test("E178: one call converts a buffer at one rate, exactly, and rounds to the nearest where it must")
    func oneShot() throws {
        let float = try Bench.format(48000, 2)
        let integer = try Bench.format(48000, 2, .pcmFormatInt16, interleaved: true)
        let source = try Bench.buffer(float, [0.5, -0.5, 1, -1, 2, -2, .nan, Float(0.6 / 32768)])
        let output = try #require(AVAudioPCMBuffer(pcmFormat: integer, frameCapacity: 10))
        try Bench.converter(float, integer).convert(to: output, from: source)
        #expect(output.frameLength == 4)
        #expect(output.frames(Int16.self).elementsEqual([16384, -16384, 32767, -32768, 32767, -32768, 0, 1]))
    }

    @Test("E178: another rate, other formats and too little room throw −50 and leave the output empty")
    func oneShotRefused() throws {
        let from = try Bench.format(48000, 1)
        let other = try Bench.format(44100, 1)
        let source = try Bench.buffer(from, Bench.tone(100, 48000))
        let wide = try #require(AVAudioPCMBuffer(pcmFormat: from, frameCapacity: 100))
        let narrow = try #require(AVAudioPCMBuffer(pcmFormat: from, frameCapacity: 99))
        let slow = try #require(AVAudioPCMBuffer(pcmFormat: other, frameCapacity: 200))
        let same = try Bench.converter(from, from)
        for buffer in [wide, narrow, slow] { buffer.frameLength = 50 }
        for (converter, output, input) in [
            (try Bench.converter(from, other), slow, source), (same, narrow, source), (same, slow, source),
            (same, wide, slow),
        ] {
            let error = try #require(failure { try converter.convert(to: output, from: input) })
            #expect(error.domain == NSOSStatusErrorDomain && error.code == -50)
            #expect(output.frameLength == 0)
        }
    }

    @Test("E185: without a map stereo becomes its left channel, and with downmix the mean")
    func downmix() throws {
        let stereo = try Bench.format(48000, 2)
        let mono = try Bench.format(48000, 1)
        let converter = try Bench.converter(stereo, mono)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 3))
        let source = try Bench.buffer(stereo, [0.8, 0.2, 0.8, 0.2, 0.8, 0.2] as [Float])
        #expect(converter.channelMap == [0] && !converter.downmix)
        try converter.convert(to: output, from: source)
        #expect(output.frames(Float.self).elementsEqual([0.8, 0.8, 0.8]))
        converter.downmix = true
        try converter.convert(to: output, from: source)
        #expect(output.frames(Float.self).elementsEqual([0.5, 0.5, 0.5]))
        // A map says exactly what is wanted.
        converter.channelMap = [1]
        try converter.convert(to: output, from: source)
        #expect(output.frames(Float.self).elementsEqual([0.2, 0.2, 0.2]))
    }

    @Test("E185: a map names the input of each output, −1 is silence, and an impossible one becomes the default")
    func maps() throws {
        let stereo = try Bench.format(48000, 2, interleaved: true)
        let converter = try Bench.converter(stereo, stereo)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: stereo, frameCapacity: 2))
        let source = try Bench.buffer(stereo, [0.5, 0.25, -0.5, -0.25] as [Float])
        for (map, expected) in [
            ([1, 0], [0.25, 0.5, -0.25, -0.5]), ([-1, 0], [0, 0.5, 0, -0.5]), ([1, 1], [0.25, 0.25, -0.25, -0.25]),
        ] as [([NSNumber], [Float])] {
            converter.channelMap = map
            #expect(converter.channelMap == map)
            try converter.convert(to: output, from: source)
            #expect(output.frames(Float.self).elementsEqual(expected))
        }
        for wrong in [[2, 0], [0], [0, 1, 1], [-2, 0]] as [[NSNumber]] {
            converter.channelMap = [1, 0]
            converter.channelMap = wrong
            #expect(converter.channelMap == [0, 1])
        }
        #expect(try Bench.converter(Bench.format(48000, 1), stereo).channelMap == [0, 0])
    }

    @Test("E186: the level stays: 0.5 is 0.5, also from one channel to two")
    func level() throws {
        let mono = try Bench.format(48000, 1)
        let stereo = try Bench.format(48000, 2)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: stereo, frameCapacity: 2))
        try Bench.converter(mono, stereo).convert(to: output, from: Bench.buffer(mono, [0.5, -0.5] as [Float]))
        #expect(output.frames(Float.self).elementsEqual([0.5, 0.5, -0.5, -0.5]))
    }

    @Test("1.10: dither keeps what is below one step, on average, and is the same after a reset")
    func dither() throws {
        let float = try Bench.format(48000, 1)
        let integer = try Bench.format(48000, 1, .pcmFormatInt16)
        let converter = try Bench.converter(float, integer)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: integer, frameCapacity: 20_000))
        let source = try Bench.buffer(float, [Float](repeating: 0.3 / 32768, count: 20_000))
        #expect(!converter.dither)
        try converter.convert(to: output, from: source)
        #expect(output.frames(Int16.self).allSatisfy { $0 == 0 })
        converter.dither = true
        try converter.convert(to: output, from: source)
        let first = output.frames(Int16.self)
        let mean = Double(first.map(Int.init).reduce(0, +)) / 20_000
        #expect(abs(mean - 0.3) < 0.03 && first.allSatisfy { abs($0) <= 1 }, "\(mean)")
        converter.reset()
        try converter.convert(to: output, from: source)
        #expect(output.frames(Int16.self).elementsEqual(first))
        // Where no bit is lost, nothing is added.
        let exact = try Bench.converter(integer, Bench.format(48000, 1, .pcmFormatInt32))
        exact.dither = true
        let wide = try #require(AVAudioPCMBuffer(pcmFormat: exact.outputFormat, frameCapacity: 3))
        try exact.convert(to: wide, from: Bench.buffer(integer, [1, -2, 3] as [Int16]))
        #expect(wide.frames(Int32.self).elementsEqual([0x1_0000, -0x2_0000, 0x3_0000]))
    }
}
