/// A search for the place where one piece of sound best continues another one, so that both can be joined without a
/// click.
///
/// Sound is interleaved Float32.
package struct WaveformAligner: Sendable {
    /// Interleaved channels of a frame.
    package let channels: Int
    /// The frames over which two pieces are crossfaded: 10 ms.
    package let overlap: Int
    /// The frames in which the best place is searched: 20 ms, a period of the lowest notes.
    package let reach: Int
    /// The frames between the places of the first search, half a period of 3 kHz.
    ///
    /// The best of them are then refined frame by frame.
    private let step: Int

    /// Creates an aligner for sound of the given rate in Hz.
    package init(sampleRate: Double, channels: Int) {
        self.channels = channels
        overlap = max(1, Int(sampleRate * 0.010))
        reach = max(2, Int(sampleRate * 0.020))
        step = max(1, Int(sampleRate / 6000))
    }

    /// The frame of `input`, from 0 to ``reach``, from which it best resembles `tail`; the middle without any
    /// resemblance.
    ///
    /// `tail` has ``overlap`` frames, `input` ``reach`` + ``overlap``.
    package func bestPlace(of tail: UnsafePointer<Float>, in input: UnsafePointer<Float>) -> Int {
        let coarse = stride(from: 0, through: reach, by: step).map {
            (place: $0, likeness: likeness(tail, input + $0 * channels))
        }
        var best = (place: reach / 2, likeness: likeness(tail, input + reach / 2 * channels))
        for candidate in coarse where candidate.likeness > best.likeness { best = candidate }
        // A tone matches at many places, and at one of them almost exactly; refining the best few is enough.
        let limit = best.likeness * 0.95
        let few = coarse.filter { $0.likeness > 0 && $0.likeness >= limit }.sorted { $0.likeness > $1.likeness }.prefix(
            6)
        for candidate in few {
            for place in max(0, candidate.place - step + 1)..<min(reach, candidate.place + step - 1) + 1 {
                let likeness = likeness(tail, input + place * channels)
                if likeness > best.likeness { best = (place, likeness) }
            }
        }
        return best.place
    }

    /// Fades from `tail` to `input` within ``overlap`` frames.
    ///
    /// The two gains add up to 1, since aligned waveforms add up in amplitude; their slope is 0 at both ends.
    package func crossfade(
        from tail: UnsafePointer<Float>, to input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
    ) {
        for frame in 0..<overlap {
            let part = (Float(frame) + 0.5) / Float(overlap)
            let gain = part * part * (3 - 2 * part)
            for index in frame * channels..<(frame + 1) * channels {
                output[index] = tail[index] + gain * (input[index] - tail[index])
            }
        }
    }

    /// The correlation of two pieces, divided by the second one's loudness.
    ///
    /// Each sum is computed in two parts, so that the processor does not wait for every addition.
    private func likeness(_ tail: UnsafePointer<Float>, _ piece: UnsafePointer<Float>) -> Float {
        var (product, otherProduct): (Float, Float) = (0, 0)
        var (energy, otherEnergy): (Float, Float) = (1e-9, 0)
        let count = overlap * channels
        var index = 0
        while index + 1 < count {
            let (first, second) = (piece[index], piece[index &+ 1])
            product += tail[index] * first
            otherProduct += tail[index &+ 1] * second
            energy += first * first
            otherEnergy += second * second
            index &+= 2
        }
        return (product + otherProduct) / (energy + otherEnergy).squareRoot()
    }
}
