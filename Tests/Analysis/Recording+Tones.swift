import Foundation

extension Recording {
    /// The frequency of a tone in Hz, to 0.1 Hz for half a second of it; nil if there are not two periods.
    ///
    /// It is the mean of the periods between upward crossings of zero, each found between two samples by interpolation.
    /// Periods that differ from the middle one by more than a twentieth are left out: a busy machine breaks a tone now
    /// and then, which is a matter of `gaps` and `discontinuities`, and no other tone. A hundredth of the peak must be
    /// passed between two crossings, so that noise around zero does not count.
    package func frequency(_ range: Range<Int>? = nil, channel: Int = 0) -> Double? {
        let crossings = upwardCrossings(clamped(range), channels[channel])
        let periods = zip(crossings, crossings.dropFirst()).map { $1 - $0 }.sorted()
        guard periods.count > 1 else { return nil }
        let middle = periods[periods.count / 2]
        let whole = periods.filter { abs($0 - middle) <= middle / 20 }
        return Double(whole.count) * Double(sampleRate) / whole.reduce(0, +)
    }

    private func upwardCrossings(_ range: Range<Int>, _ samples: [Float]) -> [Double] {
        let margin = samples[range].reduce(0) { max($0, abs($1)) } / 100
        var crossings: [Double] = []
        var isArmed = false
        for frame in range.dropFirst() where margin > 0 {
            let before = samples[frame - 1]
            let after = samples[frame]
            if before < -margin { isArmed = true }
            guard isArmed, before < 0, after >= 0 else { continue }
            isArmed = false
            crossings.append(Double(frame - 1) + Double(before / (before - after)))
        }
        return crossings
    }

    /// The peak level of one frequency within the sound, in dBFS (Goertzel's algorithm).
    package func level(ofFrequency frequency: Double, _ range: Range<Int>? = nil, channel: Int = 0) -> Double {
        let range = clamped(range)
        let step = 2 * Double.pi * frequency / Double(sampleRate)
        let factor = 2 * cos(step)
        var previous = 0.0
        var beforeThat = 0.0
        for frame in range {
            let next = Double(channels[channel][frame]) + factor * previous - beforeThat
            beforeThat = previous
            previous = next
        }
        let power = previous * previous + beforeThat * beforeThat - factor * previous * beforeThat
        return 20 * log10(2 * power.squareRoot() / Double(max(range.count, 1)))
    }

    /// The frames at which a steady tone is broken: by a click, a hole, repeated or lost frames.
    ///
    /// Three neighbours of a sine fulfil x[n+1] + x[n−1] = 2 cos(ω) x[n]; what is left over is the break. `tolerance`
    /// is in parts of full scale. Breaks closer together than a millisecond count as one. Without a range, the first
    /// and last five milliseconds of the sound are left out: starting and ending are breaks too.
    package func discontinuities(
        frequency: Double, tolerance: Float = 0.01, in range: Range<Int>? = nil, channel: Int = 0
    ) -> [Int] {
        let edge = sampleRate / 200
        guard
            let range = range
                ?? soundRange().map({ $0.lowerBound + edge..<max($0.lowerBound + edge, $0.upperBound - edge) })
        else { return [] }
        let samples = channels[channel]
        let factor = Float(2 * cos(2 * Double.pi * frequency / Double(sampleRate)))
        var found: [Int] = []
        for frame in range.clamped(to: 1..<max(frames - 1, 1)) {
            let left = samples[frame + 1] + samples[frame - 1] - factor * samples[frame]
            guard abs(left) > tolerance else { continue }
            if let last = found.last, frame - last < sampleRate / 1_000 { continue }
            found.append(frame)
        }
        return found
    }

    /// The frame at which an exact copy of interleaved 16-bit frames begins; nil if there is none.
    ///
    /// For bit-exactness: play noise, and look for all of it.
    package func firstFrame(of sequence: [Int16], from first: Int = 0) -> Int? {
        let count = channels.count
        guard sequence.count >= count, sequence.count <= pcm16.count else { return nil }
        return pcm16.withUnsafeBufferPointer { heard in
            sequence.withUnsafeBufferPointer { wanted in
                var position = first * count
                let end = heard.count - wanted.count
                while position <= end {
                    // The first sample sorts out nearly all positions.
                    if heard[position] == wanted[0], isEqual(heard, position, wanted) { return position / count }
                    position += count
                }
                return nil
            }
        }
    }

    /// The positions that a recording of `TestSignal.counter` holds, one per frame in `range`; stereo only.
    package func counterPositions(_ range: Range<Int>? = nil) -> [Int] {
        clamped(range).map { TestSignal.position(left: pcm16[2 * $0], right: pcm16[2 * $0 + 1]) }
    }

    private func isEqual(
        _ heard: UnsafeBufferPointer<Int16>, _ position: Int, _ wanted: UnsafeBufferPointer<Int16>
    ) -> Bool {
        guard let start = heard.baseAddress, let other = wanted.baseAddress else { return false }
        return memcmp(start + position, other, wanted.count * MemoryLayout<Int16>.size) == 0
    }
}
