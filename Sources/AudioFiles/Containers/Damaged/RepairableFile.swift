internal import Glibc

/// A file on the disk that is being repaired.
final class RepairableFile {
    private let path: String
    private let descriptor: Int32

    /// Opens a file, without changing it.
    init(path: String) throws(AudioFileError) {
        self.path = path
        descriptor = open(path.pathForC, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw AudioFileError(.notAFile, "is not a regular file", path: path)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Changes the file, and waits for the disk; throws what went wrong first.
    func apply(_ changes: FileChanges) throws(AudioFileError) {
        if let length = changes.length, ftruncate(descriptor, off_t(length)) != 0 { throw .system(errno, path: path) }
        for (offset, bytes) in changes.writes {
            let done = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            guard done == bytes.count else { throw .system(done < 0 ? errno : ENOSPC, path: path) }
        }
        guard fsync(descriptor) == 0 else { throw .system(errno, path: path) }
    }
}
