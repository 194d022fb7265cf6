/// A stretch of decoded sound, from some frame of a stream to a later one, in pieces that come and go.
struct StreamBuffer {
    private static let pieceFrames = 8192

    /// Interleaved channels of a frame.
    let channels: Int
    /// The first frame that is there.
    private(set) var start: Int64 = 0
    /// The frame after the last one.
    private(set) var end: Int64 = 0
    /// Where the first piece begins; `start` may lie within it.
    private var base: Int64 = 0
    private var pieces: [[Float]] = []

    init(channels: Int) { self.channels = channels }

    /// Forgets everything; what comes next is another frame.
    mutating func restart(at frame: Int64) {
        pieces = []
        (start, end, base) = (frame, frame, frame)
    }

    /// Adds interleaved samples, whole frames of them.
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

    /// Up to `frames` frames from one on; none if that is not there.
    func frames(from frame: Int64, count frames: Int) -> [Float] {
        guard (start..<end).contains(frame) else { return [] }
        let place = Int(frame - base)
        let piece = pieces[place / Self.pieceFrames]
        let first = place % Self.pieceFrames * channels
        return Array(piece[first..<min(piece.count, first + frames * channels)])
    }

    /// Forgets what lies before a frame.
    mutating func forget(before frame: Int64) {
        guard frame > start else { return }
        start = min(frame, end)
        let gone = min(Int(start - base) / Self.pieceFrames, max(0, pieces.count - 1))
        guard gone > 0 else { return }
        pieces.removeFirst(gone)
        base += Int64(gone * Self.pieceFrames)
    }
}
