import AVFAudio
import TestSupport
import Testing

extension EngineBench {
    /// An engine that leads a source through units, one after another, to the main mixer; started.
    init(
        _ units: [AVAudioUnit], rate: Double = 44_100, channels: UInt32 = 1, outputs: UInt32 = 2,
        _ sample: @escaping @Sendable (_ channel: Int, _ frame: Int) -> Float
    ) throws {
        try self.init(rate: rate, channels: outputs)
        let format = try Self.format(rate, channels)
        var nodes = [Self.node(sample) as AVAudioNode] + units
        for node in nodes { engine.attach(node) }
        nodes.append(engine.mainMixerNode)
        for (node, next) in zip(nodes, nodes.dropFirst()) { engine.connect(node, to: next, format: format) }
        try engine.start()
    }

    /// The greatest magnitudes of the next blocks of 512 frames.
    func peaks(_ blocks: Int) throws -> [Float] { try (0..<blocks).map { _ in try left(512).peak } }
}

extension [Float] {
    /// Whether each number is another one to the fourth place.
    func isAlmost(_ others: [Float]) -> Bool {
        count == others.count && zip(self, others).allSatisfy { abs($0 - $1) < 0.000_06 }
    }

    /// The greatest step from one sample to the next.
    var greatestStep: Float { zip(self, dropFirst()).map { abs($1 - $0) }.max() ?? 0 }

    /// The gain of an impulse response at a frequency, in decibels.
    func gain(_ frequency: Double, rate: Double = 44_100) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (frame, sample) in enumerated() {
            let angle = 2 * Double.pi * frequency * Double(frame) / rate
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 10 * log10(real * real + imaginary * imaginary)
    }

    /// Whether all samples are numbers.
    var isFinite: Bool { allSatisfy(\.isFinite) }
}

/// The tone of the measured numbers.
let halfTone: @Sendable (Int, Int) -> Float = { tone(440, $1, amplitude: 0.5) }

/// An impulse of 1.
let impulse: @Sendable (Int, Int) -> Float = { $1 == 0 ? 1 : 0 }
