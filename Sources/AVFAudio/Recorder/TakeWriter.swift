internal import AudioFiles
internal import Locks

/// The file of a take; used on one queue, on which it may wait.
protocol TakeWriter: AnyObject {
    /// The file's path.
    var path: String { get }

    /// Writes interleaved frames, as `AudioFileWriter` does.
    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError)
    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError)
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError)

    /// Makes the frames written so far readable, and waits for the disk.
    func flush() throws(AudioFileError)
    /// Completes the file.
    func finish() throws(AudioFileError)
    /// Waits until the completed file is on the disk.
    func close() throws(AudioFileError)
}

extension AudioFileWriter: TakeWriter {}

/// The memory between the loop's thread and the disk: two pieces while the disk keeps up, more while it does not.
final class TakeBacklog: Sendable {
    /// The limit for a hanging disk: a minute of sound, but no more than 64 MiB, and ten seconds in any case.
    private static let seconds = (least: 10.0, most: 60.0)
    private static let bytes = 64 << 20
    private static let kept = 2

    /// Memory for frames, with one owner at a time.
    // SAFETY: only its owner touches the bytes, and hands it on through a queue.
    final class Piece: @unchecked Sendable {
        let bytes: UnsafeMutableRawPointer

        fileprivate init(size: Int) { bytes = .allocate(byteCount: size, alignment: 16) }

        deinit { bytes.deallocate() }
    }

    private let size: Int
    private let most: Int
    private let stock = Guarded(Stock())

    /// The free pieces, and the number of all pieces.
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

    /// Whether no more pieces are in use than one to fill and one to write.
    var isKeepingUp: Bool { stock.withLock { $0.count - $0.free.count <= Self.kept } }

    /// Returns a piece to fill; nil if the limit is reached.
    func take() -> Piece? {
        stock.withLock { stock in
            if let piece = stock.free.popLast() { return piece }
            guard stock.count < most else { return nil }
            stock.count += 1
            return Piece(size: size)
        }
    }

    /// Takes a written piece back.
    func giveBack(_ piece: Piece) {
        stock.withLock { stock in
            if stock.free.count < Self.kept { stock.free.append(piece) } else { stock.count -= 1 }
        }
    }
}
