internal import Glibc

/// The bytes of a file on the disk that is being repaired.
final class RepairableFile {
    let path: String
    private(set) var size: Int64
    private let descriptor: Int32
    /// The error of the first failed write, 0 if none failed.
    private var lastError: Int32 = 0

    /// Opens a file, without changing it.
    init(path: String) throws(AudioFileError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        size = 0
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw AudioFileError(.notAFile, "is not a regular file", path: path)
        }
        size = Int64(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Up to `count` bytes; fewer at the end.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, offset < size else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(count, Int(size - offset)))
        var done = 0
        while done < bytes.count {
            let step = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(offset) + done)
            }
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else { break }
            done += step
        }
        return Array(bytes.prefix(done))
    }

    /// A number of up to eight bytes; nil beyond the end.
    func number(at offset: Int64, bytes count: Int, bigEndian: Bool) -> Int64? {
        let bytes = bytes(at: offset, count: count)
        guard bytes.count == count else { return nil }
        let ordered = bigEndian ? bytes : bytes.reversed()
        return Int64(bitPattern: ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Four characters; empty beyond the end.
    func text(at offset: Int64) -> String { String(decoding: bytes(at: offset, count: 4), as: UTF8.self) }

    /// Whether four printable characters stand there, as in front of every chunk.
    func isName(at offset: Int64) -> Bool {
        let name = bytes(at: offset, count: 4)
        return name.count == 4 && name.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Whether something like a chunk begins there: a name, and a size that fits.
    func isChunk(at offset: Int64, sizeBytes: Int, bigEndian: Bool) -> Bool {
        guard isName(at: offset),
            let size = number(at: offset + 4, bytes: sizeBytes, bigEndian: bigEndian)
        else { return false }
        return size >= 0 && size <= self.size - offset - Int64(4 + sizeBytes) + 1
    }

    /// Writes a number if it is not there already, and says whether it was not.
    func put(_ value: Int64, at offset: Int64, bytes count: Int, bigEndian: Bool) -> Bool {
        var bytes: [UInt8] = []
        if bigEndian { bytes.put(value, bytes: count) } else { bytes.putReversed(value, bytes: count) }
        guard self.bytes(at: offset, count: count) != bytes else { return false }
        write(bytes, at: offset)
        return true
    }

    /// Writes bytes within the file, or at its end.
    func write(_ bytes: [UInt8], at offset: Int64) {
        let done = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        if done != bytes.count, lastError == 0 { lastError = done < 0 ? errno : ENOSPC }
        size = max(size, offset + Int64(max(done, 0)))
    }

    /// Cuts the end off.
    func truncate(to length: Int64) {
        if ftruncate(descriptor, off_t(length)) == 0 { size = length } else if lastError == 0 { lastError = errno }
    }

    /// Waits for the disk; throws what went wrong with any change.
    func finish() throws(AudioFileError) {
        if fsync(descriptor) != 0, lastError == 0 { lastError = errno }
        if lastError != 0 { throw .system(lastError, path: path) }
    }
}
