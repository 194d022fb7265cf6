import AVFAudio
import Synchronization

/// A voice: a tone that fades away, made by the function of a source node.
final class SynthVoice {
    /// The seconds in which a tone fades to a thousandth.
    private static let fall = 1.5

    /// The source node, to be connected to a mixer.
    let node: AVAudioSourceNode
    private let order = Order()

    /// The note that was struck last, for the thread that renders, which must not wait for a lock.
    private final class Order: Sendable {
        /// The number of strokes, and the note in the lowest 8 bits.
        let word = Atomic<Int>(0)
    }

    /// A silent voice for a rate in Hz.
    init(rate: Double, format: AVAudioFormat) {
        let order = order
        var (seen, phase, step, level) = (0, 0.0, 0.0, 0.0)
        let decay = pow(0.001, 1 / (Self.fall * rate))
        // Called on the engine's sound thread: it neither waits nor allocates.
        node = AVAudioSourceNode(format: format) { isSilence, _, frames, data in
            let word = order.word.load(ordering: .acquiring)
            if word != seen {
                seen = word
                (phase, level) = (0, 0.3)
                step = 2 * Double.pi * 440 * pow(2, Double(word & 0xff - 69) / 12) / rate
            }
            guard let samples = UnsafeMutableAudioBufferListPointer(data).first?.mData else { return noErr }
            isSilence.pointee = ObjCBool(level < 1e-5)
            let block = samples.assumingMemoryBound(to: Float.self)
            for frame in 0..<Int(frames) {
                block[frame] = Float(level * (sin(phase) + 0.3 * sin(2 * phase)))
                phase += step
                level *= decay
            }
            return noErr
        }
    }

    /// Strikes a note, by its MIDI number; what sounded ends.
    func strike(_ note: Int) {
        let strokes = order.word.load(ordering: .relaxed) >> 8
        order.word.store((strokes + 1) << 8 | (note & 0xff), ordering: .releasing)
    }
}
