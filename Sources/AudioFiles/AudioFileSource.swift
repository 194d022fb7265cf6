internal import Locks

/// A sound file from which any number of readers can be made.
///
/// As on Apple's systems the file stays open, so that deleting or replacing it does not change the sound. Where
/// descriptors are short, it is opened again by its path instead.
package struct AudioFileSource: Sendable {
    private enum Storage {
        case file(OpenFile)
        case path
        case memory([UInt8])
    }

    private let storage: Storage
    private let path: String?
    private let hint: AudioContainer?
    /// The scan results of the reader that was made last, for the next one.
    private let cache = Guarded(ScanCache())

    /// A file on the disk; `hint` names its type where the first bytes do not.
    ///
    /// Throws `.notFound`, `.permission`, `.isDirectory`, `.notAFile` or `.io`. Does not wait, not even for a FIFO.
    package init(path: String, hint: AudioContainer? = nil) throws(AudioFileError) {
        let file = try OpenFile(path: path)
        storage = file.isAffordable ? .file(file) : .path
        self.path = path
        self.hint = hint
    }

    /// A file that is in memory.
    package init(bytes: [UInt8], hint: AudioContainer? = nil) {
        storage = .memory(bytes)
        path = nil
        self.hint = hint
    }

    /// A reader that stands at the first frame.
    ///
    /// Throws what opening a file throws.
    package func reader() throws(AudioFileError) -> AudioFileReader {
        let source =
            switch storage {
            case .file(let file): try ByteSource(file)
            case .path: try ByteSource(path: path ?? "")
            case .memory(let bytes): ByteSource(bytes: bytes)
            }
        // A file that is opened anew by its path may be another one.
        if case .path = storage { return try AudioFileReader(source: source, path: path, hint: hint) }
        let reader = try AudioFileReader(source: source, path: path, hint: hint, cache: cache.value)
        cache.withLock { $0 = reader.cache }
        return reader
    }
}
