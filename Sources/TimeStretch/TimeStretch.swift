/// A time stretcher, which changes the speed of sound and keeps its pitch, by overlapping pieces with similar
/// waveforms.
///
/// The output is a sequence of pieces of the input, 50 ms long. Each piece is taken from its nominal place, or up to 10
/// ms before or after that, where it best continues the previous piece. Nothing is resampled, so a tone keeps its
/// frequency. The next piece corrects the error of the place: the middle of a piece is never more than 10 ms from its
/// nominal place, however long the sound.
///
/// Sound is interleaved Float32. Use it on one thread at a time, and never on the sound thread, as it allocates.
package final class TimeStretch {
    /// Seconds of input for each second of output.
    package let rate: Double
    private let aligner: WaveformAligner
    /// The frames of a piece.
    private let piece: Int
    /// The written frames that may still be needed, from frame `inputStart` of the input on.
    private var input: [Float] = []
    private var inputStart = 0
    private var inputEnd = 0
    /// The input frame at which the next piece should begin.
    private var next = 0.0
    /// The frames that followed the last piece in the input; empty before the first.
    private var tail: [Float] = []
    private var output: [Float]
    /// The frames of `output` that were not read yet.
    private var unread = 0..<0
    /// The number of output frames created.
    private var made = 0
    /// The total number of output frames; nil before the end of the input.
    private var length: Int?

    /// Creates a stretcher; the first written frame is the first of the sound.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames a second, in Hz, of input and output.
    ///   - channels: Interleaved channels of a frame.
    ///   - rate: Seconds of input for each second of output, 0.5 to 2.
    package init(sampleRate: Double, channels: Int, rate: Double) {
        self.rate = rate
        aligner = WaveformAligner(sampleRate: sampleRate, channels: channels)
        // Longer pieces echo at low rates and drop syllables at high ones; shorter ones make chords rough.
        piece = max(aligner.overlap + 1, Int(sampleRate * 0.05))
        output = [Float](repeating: 0, count: piece * channels)
    }

    /// Adds input.
    package func write(_ source: UnsafePointer<Float>, frames: Int) {
        forgetInput()
        input.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * aligner.channels))
        inputEnd += frames
    }

    /// Ends the input: the rest of the output can be read, frames written / ``rate`` in all.
    ///
    /// Later input is ignored.
    package func finish() {
        if length == nil { length = Int((Double(inputEnd) / rate).rounded()) }
    }

    /// Reads up to `frames` frames and returns how many: fewer if more input is needed, or at the end after
    /// ``finish()``.
    package func read(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let channels = aligner.channels
        var done = 0
        while done < frames {
            if unread.isEmpty && !makePiece() { break }
            let count = min(unread.count, frames - done)
            output.withUnsafeBufferPointer { output in
                guard let start = output.baseAddress else { return }
                (destination + done * channels).update(
                    from: start + unread.lowerBound * channels, count: count * channels)
            }
            unread = unread.lowerBound + count..<unread.upperBound
            done += count
        }
        return done
    }

    /// The first input frame to search for the next piece, so that the middle of the piece is near its nominal place.
    private var searchStart: Int {
        let shift = Double(piece) * (rate - 1) / 2
        return tail.isEmpty ? 0 : max(inputStart, Int((next + shift).rounded()) - aligner.reach / 2)
    }

    private func makePiece() -> Bool {
        if let length, made >= length { return false }
        let channels = aligner.channels
        let wanted = searchStart + aligner.reach + piece + aligner.overlap
        if inputEnd < wanted {
            guard length != nil else { return false }
            // The input is silent beyond its end.
            let missing = (wanted - inputStart) * channels - input.count
            if missing > 0 { input.append(contentsOf: repeatElement(0, count: missing)) }
        }
        input.withUnsafeBufferPointer { input in
            guard let start = input.baseAddress.map({ $0 + (searchStart - inputStart) * channels }) else { return }
            let first = tail.isEmpty ? start : start + aligner.bestPlace(of: tail, in: start) * channels
            output.withUnsafeMutableBufferPointer { output in
                guard let output = output.baseAddress else { return }
                output.update(from: first, count: piece * channels)
                if !tail.isEmpty { aligner.crossfade(from: tail, to: first, into: output) }
            }
            tail = Array(UnsafeBufferPointer(start: first + piece * channels, count: aligner.overlap * channels))
        }
        next += Double(piece) * rate
        unread = 0..<min(piece, (length ?? .max) - made)
        made += unread.count
        return true
    }

    /// Drops the input frames before the next search.
    private func forgetInput() {
        let count = min(searchStart, inputEnd) - inputStart
        guard count > 0 else { return }
        input.removeFirst(count * aligner.channels)
        inputStart += count
    }
}
