/// Makes sound faster or slower and keeps its pitch, by overlapping pieces where their waveforms resemble each other.
///
/// The output is a row of pieces of the input, 50 ms long. Each is taken from where the rate says it should be, or from
/// up to 10 ms before or after that: where it goes on as the piece before would have. Nothing is resampled, so a tone
/// keeps its frequency, and an error of place is made good with the next piece: the middle of a piece is never more
/// than 10 ms from where it should be, however long the sound.
///
/// Sound is interleaved Float32. One thread at a time uses it; it allocates, and has no place on the sound thread.
package final class TimeStretch {
    /// Seconds of input for each second of output.
    package let rate: Double
    private let aligner: WaveformAligner
    /// Frames of a piece.
    private let piece: Int
    /// What was written and may still be needed, from frame `inputStart` of the input on.
    private var input: [Float] = []
    private var inputStart = 0
    private var inputEnd = 0
    /// The input's frame where the next piece should begin.
    private var next = 0.0
    /// What would have followed the last piece; empty before the first.
    private var tail: [Float] = []
    private var output: [Float]
    /// The frames of `output` that were not read yet.
    private var unread = 0..<0
    /// Frames of output made.
    private var made = 0
    /// Frames that the output will have; known when the input has ended.
    private var length: Int?

    /// A stretch of the sound whose first frame is written next.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames a second, in Hz, of input and output.
    ///   - channels: Interleaved channels of a frame.
    ///   - rate: Seconds of input for each second of output, 0.5 to 2.
    package init(sampleRate: Double, channels: Int, rate: Double) {
        self.rate = rate
        aligner = WaveformAligner(sampleRate: sampleRate, channels: channels)
        // Longer ones echo when it is slow and leave syllables out when it is fast; shorter ones make chords rough.
        piece = max(aligner.overlap + 1, Int(sampleRate * 0.05))
        output = [Float](repeating: 0, count: piece * channels)
    }

    /// Takes more input.
    package func write(_ source: UnsafePointer<Float>, frames: Int) {
        forgetInput()
        input.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * aligner.channels))
        inputEnd += frames
    }

    /// Says that no more input comes: the rest of the output can be read, frames written / ``rate`` in all.
    ///
    /// What is written afterwards all the same is not heard.
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

    /// The input's frame from which on the next piece is looked for, so that its middle is where it should be.
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
            // Beyond its end the input is silent.
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

    /// Drops what no piece can begin with any more.
    private func forgetInput() {
        let count = min(searchStart, inputEnd) - inputStart
        guard count > 0 else { return }
        input.removeFirst(count * aligner.channels)
        inputStart += count
    }
}
