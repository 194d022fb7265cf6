/// Conversion between integer and floating-point samples, and between interleaved and planar ones.
///
/// An n-bit integer i stands for i / 2^(n−1), so full scale is −1 ... 1 − 2^(1−n) and integers up to 24 bits survive a
/// trip through Float32 unchanged. The way back rounds to the nearest integer (ties to even) and clamps; NaN becomes 0.
/// `count` counts samples: frames times channels. All are for any thread, the sound thread included.
package enum SampleConversion {
    /// Converts unsigned 8-bit samples (128 is silence).
    @_noLocks
    package static func float(
        fromUInt8 source: UnsafePointer<UInt8>, to destination: UnsafeMutablePointer<Float>, count: Int
    ) {
        for index in 0..<count { destination[index] = Float(Int(source[index]) &- 128) * 0x1p-7 }
    }

    /// Converts 16-bit samples.
    @_noLocks
    package static func float(
        fromInt16 source: UnsafePointer<Int16>, to destination: UnsafeMutablePointer<Float>, count: Int
    ) {
        for index in 0..<count { destination[index] = Float(source[index]) * 0x1p-15 }
    }

    /// Converts 24-bit samples in the low bits of 32-bit words; the upper byte is ignored.
    @_noLocks
    package static func float(
        fromInt24In32 source: UnsafePointer<Int32>, to destination: UnsafeMutablePointer<Float>, count: Int
    ) {
        for index in 0..<count { destination[index] = Float((source[index] &<< 8) &>> 8) * 0x1p-23 }
    }

    /// Converts 32-bit samples; Float32 keeps the upper 24 bits of the loudest ones.
    @_noLocks
    package static func float(
        fromInt32 source: UnsafePointer<Int32>, to destination: UnsafeMutablePointer<Float>, count: Int
    ) {
        for index in 0..<count { destination[index] = Float(source[index]) * 0x1p-31 }
    }

    /// Converts to unsigned 8-bit samples (128 is silence).
    @_noLocks
    package static func uint8(
        from source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        for index in 0..<count {
            destination[index] = UInt8(truncatingIfNeeded: quantized(source[index], scale: 0x1p7) &+ 128)
        }
    }

    /// Converts to 16-bit samples.
    @_noLocks
    package static func int16(
        from source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Int16>, count: Int
    ) {
        for index in 0..<count {
            destination[index] = Int16(truncatingIfNeeded: quantized(source[index], scale: 0x1p15))
        }
    }

    /// Converts to 24-bit samples in the low bits of 32-bit words, sign-extended.
    @_noLocks
    package static func int24In32(
        from source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Int32>, count: Int
    ) {
        for index in 0..<count { destination[index] = quantized(source[index], scale: 0x1p23) }
    }

    /// Converts to 32-bit samples.
    @_noLocks
    package static func int32(
        from source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Int32>, count: Int
    ) {
        for index in 0..<count { destination[index] = quantized(source[index], scale: 0x1p31) }
    }

    /// Joins planar channels into interleaved frames.
    @_noLocks
    package static func interleave(
        _ planes: UnsafePointer<UnsafePointer<Float>>, channels: Int, frames: Int,
        to destination: UnsafeMutablePointer<Float>
    ) {
        for channel in 0..<channels {
            let plane = planes[channel]
            for frame in 0..<frames { destination[frame &* channels &+ channel] = plane[frame] }
        }
    }

    /// Splits interleaved frames into planar channels.
    @_noLocks
    package static func deinterleave(
        _ source: UnsafePointer<Float>, channels: Int, frames: Int,
        to planes: UnsafePointer<UnsafeMutablePointer<Float>>
    ) {
        for channel in 0..<channels {
            let plane = planes[channel]
            for frame in 0..<frames { plane[frame] = source[frame &* channels &+ channel] }
        }
    }

    /// Returns `sample · scale` as the nearest integer, at least −scale and at most scale − 1.
    @_noLocks
    private static func quantized(_ sample: Float, scale: Double) -> Int32 {
        if sample != sample { return 0 }
        let clamped = min(max(Double(sample) * scale, -scale), scale - 1)
        // Adding 1.5 · 2^52 leaves no bit for a fraction: the processor rounds, and the low bits of the sum are the
        // integer in two's complement. A plain rounding call would leave the module, which @_noLocks refuses.
        return Int32(truncatingIfNeeded: (clamped + 0x1.8p52).bitPattern)
    }
}
