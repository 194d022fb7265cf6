internal import Foundation

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

    /// What the first reader has found, for all others.
    // SAFETY: `stored` is guarded by `lock`.
    private final class Surveyor: @unchecked Sendable {
        private let lock = NSLock()
        private var stored = FileSurvey()

        var survey: FileSurvey {
            get { lock.withLock { stored } }
            set { lock.withLock { stored = newValue } }
        }
    }

    private let storage: Storage
    private let path: String?
    private let hint: AudioContainer?
    private let surveyor = Surveyor()

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
        // A file that is opened anew by its path may be another one.
        if case .path = storage { return try AudioFileReader(source: source, path: path, hint: hint) }
        let reader = try AudioFileReader(source: source, path: path, hint: hint, survey: surveyor.survey)
        surveyor.survey = reader.survey
        return reader
    }
}
