package import Foundation

/// A sound that tests play: 16-bit samples, interleaved, that can be written to a WAV file without any library.
package struct TestSignal: Sendable {
    /// In Hz.
    package let sampleRate: Int
    /// The number of channels.
    package let channels: Int
    /// Interleaved samples.
    package let samples: [Int16]

    /// The number of frames.
    package var frames: Int { samples.count / channels }

    /// Takes interleaved samples.
    package init(samples: [Int16], sampleRate: Int = 44_100, channels: Int = 2) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.channels = channels
    }

    private init(seconds: Double, sampleRate: Int, channels: Int, _ sample: (_ frame: Int, _ channel: Int) -> Int16) {
        let total = Int((seconds * Double(sampleRate)).rounded()) * channels
        // An empty one is made otherwise for ThreadSanitizer's sake, see `Recording.split`.
        let samples =
            total == 0
            ? []
            : [Int16](unsafeUninitializedCapacity: total) { samples, count in
                for index in 0..<total { samples[index] = sample(index / channels, index % channels) }
                count = total
            }
        self.init(samples: samples, sampleRate: sampleRate, channels: channels)
    }

    /// A sine on all channels; `level` is its peak in dBFS (its RMS level is 3.01 dB lower).
    package static func sine(
        frequency: Double = 1_000, level: Double = -12, seconds: Double, sampleRate: Int = 44_100, channels: Int = 2
    ) -> TestSignal {
        let step = 2 * Double.pi * frequency / Double(sampleRate)
        let amplitude = pow(10, level / 20) * 32_767
        return TestSignal(seconds: seconds, sampleRate: sampleRate, channels: channels) { frame, _ in
            Int16((sin(step * Double(frame)) * amplitude).rounded())
        }
    }

    /// White noise over the full range, the same for the same seed.
    package static func noise(
        seed: UInt64 = 1, seconds: Double, sampleRate: Int = 44_100, channels: Int = 2
    ) -> TestSignal {
        var state = seed
        return TestSignal(seconds: seconds, sampleRate: sampleRate, channels: channels) { _, _ in
            // Knuth's linear congruential generator; its upper bits are good noise.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int16(truncatingIfNeeded: state >> 48)
        }
    }

    /// Frames that count: each of the first 2^30 is unique, and `position(left:right:)` reads its number back.
    ///
    /// The first channel holds the lower 15 bits, the others the upper ones, so that all samples are positive.
    package static func counter(
        from first: Int = 0, seconds: Double, sampleRate: Int = 44_100, channels: Int = 2
    ) -> TestSignal {
        TestSignal(seconds: seconds, sampleRate: sampleRate, channels: channels) { frame, channel in
            let number = first + frame
            return Int16(truncatingIfNeeded: (channel == 0 ? number : number >> 15) & 0x7fff)
        }
    }

    /// The number of a frame of `counter`.
    package static func position(left: Int16, right: Int16) -> Int {
        Int(right) << 15 | Int(left)
    }

    /// Nothing but zeros.
    package static func silence(seconds: Double, sampleRate: Int = 44_100, channels: Int = 2) -> TestSignal {
        TestSignal(seconds: seconds, sampleRate: sampleRate, channels: channels) { _, _ in 0 }
    }

    /// One sound after the other; both have the same rate and channels.
    package static func + (first: TestSignal, second: TestSignal) -> TestSignal {
        TestSignal(samples: first.samples + second.samples, sampleRate: first.sampleRate, channels: first.channels)
    }

    /// Little-endian samples, as those of all machines that this runs on are, without any header.
    package var rawData: Data { samples.withUnsafeBytes { Data($0) } }

    /// A WAV file: the 44 bytes of a PCM header, then the samples.
    package var wavData: Data {
        let body = rawData
        var header = Data()
        func add(_ text: String) { header.append(contentsOf: text.utf8) }
        func add(_ value: Int, bytes: Int) {
            for byte in 0..<bytes { header.append(UInt8(value >> (8 * byte) & 0xff)) }
        }
        add("RIFF")
        add(36 + body.count, bytes: 4)
        add("WAVEfmt ")
        add(16, bytes: 4)
        add(1, bytes: 2)
        add(channels, bytes: 2)
        add(sampleRate, bytes: 4)
        add(sampleRate * channels * 2, bytes: 4)
        add(channels * 2, bytes: 2)
        add(16, bytes: 2)
        add("data")
        add(body.count, bytes: 4)
        return header + body
    }

    /// Writes `wavData` to a file and returns its address.
    @discardableResult
    package func writeWAV(to file: URL) throws -> URL {
        try wavData.write(to: file)
        return file
    }
}
