/// The encoding of the samples of any PCM format, and the way to Float64 and back.
///
/// An integer of n bits stands for i / 2^(n−1). The way back rounds to the nearest, ties to even, and clamps; what is no
/// number becomes 0. Float64 holds every 32-bit integer exactly.
struct PCMSamples {
    private enum Kind {
        case float32, float64
        /// Integers; `isHigh` ones stand at the upper end of their bytes.
        case integer(bits: Int, isSigned: Bool, isHigh: Bool)
    }

    private let kind: Kind
    private let bytes: Int
    private let isSwapped: Bool
    private let shape: PCMShape

    /// The samples of a description; nil if it is not PCM, or has samples of an unknown form.
    init?(_ description: AudioStreamBasicDescription) {
        guard let shape = PCMShape(description), shape.bytesPerFrame % shape.channelsPerBlock == 0 else { return nil }
        let flags = description.mFormatFlags
        let bits = Int(description.mBitsPerChannel)
        bytes = shape.bytesPerFrame / shape.channelsPerBlock
        self.shape = shape
        let isBig = flags & kAudioFormatFlagIsBigEndian != 0
        isSwapped = isBig != (kAudioFormatFlagsNativeEndian != 0)
        if flags & kAudioFormatFlagIsFloat != 0 {
            guard bits == 8 * bytes, bits == 32 || bits == 64 else { return nil }
            kind = bits == 32 ? .float32 : .float64
        } else {
            guard (1...4).contains(bytes), (1...8 * bytes).contains(bits) else { return nil }
            let isHigh = bits == 8 * bytes || flags & kAudioFormatFlagIsAlignedHigh != 0
            kind = .integer(
                bits: bits, isSigned: flags & kAudioFormatFlagIsSignedInteger != 0, isHigh: isHigh)
        }
    }

    /// The number of integer bits; nil for floating point.
    var integerBits: Int? {
        if case .integer(let bits, _, _) = kind { bits } else { nil }
    }

    /// Reads the filled frames of a buffer, interleaved.
    func read(_ buffer: AVAudioPCMBuffer) -> [Double] {
        let channels = Int(buffer.format.channelCount)
        let frames = Int(buffer.frameLength)
        var result = [Double](repeating: 0, count: frames * channels)
        for channel in 0..<channels {
            let base = UnsafeRawPointer(place(of: channel, in: buffer))
            for frame in 0..<frames {
                result[frame &* channels &+ channel] = load(base + frame &* shape.bytesPerFrame)
            }
        }
        return result
    }

    /// Writes interleaved frames into a buffer, from a frame of it on; `noise` is added in steps of the lowest bit.
    func write(
        _ samples: ArraySlice<Double>, into buffer: AVAudioPCMBuffer, at start: Int, noise: () -> Double = { 0 }
    ) {
        let channels = Int(buffer.format.channelCount)
        for (index, sample) in samples.enumerated() {
            let (frame, channel) = index.quotientAndRemainder(dividingBy: channels)
            store(
                sample, at: place(of: channel, in: buffer) + (start + frame) * shape.bytesPerFrame, noise)
        }
    }

    private func place(of channel: Int, in buffer: AVAudioPCMBuffer) -> UnsafeMutableRawPointer {
        let blocks = buffer.blocks
        return blocks.count > 1 ? blocks[channel] : blocks[0] + channel * bytes
    }

    // MARK: Samples

    private func load(_ place: UnsafeRawPointer) -> Double {
        switch kind {
        case .float32:
            let bits = place.loadUnaligned(as: UInt32.self)
            return Double(Float(bitPattern: isSwapped ? bits.byteSwapped : bits))
        case .float64:
            let bits = place.loadUnaligned(as: UInt64.self)
            return Double(bitPattern: isSwapped ? bits.byteSwapped : bits)
        case .integer(let bits, let isSigned, let isHigh):
            var word: UInt32 = 0
            for index in 0..<bytes {
                word |= UInt32(place.load(fromByteOffset: byte(index), as: UInt8.self)) << (8 * index)
            }
            word <<= UInt32(32 - (isHigh ? 8 * bytes : bits))
            return Double(Int32(bitPattern: isSigned ? word : word ^ 0x8000_0000)) * 0x1p-31
        }
    }

    private func store(_ sample: Double, at place: UnsafeMutableRawPointer, _ noise: () -> Double) {
        switch kind {
        case .float32:
            let bits = Float(sample).bitPattern
            place.storeBytes(of: isSwapped ? bits.byteSwapped : bits, as: UInt32.self)
        case .float64:
            let bits = sample.bitPattern
            place.storeBytes(of: isSwapped ? bits.byteSwapped : bits, as: UInt64.self)
        case .integer(let bits, let isSigned, let isHigh):
            let scale = Double(UInt64(1) << UInt64(bits - 1))
            let value = sample.isNaN ? 0 : (sample * scale + noise()).rounded(.toNearestOrEven)
            let integer = Int32(min(max(value, -scale), scale - 1))
            var word = UInt32(bitPattern: integer) << UInt32(32 - bits)
            if !isSigned { word ^= 0x8000_0000 }
            word >>= UInt32(32 - (isHigh ? 8 * bytes : bits))
            // The unused upper bits of a signed integer are those of its sign.
            if !isHigh && isSigned && integer < 0 { word |= ~UInt32(0) << UInt32(bits) }
            for index in 0..<bytes {
                place.storeBytes(
                    of: UInt8(truncatingIfNeeded: word >> (8 * index)), toByteOffset: byte(index), as: UInt8.self)
            }
        }
    }

    /// The offset of the byte with a weight of 256 to the power of `index`.
    private func byte(_ index: Int) -> Int {
        isSwapped != (kAudioFormatFlagsNativeEndian != 0) ? bytes - 1 - index : index
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
