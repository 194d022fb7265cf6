/// Samples that are no sound: what is not a number, infinite, or more than 120 dB above full scale.
///
/// Float files hold them when they are damaged, of the other byte order, or were written by a program that divided by zero. One
/// of them spoils all that a resampler or a mix makes of it, and no volume lowers it: it would be heard at full scale.
enum SoundlessSamples {
    /// The highest absolute value that is taken for a sample.
    static let limit: Float = 1_048_576

    /// Makes them silence, in place.
    static func silence(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        // Without a branch, so that it is done for several samples at once.
        for index in 0..<count { samples[index] = abs(samples[index]) <= limit ? samples[index] : 0 }
    }
}
