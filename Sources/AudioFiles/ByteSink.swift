internal import CSndFile
internal import Glibc

/// The file that libsndfile writes to; keeps the `errno` of the first write that failed.
final class ByteSink {
    private let descriptor: Int32
    private var position: Int64 = 0
    private var size: Int64 = 0

    /// The error of the first failed system call, 0 if none failed.
    private(set) var lastError: Int32 = 0

    /// Creates or empties the file.
    init(path: String) throws(AudioFileError) {
        // Non-blocking: a FIFO without a reader would otherwise wait for one.
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        var status = stat()
        let isSeekable =
            fstat(descriptor, &status) == 0
            && (status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFCHR)
        guard isSeekable else { throw AudioFileError(.notAFile, "is not a regular file", path: path) }
    }

    deinit { close(descriptor) }

    /// Writes at a place of its own, without moving the callbacks' position; see ``lastError``.
    func write(_ bytes: [UInt8], at offset: Int64) {
        bytes.withUnsafeBytes { _ = put($0.baseAddress, bytes.count, at: offset) }
    }

    /// Waits until everything written is on the disk, as far as the file can do that.
    func synchronize() {
        guard fdatasync(descriptor) != 0, errno != EINVAL, errno != EROFS else { return }
        note(errno)
    }

    private func note(_ code: Int32) {
        if lastError == 0 { lastError = code }
    }

    /// The callbacks through which libsndfile writes; their user data is this object, unretained.
    static var virtualIO: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { ByteSink.from($0)?.size ?? 0 },
            seek: { ByteSink.from($2)?.seek($0, $1) ?? -1 },
            read: { _, _, _ in 0 },
            write: { ByteSink.from($2)?.write($0, $1) ?? 0 },
            tell: { ByteSink.from($0)?.position ?? 0 })
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> ByteSink? {
        // SAFETY: the writer owns both this object and the handle, and closes the handle first.
        data.map { Unmanaged<ByteSink>.fromOpaque($0).takeUnretainedValue() }
    }

    private func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
        let base: Int64 = whence == SEEK_CUR ? position : whence == SEEK_END ? size : 0
        position = max(0, base + offset)
        return position
    }

    private func write(_ bytes: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
        let done = put(bytes, Int(count), at: position)
        position += Int64(done)
        return sf_count_t(done)
    }

    private func put(_ bytes: UnsafeRawPointer?, _ count: Int, at offset: Int64) -> Int {
        guard let bytes, count > 0 else { return 0 }
        var done = 0
        while done < count {
            let written = pwrite(descriptor, bytes + done, count - done, off_t(offset) + done)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                note(written == 0 ? ENOSPC : errno)
                break
            }
            done += written
        }
        size = max(size, offset + Int64(done))
        return done
    }
}
