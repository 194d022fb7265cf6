/// Replaces NaN, infinite and absurdly large samples (over +120 dBFS) by 0.
///
/// Float files hold such samples when they are damaged, of the other byte order, or were written by a program that
/// divided by zero. A single one spoils the output of a resampler or a mix, and no volume lowers it.
enum NonFiniteSamples {
    /// The highest absolute value that is taken for a sample.
    static let limit: Float = 1_048_576

    /// Makes them silence, in place.
    static func silence(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        // Without a branch, so that it is done for several samples at once.
        for index in 0..<count { samples[index] = abs(samples[index]) <= limit ? samples[index] : 0 }
    }

    /// Makes them silence, in place.
    static func silence(_ samples: UnsafeMutablePointer<Double>, count: Int) {
        for index in 0..<count { samples[index] = abs(samples[index]) <= Double(limit) ? samples[index] : 0 }
    }
}
