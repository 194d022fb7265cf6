/// The decoded frames of a stream from one frame to a later one, in pieces that are appended and dropped.
struct StreamBuffer {
    private static let pieceFrames = 8192

    /// The number of interleaved channels.
    let channels: Int
    /// The first frame in the buffer.
    private(set) var start: Int64 = 0
    /// The frame after the last one.
    private(set) var end: Int64 = 0
    /// The first frame of the first piece; `start` may lie within that piece.
    private var base: Int64 = 0
    private var pieces: [[Float]] = []

    init(channels: Int) { self.channels = channels }

    /// Drops all frames; the next frame that is appended is `frame`.
    mutating func restart(at frame: Int64) {
        pieces = []
        (start, end, base) = (frame, frame, frame)
    }

    /// Appends interleaved samples of whole frames.
    mutating func append(_ samples: [Float]) {
        var index = 0
        while index < samples.count {
            let used = Int(end - base) - max(0, pieces.count - 1) * Self.pieceFrames
            if pieces.isEmpty || used == Self.pieceFrames {
                pieces.append([])
                pieces[pieces.count - 1].reserveCapacity(Self.pieceFrames * channels)
                continue
            }
            let count = min(samples.count - index, (Self.pieceFrames - used) * channels)
            pieces[pieces.count - 1].append(contentsOf: samples[index..<index + count])
            index += count
            end += Int64(count / channels)
        }
    }

    /// Up to `frames` interleaved frames from `frame` on; empty if that frame is not in the buffer.
    func frames(from frame: Int64, count frames: Int) -> [Float] {
        guard (start..<end).contains(frame) else { return [] }
        let place = Int(frame - base)
        let piece = pieces[place / Self.pieceFrames]
        let first = place % Self.pieceFrames * channels
        return Array(piece[first..<min(piece.count, first + frames * channels)])
    }

    /// Drops the frames before a frame.
    mutating func forget(before frame: Int64) {
        guard frame > start else { return }
        start = min(frame, end)
        let gone = min(Int(start - base) / Self.pieceFrames, max(0, pieces.count - 1))
        guard gone > 0 else { return }
        pieces.removeFirst(gone)
        base += Int64(gone * Self.pieceFrames)
    }
}
