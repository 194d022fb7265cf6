/// A sound file from which any number of readers can be made.
///
/// As on Apple's systems it stays open: who deletes a file, or puts another one in its place, hears the one that was
/// opened. Where descriptors are short, the file is opened again by its path instead.
package struct AudioFileSource: Sendable {
    private enum Storage {
        case file(OpenFile)
        case path
        case memory([UInt8])
    }

    private let storage: Storage
    private let path: String?
    private let hint: AudioContainer?

    /// A file of the disk; `hint` counts where its content does not tell what it is.
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
        return try AudioFileReader(source: source, path: path, hint: hint)
    }
}
