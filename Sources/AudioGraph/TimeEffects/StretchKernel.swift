/// The lengths of a stretch, in frames; see `WaveformAligner` of `TimeStretch` for the reasons.
struct StretchLengths {
    /// A piece: 50 ms.
    let piece: Int
    /// The end of a piece that fades into the next one: 10 ms.
    let overlap: Int
    /// The places that are searched for the next piece: 20 ms.
    let reach: Int
    /// The frames between the places of the first search.
    let step: Int

    init(rate: Double) {
        overlap = max(1, Int(rate * 0.010))
        piece = max(overlap + 1, Int(rate * 0.05))
        reach = max(2, Int(rate * 0.020))
        step = max(1, Int(rate / 6000))
    }

    /// How far a piece begins behind the newest frame of the input.
    var delay: Int { @_noLocks get { piece &+ overlap &+ reach / 2 } }
}

/// Sound at another speed and with its own pitch, made of overlapping pieces of the input.
///
/// It is the method of `TimeStretch`, with memory that is allocated once.
struct StretchState {
    let lengths: StretchLengths
    /// The pieces, from frame `start` to `end`.
    let sound: Samples
    let capacity: Int
    /// What followed the last piece in the input.
    let tail: Samples
    var hasTail = false
    var start = 0
    var end = 0
    /// The place that is read next, in whole frames and 1/2³².
    var whole = 0
    var fraction: UInt64 = 0
    /// The frames that are read for one of output, in 1/2³²: the change of the pitch.
    var speed: UInt64 = 1 << 32

    init(lengths: StretchLengths, sound: Samples, capacity: Int, tail: Samples) {
        (self.lengths, self.sound, self.capacity, self.tail) = (lengths, sound, capacity, tail)
    }

    /// Goes on by a frame of the output.
    @_noLocks
    mutating func advance() {
        let sum = fraction &+ speed
        whole &+= Int(sum >> 32)
        fraction = sum & 0xffff_ffff
    }
}

/// Adds a piece: what the input has at the place that is due, or near that where it goes on best.
@_noLocks
func makePiece(_ stretch: UnsafeMutablePointer<StretchState>, _ state: UnsafeMutablePointer<TimeState>) {
    let lengths = stretch.pointee.lengths
    if stretch.pointee.end &- stretch.pointee.start &+ lengths.piece > stretch.pointee.capacity {
        let kept = min(2 &* InterpolatorTable.delay &+ 8, stretch.pointee.end &- stretch.pointee.start)
        moveFrames(stretch.pointee.sound, from: stretch.pointee.end &- stretch.pointee.start &- kept, kept)
        stretch.pointee.start = stretch.pointee.end &- kept
    }
    let due = state.pointee.whole &- lengths.delay &- state.pointee.inputStart
    let first = stretch.pointee.hasTail ? bestPlace(stretch, state.pointee.input, around: due) : due
    let place = stretch.pointee.end &- stretch.pointee.start
    for channel in 0..<stretch.pointee.sound.channelCount {
        let (source, tail) = (state.pointee.input.channels[channel] + first, stretch.pointee.tail.channels[channel])
        let target = stretch.pointee.sound.channels[channel] + place
        copyFrames(source, to: target, lengths.piece)
        if stretch.pointee.hasTail {
            for frame in 0..<lengths.overlap {
                let part = (Float(frame) + 0.5) / Float(lengths.overlap)
                let gain = part * part * (3 - 2 * part)
                target[frame] = tail[frame] + gain * (source[frame] - tail[frame])
            }
        }
        copyFrames(source + lengths.piece, to: tail, lengths.overlap)
    }
    stretch.pointee.hasTail = true
    stretch.pointee.end &+= lengths.piece
}

/// The frame within reach of another one from which the input best resembles the tail.
///
/// A tone matches at many places, and at one of them almost exactly: the three best of a first search are refined.
@_noLocks
private func bestPlace(_ stretch: UnsafeMutablePointer<StretchState>, _ input: Samples, around due: Int) -> Int {
    let lengths = stretch.pointee.lengths
    let (first, last) = (due &- lengths.reach / 2, due &- lengths.reach / 2 &+ lengths.reach)
    var best = (place: due, likeness: likeness(stretch, input, due))
    var (one, two, three) = (best, best, best)
    var place = first
    while place <= last {
        let candidate = (place: place, likeness: likeness(stretch, input, place))
        if candidate.likeness > one.likeness {
            (one, two, three) = (candidate, one, two)
        } else if candidate.likeness > two.likeness {
            (two, three) = (candidate, two)
        } else if candidate.likeness > three.likeness {
            three = candidate
        }
        place &+= lengths.step
    }
    for index in 0..<3 {
        let middle = index == 0 ? one.place : index == 1 ? two.place : three.place
        var place = max(first, middle &- lengths.step &+ 1)
        while place <= min(last, middle &+ lengths.step &- 1) {
            let likeness = likeness(stretch, input, place)
            if likeness > best.likeness { best = (place, likeness) }
            place &+= 1
        }
    }
    return best.place
}

/// The square of the correlation of the tail with the input at a place, with its sign, divided by the energy there.
@_noLocks
private func likeness(_ stretch: UnsafeMutablePointer<StretchState>, _ input: Samples, _ place: Int) -> Float {
    let overlap = stretch.pointee.lengths.overlap
    var (sum, energy): (Float, Float) = (0, 1e-9)
    for channel in 0..<input.channelCount {
        let (tail, piece) = (stretch.pointee.tail.channels[channel], input.channels[channel] + place)
        sum += product(tail, piece, overlap)
        energy += product(piece, piece, overlap)
    }
    return sum * abs(sum) / energy
}
