internal import AudioFiles
internal import Locks

/// Where the frames of a take go; used on one queue, which may wait in it.
protocol TakeWriter: AnyObject {
    /// The file's path.
    var path: String { get }

    /// Writes interleaved frames, as those of an `AudioFileWriter`.
    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError)
    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError)
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError)

    /// Makes what was written so far readable and waits for the disk.
    func flush() throws(AudioFileError)
    /// Makes the file whole.
    func finish() throws(AudioFileError)
    /// Waits until the finished file is on the disk.
    func close() throws(AudioFileError)
}

extension AudioFileWriter: TakeWriter {}

/// Pieces of memory between the ring and the disk: two while the disk keeps up, as many as it takes while it does not.
final class TakeBacklog: Sendable {
    /// What a disk that does not answer may cost: a minute of sound, unless that is more than this many bytes; but ten
    /// seconds in any case.
    private static let seconds = (least: 10.0, most: 60.0)
    private static let bytes = 64 << 20
    private static let kept = 2

    /// Memory for frames, owned by whoever took it.
    // SAFETY: only its owner touches the bytes, and hands it on through a queue.
    final class Piece: @unchecked Sendable {
        let bytes: UnsafeMutableRawPointer

        fileprivate init(size: Int) { bytes = .allocate(byteCount: size, alignment: 16) }

        deinit { bytes.deallocate() }
    }

    private let size: Int
    private let most: Int
    private let stock = Guarded(Stock())

    /// The pieces that nobody uses, and the number of all.
    private struct Stock {
        var free: [Piece] = []
        var count = 0
    }

    init(bytesPerPiece: Int, piecesPerSecond: Double) {
        size = bytesPerPiece
        let affordable = Double(Self.bytes) / Double(bytesPerPiece) / piecesPerSecond
        let seconds = min(max(affordable, Self.seconds.least), Self.seconds.most)
        most = Int((seconds * piecesPerSecond).rounded(.up))
    }

    /// Whether no more is on its way than a piece to fill and one to write.
    var isKeepingUp: Bool { stock.withLock { $0.count - $0.free.count <= Self.kept } }

    /// A piece to fill; nil when the disk has not answered for too long.
    func take() -> Piece? {
        stock.withLock { stock in
            if let piece = stock.free.popLast() { return piece }
            guard stock.count < most else { return nil }
            stock.count += 1
            return Piece(size: size)
        }
    }

    /// Takes a piece back that was written.
    func giveBack(_ piece: Piece) {
        stock.withLock { stock in
            if stock.free.count < Self.kept { stock.free.append(piece) } else { stock.count -= 1 }
        }
    }
}
