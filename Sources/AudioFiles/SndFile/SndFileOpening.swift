internal import CSndFile
internal import Glibc

/// Opens files with libsndfile, one at a time, since it keeps the reason of a failed open in a global variable.
enum SndFileOpening {
    // SAFETY: the pointer never changes; POSIX guards what it points to. (ThreadSanitizer does not see Swift's mutex.)
    private nonisolated(unsafe) static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        return mutex
    }()

    /// The handle, or why there is none.
    static func open(
        _ callbacks: inout SF_VIRTUAL_IO, _ mode: Int, _ info: inout SF_INFO, _ data: UnsafeMutableRawPointer,
        path: String?
    ) -> (handle: OpaquePointer?, error: AudioFileError) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let handle = sf_open_virtual(&callbacks, Int32(mode), &info, data)
        return (handle, .library(nil, path: path))
    }
}
