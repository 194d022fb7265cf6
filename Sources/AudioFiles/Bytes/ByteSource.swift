internal import CSndFile
internal import Glibc

/// The bytes of a file, or of memory, as decoders and the header checks see them.
///
/// The front can be replaced, and the end cut off, for readers only: a header with wrong sizes is corrected there
/// before libsndfile reads it.
final class ByteSource: FileBytes {
    private enum Storage {
        case file(OpenFile)
        case memory([UInt8])
    }

    private let storage: Storage
    private var storedSize: Int64
    /// Replaces the first `skipped` bytes.
    private var front: [UInt8] = []
    private var skipped: Int64 = 0
    private var position: Int64 = 0
    /// Bytes that the callbacks still give; beyond them is the end.
    var allowance = Int64.max

    /// The error of the last failed system call, 0 if none failed.
    private(set) var lastError: Int32 = 0

    init(bytes: [UInt8]) {
        storage = .memory(bytes)
        storedSize = Int64(bytes.count)
    }

    convenience init(path: String) throws(AudioFileError) { try self.init(OpenFile(path: path)) }

    /// The bytes of an open file, which others may read too.
    init(_ file: OpenFile) throws(AudioFileError) {
        storage = .file(file)
        storedSize = try file.size()
    }

    /// A part of `source`, whose front was not replaced.
    private init(_ source: ByteSource, _ range: Range<Int64>) {
        storage = source.storage
        storedSize = source.skipped + range.upperBound
        skipped = source.skipped + range.lowerBound
    }

    /// These bytes as a file of their own; its errors are its own as well.
    ///
    /// Not for a source whose front has been replaced by other bytes.
    func part(_ range: Range<Int64>) -> ByteSource {
        assert(front.isEmpty)
        return ByteSource(self, range)
    }

    /// Bytes in all, as seen by readers.
    var size: Int64 { storedSize - skipped + Int64(front.count) }

    /// Puts `bytes` in the place of the first `count` bytes.
    ///
    /// They may be bytes that were put there before. Offsets count anew.
    func replaceFront(_ count: Int64, with bytes: [UInt8]) {
        let kept = front.dropFirst(Int(clamping: count))
        skipped += max(0, count - Int64(front.count))
        front = bytes + kept
        position = 0
    }

    /// Ends the file at an offset, for all readers.
    func cut(to size: Int64) { storedSize -= max(0, self.size - size) }

    /// Up to `count` bytes from `offset`; fewer at the end or after an error.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, Int(clamping: size - offset))))
        let done = bytes.withUnsafeMutableBytes { read(at: offset, into: $0) }
        bytes.removeLast(bytes.count - done)
        return bytes
    }

    private func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset >= 0 else { return 0 }
        var done = 0
        if offset < Int64(front.count) {
            done = min(buffer.count, front.count - Int(offset))
            front.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + done]))
            }
        }
        while done < buffer.count {
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = stored(at: offset + Int64(done) - Int64(front.count) + skipped, into: target)
            if count <= 0 { break }
            done += count
        }
        return done
    }

    private func stored(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch storage {
        case .memory(let bytes):
            let count = max(0, min(buffer.count, Int(clamping: Int64(bytes.count) - offset)))
            if count > 0 {
                let start = Int(offset)
                bytes.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
                }
            }
            return count
        case .file(let file):
            while true {
                let count = pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
                if count >= 0 { return count }
                if errno != EINTR {
                    lastError = errno
                    return 0
                }
            }
        }
    }

    // MARK: Callbacks

    /// The callbacks through which libsndfile reads; their user data is this object, unretained.
    static var virtualIO: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { ByteSource.from($0)?.size ?? 0 },
            seek: { ByteSource.from($2)?.seek($0, $1) ?? -1 },
            read: { ByteSource.from($2)?.readNext($0, $1) ?? 0 },
            write: { _, _, _ in 0 },
            tell: { ByteSource.from($0)?.position ?? 0 })
    }

    /// The source behind a callback's user data.
    static func from(_ data: UnsafeMutableRawPointer?) -> ByteSource? {
        // SAFETY: a decoder owns both this object and the handle, and closes the handle first.
        data.map { Unmanaged<ByteSource>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Moves the callbacks' position as `lseek` does, and returns it; −1 for a place before the start.
    func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
        let base: Int64 = whence == SEEK_CUR ? position : whence == SEEK_END ? size : 0
        let (target, overflow) = base.addingReportingOverflow(offset)
        // As lseek does: beyond the end is allowed, before the start is not.
        guard !overflow, target >= 0 else { return -1 }
        position = target
        return target
    }

    /// Reads at the callbacks' position; 0 at the end and after an error.
    func readNext(_ buffer: UnsafeMutableRawPointer?, _ count: sf_count_t) -> sf_count_t {
        let count = min(count, size - position, allowance)
        guard count > 0 else { return 0 }
        let done = read(at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
        position += Int64(done)
        allowance -= Int64(done)
        return sf_count_t(done)
    }
}
