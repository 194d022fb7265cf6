internal import Glibc

/// The bytes of a file on the disk that is being repaired.
final class RepairableFile: FileBytes {
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

    /// Ends the file behind so many bytes of sound, and a byte that makes them even.
    func cut(behind sound: Int64, from start: Int64) {
        truncate(to: start + sound)
        if sound % 2 == 1 { write([0], at: start + sound) }
    }

    /// Waits for the disk; throws what went wrong with any change.
    func finish() throws(AudioFileError) {
        if fsync(descriptor) != 0, lastError == 0 { lastError = errno }
        if lastError != 0 { throw .system(lastError, path: path) }
    }
}
