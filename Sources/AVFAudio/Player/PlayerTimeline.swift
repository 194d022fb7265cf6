/// The map from frames of a voice to places of the file, across seeks, loops and rate changes.
struct PlayerTimeline {
    /// A place in the sound.
    struct Place: Equatable {
        /// The file's frame, at the voice's sample rate.
        var fileFrame: Int
        /// The number of loops completed before.
        var loop: Int
    }

    /// A part of the voice that came from the file without a jump.
    private struct Stretch {
        /// The voice's first frame of the stretch.
        var voiceFrame: Int
        /// The place of that frame.
        var place: Place
        /// Frames of the file for each frame of the voice.
        var rate: Double
    }

    /// The length of the file in frames.
    let length: Int
    /// The stretches in the order of the voice's frames; never empty.
    private var stretches: [Stretch]

    /// A voice that begins with the file's first frame.
    init(length: Int) {
        self.length = length
        stretches = [Stretch(voiceFrame: 0, place: Place(fileFrame: 0, loop: 0), rate: 1)]
    }

    /// Restarts the emptied voice at a place.
    mutating func restart(at place: Place, rate: Double) {
        stretches = [Stretch(voiceFrame: 0, place: place, rate: rate)]
    }

    /// Continues the file at another place or rate from a frame of the voice on; later stretches are dropped.
    mutating func jump(atVoiceFrame frame: Int, to place: Place, rate: Double) {
        // From the end: a sound of one frame has a hundred thousand stretches.
        while let last = stretches.last, last.voiceFrame >= frame { stretches.removeLast() }
        stretches.append(Stretch(voiceFrame: frame, place: place, rate: rate))
    }

    /// Drops stretches that only concern frames of the voice before `frame`.
    mutating func forget(before frame: Int) {
        // In batches, so that very short loops do not move the rest for each of them.
        let batch = max(64, stretches.count / 2)
        guard stretches.count > batch, stretches[batch].voiceFrame <= frame else { return }
        stretches.removeFirst(batch)
    }

    /// The voice's first frame of a later loop than `loop`; nil if there is none.
    func firstFrame(beyond loop: Int) -> Int? { stretches.first { $0.place.loop > loop }?.voiceFrame }

    /// Drops the stretches from a frame of the voice on, but never the first one.
    mutating func cut(at frame: Int) {
        while stretches.count > 1, let last = stretches.last, last.voiceFrame >= frame { stretches.removeLast() }
    }

    /// The number of loops completed before the last stretch.
    var lastLoop: Int { stretches.last?.place.loop ?? 0 }

    /// The place of a frame of the voice.
    func place(atVoiceFrame frame: Int) -> Place {
        let stretch = stretches.last { $0.voiceFrame <= frame } ?? stretches[0]
        let passed = Double(max(0, frame - stretch.voiceFrame)) * stretch.rate
        return Place(
            fileFrame: min(stretch.place.fileFrame + Int(passed.rounded()), length), loop: stretch.place.loop)
    }
}
