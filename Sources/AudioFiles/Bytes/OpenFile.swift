internal import Glibc

/// A regular file that is open for reading for as long as this object lives.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let path: String

    /// Throws `.notFound`, `.permission`, `.isDirectory`, `.notAFile` or `.io`.
    init(path: String) throws(AudioFileError) {
        self.path = path
        // Non-blocking: opening a FIFO would otherwise wait for a writer, before its type can be seen.
        descriptor = open(path.pathForC, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno, path: path) }
        _ = try size()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Bytes in it now; throws for what is no regular file.
    func size() throws(AudioFileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, path: path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int64(status.st_size)
        case S_IFDIR: throw AudioFileError(.isDirectory, "is a directory", path: path)
        default: throw AudioFileError(.notAFile, "is not a regular file", path: path)
        }
    }

    /// Whether the file may stay open: half of the process's descriptors are left to the app.
    var isAffordable: Bool {
        var limits = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0
            && rlim_t(descriptor) < limits.rlim_cur / 2
    }
}
