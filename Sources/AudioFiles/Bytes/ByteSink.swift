internal import CSndFile
internal import Glibc

/// The file that libsndfile writes to; keeps the `errno` of the first write that failed.
final class ByteSink {
    private let descriptor: Int32
    private let path: String
    private var position: Int64 = 0
    /// The header that stands in the place of libsndfile's, and is longer.
    private let header: GrowingWaveHeader?
    /// Bytes by which libsndfile's offsets behind its header are too small.
    private let reserved: Int64
    private var isNameSafe = false
    /// Whether the file had a name in the beginning, as devices and what is on odd file systems may not have.
    private let hadName: Bool
    private let waitForDisk = ByteSink.waitForDisk

    /// What waits for the disk, as `fdatasync`; tests have another one, which fails as only a broken disk does.
    @TaskLocal static var waitForDisk: @Sendable (Int32) -> Int32 = { fdatasync($0) }

    /// Bytes of the file.
    private(set) var size: Int64 = 0
    /// What libsndfile wrote last at the start of the file: its header.
    private(set) var front: [UInt8] = []
    /// The error of the first failed system call, 0 if none failed.
    private(set) var lastError: Int32 = 0

    /// Creates or empties the file; `header` replaces the one that libsndfile writes.
    init(path: String, header: GrowingWaveHeader? = nil) throws(AudioFileError) {
        self.header = header
        reserved = header == nil ? 0 : GrowingWaveHeader.reserved
        // Non-blocking: a FIFO without a reader would otherwise wait for one.
        descriptor = open(path.pathForC, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o666)
        self.path = path
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        var status = stat()
        let isSeekable =
            fstat(descriptor, &status) == 0
            && (status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFCHR)
        hadName = status.st_mode & S_IFMT == S_IFREG && status.st_nlink > 0
        guard isSeekable else { throw AudioFileError(.notAFile, "is not a regular file", path: path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes at a place of its own, without moving the callbacks' position; false, and see ``lastError``, if that
    /// fails.
    @discardableResult
    func write(_ bytes: [UInt8], at offset: Int64) -> Bool {
        bytes.withUnsafeBytes { put($0.baseAddress, bytes.count, at: offset) } == bytes.count
    }

    /// Cuts off what lies behind so many bytes: the rest of a write that failed.
    func truncate(to length: Int64) {
        if length < size, ftruncate(descriptor, off_t(length)) == 0 { size = length }
    }

    /// Waits until everything written is on the disk, as far as the file can do that; false, and see ``lastError``, if
    /// something written until now is not.
    @discardableResult
    func synchronize() -> Bool {
        if waitForDisk(descriptor) != 0, errno != EINVAL, errno != EROFS { note(errno) }
        secureName()
        return lastError == 0
    }

    /// Whether the file has been removed, and not renamed: what is written goes with whoever has it open.
    var isRemoved: Bool {
        var status = stat()
        return hadName && fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    private func secureName() {
        guard !isNameSafe else { return }
        isNameSafe = true
        // A new file's name is on the disk when its folder is.
        let end = path.lastIndex(of: "/")
        let folder = open((end.map { String(path[...$0]) } ?? ".").pathForC, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private func note(_ code: Int32) {
        if lastError == 0 { lastError = code }
    }

    // MARK: Callbacks

    /// The callbacks through which libsndfile writes; their user data is this object, unretained.
    static var virtualIO: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { ByteSink.from($0)?.visibleSize ?? 0 },
            seek: { ByteSink.from($2)?.seek($0, $1) ?? -1 },
            read: { _, _, _ in 0 },
            write: { ByteSink.from($2)?.write($0, $1) ?? 0 },
            tell: { ByteSink.from($0)?.position ?? 0 })
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> ByteSink? {
        // SAFETY: the writer owns both this object and the handle, and closes the handle first.
        data.map { Unmanaged<ByteSink>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Bytes of the file as libsndfile knows it.
    private var visibleSize: Int64 { max(0, size - reserved) }

    private func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
        let base: Int64 = whence == SEEK_CUR ? position : whence == SEEK_END ? visibleSize : 0
        position = max(0, base + offset)
        return position
    }

    private func write(_ bytes: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
        guard let bytes, count > 0 else { return 0 }
        if position == 0 {
            front = Array(UnsafeRawBufferPointer(start: bytes, count: min(Int(count), 4096)))
            if let header, front.count == Int(count) {
                // libsndfile writes its header at once, and nothing else there.
                guard write(header.replacement(for: front), at: 0) else { return 0 }
                position = count
                return count
            }
        }
        let done = Int64(put(bytes, Int(count), at: position + reserved))
        position += done
        return done
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
