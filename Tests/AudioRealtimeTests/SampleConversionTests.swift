import AudioRealtime
import TestSupport
import Testing

@Suite(.limited) struct SampleConversionTests {
    /// The slow reference: exact arithmetic in Double.
    private func quantized(_ sample: Float, bits: Int) -> Int64 {
        if sample.isNaN { return 0 }
        let scale = Double(Int64(1) << (bits - 1))
        return Int64(min(max((Double(sample) * scale).rounded(.toNearestOrEven), -scale), scale - 1))
    }

    private let samples: [Float] =
        [
            0, -0.0, 1, -1, 1.5, -1.5, 0.999_999_94, -0.999_999_94, .infinity, -.infinity, .nan, 0x1p-16, 0x1.8p-15,
            0x1p-17,
            -0x1p-16, 0x1p-24, -0x1.8p-23, .leastNonzeroMagnitude,
        ] + Noise.samples(5000)

    @Test func floatToIntegersRoundsAndClamps() {
        let count = samples.count
        var bytes = [UInt8](repeating: 7, count: count)
        var shorts = [Int16](repeating: 7, count: count)
        var words24 = [Int32](repeating: 7, count: count)
        var words = [Int32](repeating: 7, count: count)
        SampleConversion.uint8(from: samples, to: &bytes, count: count)
        SampleConversion.int16(from: samples, to: &shorts, count: count)
        SampleConversion.int24In32(from: samples, to: &words24, count: count)
        SampleConversion.int32(from: samples, to: &words, count: count)
        #expect(bytes == samples.map { UInt8(quantized($0, bits: 8) + 128) })
        #expect(shorts == samples.map { Int16(quantized($0, bits: 16)) })
        #expect(words24 == samples.map { Int32(quantized($0, bits: 24)) })
        #expect(words == samples.map { Int32(quantized($0, bits: 32)) })
    }

    @Test func integersOfUpTo24BitsSurviveTheTripThroughFloat() {
        let shorts = (-32768...32767).map { Int16($0) }
        var floats = [Float](repeating: .nan, count: shorts.count)
        var back = [Int16](repeating: 0, count: shorts.count)
        SampleConversion.float(fromInt16: shorts, to: &floats, count: shorts.count)
        SampleConversion.int16(from: floats, to: &back, count: shorts.count)
        #expect(back == shorts)
        #expect(floats.first == -1 && floats.last == 32767.0 / 32768)

        let words = stride(from: -(1 << 23), to: 1 << 23, by: 255).map { Int32($0) }
        var again = [Int32](repeating: 0, count: words.count)
        floats = [Float](repeating: .nan, count: words.count)
        SampleConversion.float(
            fromInt24In32: words.map { $0 & 0xFF_FFFF | 0x5A00_0000 }, to: &floats, count: words.count)
        SampleConversion.int24In32(from: floats, to: &again, count: words.count)
        #expect(again == words)

        let bytes = (0...255).map { UInt8($0) }
        var bytesBack = [UInt8](repeating: 0, count: 256)
        floats = [Float](repeating: .nan, count: 256)
        SampleConversion.float(fromUInt8: bytes, to: &floats, count: 256)
        SampleConversion.uint8(from: floats, to: &bytesBack, count: 256)
        #expect(bytesBack == bytes && floats[0] == -1 && floats[128] == 0)
    }

    @Test func int32ToFloatIsTheNearestFloat() {
        let words: [Int32] = [.min, .max, 0, 1, -1, 0x1234_5678, -0x7654_3210]
        var floats = [Float](repeating: .nan, count: words.count)
        SampleConversion.float(fromInt32: words, to: &floats, count: words.count)
        #expect(floats == words.map { Float(Double($0) / 0x1p31) })
    }

    @Test func interleavingAndBack() {
        let planes: [[Float]] = [Noise.samples(100, seed: 1), Noise.samples(100, seed: 2), Noise.samples(100, seed: 3)]
        var interleaved = [Float](repeating: 0, count: 300)
        let pointers = planes.map { plane in
            let copy = UnsafeMutablePointer<Float>.allocate(capacity: 100)
            copy.initialize(from: plane, count: 100)
            return copy
        }
        defer { pointers.forEach { $0.deallocate() } }
        SampleConversion.interleave(pointers.map { UnsafePointer($0) }, channels: 3, frames: 100, to: &interleaved)
        let expected: [Float] = (0..<300).map { (index: Int) -> Float in planes[index % 3][index / 3] }
        #expect(interleaved == expected)
        pointers.forEach { $0.update(repeating: 0, count: 100) }
        SampleConversion.deinterleave(interleaved, channels: 3, frames: 100, to: pointers)
        #expect(pointers.map { Array(UnsafeBufferPointer(start: $0, count: 100)) } == planes)
    }
}
