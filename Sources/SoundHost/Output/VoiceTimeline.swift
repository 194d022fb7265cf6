/// The mapping from frames of a stream to the frames of a voice that were mixed into them.
///
/// One offset would not do: a voice that starved while others went on has holes. A rewind cuts the end off.
struct VoiceTimeline: Hashable, Sendable {
    private struct Stretch: Hashable {
        var stream: Int
        var voice: Int
        var count: Int
    }

    private var stretches: [Stretch] = []

    /// The stream's frame after the voice's last one; nil while nothing was mixed.
    var end: Int? { stretches.last.map { $0.stream + $0.count } }

    /// Adds `count` frames of the voice, from `voice` on, that were mixed into the stream from its frame `stream` on.
    mutating func append(stream: Int, voice: Int, count: Int) {
        guard count > 0 else { return }
        if let last = stretches.last, last.stream + last.count == stream, last.voice + last.count == voice {
            stretches[stretches.count - 1].count += count
        } else {
            // A voice that starves this often has been heard beyond the first of them.
            if stretches.count == 64 { stretches.removeFirst() }
            stretches.append(Stretch(stream: stream, voice: voice, count: count))
        }
    }

    /// The voice's frame that is mixed into a frame of the stream, or that comes next there; nil while nothing was
    /// mixed.
    func voiceFrame(at stream: Int) -> Int? {
        let stretch = stretches.last { $0.stream <= stream }
        return stretch.map { $0.voice + min(stream - $0.stream, $0.count) } ?? stretches.first?.voice
    }

    /// Forgets everything from a frame of the stream on.
    mutating func cut(at stream: Int) {
        while let last = stretches.last, last.stream + last.count > stream {
            stretches.removeLast()
            append(stream: last.stream, voice: last.voice, count: stream - last.stream)
        }
    }

    /// Forgets everything.
    mutating func removeAll() { stretches.removeAll() }
}
