/// One entry of an edit list: a range of a file's sound, or a pause.
struct SoundSegment: Equatable {
    /// The frame it begins with; nil for silence.
    let start: Int64?
    let frames: Int64
}

/// A decoder that applies an edit list: the segments of another decoder's sound, in their order.
final class EditedDecoder: FrameDecoder {
    let format: AudioFileFormat

    private let decoder: any FrameDecoder
    private let segments: [SoundSegment]
    /// The segment that is played, and where in it.
    private var current = 0
    private var position: Int64 = 0
    /// The frame that the decoder gives next; nil where that is not known.
    private var place: Int64?
    private var error: AudioFileError?

    /// All segments lie within the decoder's sound.
    init(_ decoder: any FrameDecoder, _ segments: [SoundSegment]) {
        var format = decoder.format
        format.frames = segments.reduce(0) { $0 + $1.frames }
        self.format = format
        self.decoder = decoder
        self.segments = segments
    }

    var cache: ScanCache { decoder.cache }
    var loss: AudioFileError? { decoder.loss }
    func failure() -> AudioFileError? { error ?? decoder.failure() }

    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        var done = 0
        while done < frames, error == nil {
            let segment = segments[current]
            let wanted = min(frames - done, Int(clamping: segment.frames - position))
            if wanted == 0 {
                guard current + 1 < segments.count else { break }
                (current, position) = (current + 1, 0)
                continue
            }
            let target = destination + done * format.channels
            var count = wanted
            if let start = segment.start {
                guard arrive(at: start + position) else { break }
                count = decoder.decode(into: target, frames: wanted)
                place = start + position + Int64(count)
            } else {
                target.update(repeating: 0, count: wanted * format.channels)
            }
            position += Int64(count)
            done += count
            guard count == wanted else { break }
        }
        return done
    }

    func seek(toFrame frame: Int64) throws(AudioFileError) {
        (current, position) = (0, frame)
        while current + 1 < segments.count, position >= segments[current].frames {
            position -= segments[current].frames
            current += 1
        }
        (error, place) = (nil, nil)
        if let start = segments[current].start, !arrive(at: start + position), let error { throw error }
    }

    private func arrive(at frame: Int64) -> Bool {
        if place == frame { return true }
        do throws(AudioFileError) {
            try decoder.seek(toFrame: frame)
            place = frame
            return true
        } catch {
            self.error = error
            return false
        }
    }
}
