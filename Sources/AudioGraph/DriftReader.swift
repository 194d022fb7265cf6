/// Reads a window at the pace of another clock.
///
/// A filter converts by the ratio of a ``DriftControl``, which holds the sound that waits at a target. The output is late by
/// the target and 32 frames. It begins when the target waits. When too little waits, it fades out within the block and
/// starts again with 1.5 times the target, up to 150 ms; when 150 ms more than the target wait, it fades out, and drops what
/// is beyond the target.
// SAFETY: the constants are set once; all else belongs to the render side of one program at a time.
package final class DriftReader: @unchecked Sendable {
    private enum Phase { case waiting, opening, running }

    /// The taps on each side of a frame.
    private static let half = 32
    private static let taps = 2 * half
    private static let phases = 512
    /// The filter's rows, made with the first reader.
    private static let coefficients = [Float](unsafeUninitializedCapacity: (phases + 1) * taps) { table, count in
        guard let first = table.baseAddress else { return }
        Resampler.design(first, phases: phases, half: half, cutoff: 0.94, beta: 9)
        count = (phases + 1) * taps
    }
    /// The most frames of a piece, which is also the length of a fade.
    private static let piece = 512

    /// The breaks until now: too little waited, or far too much.
    package private(set) var breaks = 0
    /// The control, for tests.
    package private(set) var control: DriftControl

    private let window: TapBuffer
    private let rate: Double
    private var target: Int
    private let longestTarget: Int
    /// The frames beyond the target that are too many.
    private let excess: Int
    private var phase = Phase.waiting
    /// The place of the next frame behind the first one of the work, less than 1.
    private var place = 0.0
    /// The last frames and the next ones of each channel.
    private let work: UnsafeMutablePointer<Float>
    private static let room = taps + piece + piece / 8

    /// A reader of a window.
    ///
    /// - Parameters:
    ///   - rate: The rate of the sound in Hz.
    ///   - target: The sound that is to wait until the first break, in seconds.
    package init(_ window: TapBuffer, rate: Double, target: Double) {
        self.window = window
        self.rate = rate
        self.target = Int((target * rate).rounded())
        longestTarget = max(self.target, Int((0.15 * rate).rounded()))
        excess = Int((0.15 * rate).rounded())
        control = DriftControl(target: target)
        // Not on the render side, which may not wait for them.
        _ = Self.coefficients.count
        work = .allocate(capacity: window.channels * Self.room)
        work.initialize(repeating: 0, count: window.channels * Self.room)
    }

    deinit { work.deallocate() }

    /// Writes the next frames, in as many channels as the window has.
    package func read(into samples: Samples, frames: Int) {
        var done = 0
        while done < frames {
            let count = min(frames - done, Self.piece)
            readPiece(samples, at: done, count)
            done += count
        }
    }

    private var waiting: Int { window.waiting(.max)?.frames ?? 0 }

    private func readPiece(_ samples: Samples, at offset: Int, _ count: Int) {
        let waiting = waiting
        if phase == .waiting {
            // A block is taken at a time, and so is the most that waits before one.
            guard waiting >= target + count / 2 else { return clear(samples, at: offset, count) }
            begin(with: waiting)
        }
        control.follow(waiting: Double(self.waiting) / rate, for: Double(count) / rate)
        let ratio = control.ratio
        let wanted = Int(place + Double(count) * ratio)
        let given = min(wanted, self.waiting)
        take(given, of: wanted)
        convert(samples, at: offset, count, ratio)
        let isShort = given < wanted
        let isLong = self.waiting > target + excess
        if phase == .opening { fade(samples, at: offset, count, from: 0, to: 1) }
        phase = .running
        if isShort || isLong {
            // The filter's middle is as many frames behind what was taken.
            let heard = isShort ? min(count, Int(Double(given) / ratio) + Self.half) : count
            fade(samples, at: offset, heard, from: 1, to: 0)
            clear(samples, at: offset + heard, count - heard)
            breaks += 1
            // A device or program that was late once is likely to be late again.
            if isShort { target = min(target + target / 2, longestTarget) }
            phase = .waiting
        }
        place += Double(count) * ratio - Double(wanted)
        for channel in 0..<window.channels {
            let start = work + channel * Self.room
            // Forwards: the target lies before the source.
            for frame in 0..<Self.taps { start[frame] = start[wanted + frame] }
        }
    }

    /// Begins with as much waiting as is to wait; what is older is dropped.
    private func begin(with waiting: Int) {
        window.consume(max(0, waiting - target))
        work.update(repeating: 0, count: window.channels * Self.room)
        control.restart(target: Double(target) / rate)
        place = 0
        phase = .opening
    }

    /// Moves frames from the window behind the last ones; for those that are missing the last ones come in reverse, then
    /// silence.
    private func take(_ given: Int, of wanted: Int) {
        for channel in 0..<window.channels {
            let end = work + channel * Self.room + Self.taps
            window.copy(channel: channel, frames: given, to: end)
            let mirrored = min(wanted - given, Self.taps)
            for frame in 0..<mirrored { end[given + frame] = end[given - 1 - frame] }
            (end + given + mirrored).update(repeating: 0, count: wanted - given - mirrored)
        }
        window.consume(given)
    }

    private func convert(_ samples: Samples, at offset: Int, _ count: Int, _ ratio: Double) {
        Self.coefficients.withUnsafeBufferPointer { rows in
            guard let rows = rows.baseAddress else { return }
            convert(samples, at: offset, count, ratio, by: rows)
        }
    }

    private func convert(
        _ samples: Samples, at offset: Int, _ count: Int, _ ratio: Double, by rows: UnsafePointer<Float>
    ) {
        for channel in 0..<min(window.channels, samples.channelCount) {
            let (input, output) = (work + channel * Self.room, samples.channels[channel] + offset)
            for frame in 0..<count {
                let position = place + Double(frame) * ratio
                let first = Int(position)
                let row = (position - Double(first)) * Double(Self.phases)
                let table = rows + Int(row) * Self.taps
                let lower = product(input + first, table, Self.taps)
                let upper = product(input + first, table + Self.taps, Self.taps)
                output[frame] = lower + (upper - lower) * Float(row - row.rounded(.down))
            }
        }
    }

    private func fade(_ samples: Samples, at offset: Int, _ count: Int, from start: Float, to end: Float) {
        for channel in 0..<samples.channelCount {
            let block = samples.channels[channel] + offset
            for frame in 0..<count { block[frame] *= start + (end - start) * Float(frame) / Float(count) }
        }
    }

    private func clear(_ samples: Samples, at offset: Int, _ count: Int) {
        for channel in 0..<samples.channelCount {
            (samples.channels[channel] + offset).update(repeating: 0, count: count)
        }
    }
}
