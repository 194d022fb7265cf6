/// Which place of the file each frame of a voice came from, over seeks, loops and changes of rate.
struct PlayerTimeline {
    /// A place in the sound, as the listener counts.
    struct Place: Equatable {
        /// The file's frame, at the voice's sample rate.
        var fileFrame: Int
        /// How many loops were completed before it.
        var loop: Int
    }

    /// Frames of the voice that came from the file without a jump.
    private struct Stretch {
        /// The voice's first frame of the stretch.
        var voiceFrame: Int
        /// What it holds.
        var place: Place
        /// Frames of the file for each frame of the voice.
        var rate: Double
    }

    /// Frames in the file.
    let length: Int
    /// In the order of the voice's frames, and never empty.
    private var stretches: [Stretch]

    /// A voice that begins with the file's first frame.
    init(length: Int) {
        self.length = length
        stretches = [Stretch(voiceFrame: 0, place: Place(fileFrame: 0, loop: 0), rate: 1)]
    }

    /// The voice was emptied and begins with another place.
    mutating func restart(at place: Place, rate: Double) {
        stretches = [Stretch(voiceFrame: 0, place: place, rate: rate)]
    }

    /// From a frame of the voice on, the file goes on at another place or rate; what was known of later frames is void.
    mutating func jump(atVoiceFrame frame: Int, to place: Place, rate: Double) {
        // From behind: a sound of one frame has a hundred thousand stretches.
        while let last = stretches.last, last.voiceFrame >= frame { stretches.removeLast() }
        stretches.append(Stretch(voiceFrame: frame, place: place, rate: rate))
    }

    /// Drops what only concerns frames of the voice before `frame`.
    mutating func forget(before frame: Int) {
        // In batches, so that very short loops do not move the rest for each of them.
        let batch = max(64, stretches.count / 2)
        guard stretches.count > batch, stretches[batch].voiceFrame <= frame else { return }
        stretches.removeFirst(batch)
    }

    /// The first frame of the voice that comes after so many loops and one; nil if there is none.
    func firstFrame(beyond loop: Int) -> Int? { stretches.first { $0.place.loop > loop }?.voiceFrame }

    /// What was known of the voice from a frame on, which is not its first, is void.
    mutating func cut(at frame: Int) {
        while stretches.count > 1, let last = stretches.last, last.voiceFrame >= frame { stretches.removeLast() }
    }

    /// How many loops the last of the voice's frames lie behind.
    var lastLoop: Int { stretches.last?.place.loop ?? 0 }

    /// The place that a frame of the voice holds.
    func place(atVoiceFrame frame: Int) -> Place {
        let stretch = stretches.last { $0.voiceFrame <= frame } ?? stretches[0]
        let passed = Double(max(0, frame - stretch.voiceFrame)) * stretch.rate
        return Place(
            fileFrame: min(stretch.place.fileFrame + Int(passed.rounded()), length), loop: stretch.place.loop)
    }
}
