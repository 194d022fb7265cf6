internal import AudioFiles

/// A sound file that is read or written in buffers of PCM.
///
/// Any thread may use a file; its calls take turns. Reading and writing wait for the disk. A file that is being written
/// can be opened and read by others at any time, up to its last quarter of a second.
///
/// Errors of opening are in `NSOSStatusErrorDomain`, as those of `AVAudioPlayer`; those of reading and writing in the
/// domain `com.apple.coreaudio.avfaudio`. docs/errors.md lists them.
///
/// Apple: `AVAudioFile`
// SAFETY: only `access` changes, and it is guarded by `lock`.
nonisolated open class AVAudioFile: NSObject, @unchecked Sendable {
    private enum Access {
        case reading(FileInput)
        case writing(FileOutput)
        case closed(length: AVAudioFramePosition, position: AVAudioFramePosition)
    }

    private let lock = NSLock()
    private var access: Access

    /// The file.
    ///
    /// Apple: `AVAudioFile.url`
    public let url: URL

    /// The format of the file: PCM is interleaved, of the file's width and byte order.
    ///
    /// Apple: `AVAudioFile.fileFormat`
    public let fileFormat: AVAudioFormat

    /// The format of the buffers: the file's rate and channels as deinterleaved Float32, or as was asked for.
    ///
    /// Apple: `AVAudioFile.processingFormat`
    public let processingFormat: AVAudioFormat

    /// Opens a file for reading, in deinterleaved Float32.
    ///
    /// Throws as `init(forReading:commonFormat:interleaved:)`.
    ///
    /// Apple: `AVAudioFile.init(forReading:)`
    public convenience init(forReading fileURL: URL) throws {
        try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Opens a file for reading.
    ///
    /// The kind of file is found by its content. Waits for the disk, and for a file without an index until its length
    /// is counted.
    ///
    /// - Parameters:
    ///   - fileURL: A file.
    ///   - format: The encoding of a sample in the buffers. Int16 and Int32 hold the exact samples of files that are
    ///     not wider.
    ///   - interleaved: Whether all channels of a buffer share one block.
    ///
    /// Throws in `NSOSStatusErrorDomain`: `kAudioFileFileNotFoundError`, `kAudioFilePermissionsError`,
    /// `kAudioFileUnsupportedFileTypeError`, `kAudioFileInvalidFileError`, `kAudioFileUnsupportedDataFormatError` or
    /// `kAudioFileUnspecifiedError`; `kAudio_ParamError` for `otherFormat`.
    ///
    /// Apple: `AVAudioFile.init(forReading:commonFormat:interleaved:)`
    public init(
        forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool
    ) throws {
        guard fileURL.namesFile else {
            throw NSError.audioFile(AudioFileError(.notAFile, "Only files can be read: \(fileURL.absoluteString)"))
        }
        let input: FileInput
        do throws(AudioFileError) { input = FileInput(try AudioFileReader(path: fileURL.filePath)) } catch {
            throw NSError.audioFile(error)
        }
        url = fileURL
        fileFormat = input.fileFormat
        processingFormat = try Self.processingFormat(format, interleaved, fileFormat)
        access = .reading(input)
        super.init()
    }

    /// Creates a file for writing, in deinterleaved Float32; an existing one is overwritten.
    ///
    /// Throws as `init(forWriting:settings:commonFormat:interleaved:)`.
    ///
    /// Apple: `AVAudioFile.init(forWriting:settings:)`
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
        try self.init(
            forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Creates a file for writing; an existing one is overwritten.
    ///
    /// The settings are those of `AVAudioRecorder`, with a rate and a number of channels. The kind of file is
    /// `AVAudioFileTypeKey`'s, else the extension's. PCM settings, such as those of a tap's format, make an Apple
    /// Lossless file where the kind is MPEG-4, and FLAC where it is FLAC. Waits for the disk.
    ///
    /// - Parameters:
    ///   - fileURL: A file.
    ///   - settings: The format of the file; `AVLinearPCMIsNonInterleaved` is ignored.
    ///   - format: The encoding of a sample in the buffers.
    ///   - interleaved: Whether all channels of a buffer share one block.
    ///
    /// Throws in `NSOSStatusErrorDomain`: `kAudioFileUnsupportedDataFormatError` for settings that no encoder takes,
    /// and those without a rate or channels; `kAudioFileUnsupportedFileTypeError`, `kAudioFileFileNotFoundError` for a
    /// missing folder, `kAudioFilePermissionsError` or `kAudioFileUnspecifiedError`, such as for a full disk;
    /// `kAudio_ParamError` for `otherFormat`.
    ///
    /// Apple: `AVAudioFile.init(forWriting:settings:commonFormat:interleaved:)`
    public init(
        forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool
    ) throws {
        guard fileURL.namesFile else { throw NSError.unsupportedType("Only files can be written.", fileURL) }
        let request = try FileOutput.format(settings, fileURL)
        fileFormat = request.audioFormat
        processingFormat = try Self.processingFormat(format, interleaved, fileFormat)
        let output: FileOutput
        do throws(AudioFileError) { output = FileOutput(try request.makeWriter(path: fileURL.filePath)) } catch {
            throw NSError.audioFile(error)
        }
        url = fileURL
        access = .writing(output)
        super.init()
    }

    deinit { close() }

    private static func processingFormat(
        _ common: AVAudioCommonFormat, _ isInterleaved: Bool, _ file: AVAudioFormat
    ) throws -> AVAudioFormat {
        guard let bits = common.bitDepth else {
            throw NSError(
                status: Int(kAudio_ParamError), message: "A file is read and written in one of the common formats.")
        }
        let description = AudioStreamBasicDescription.pcm(
            rate: file.sampleRate, channels: file.channelCount, bits: bits, isFloat: common.isFloat,
            isInterleaved: isInterleaved)
        return AVAudioFormat(description, file.channelLayout)
    }

    /// The number of frames in the file; in a file that is being written those written so far.
    ///
    /// Apple: `AVAudioFile.length`
    public var length: AVAudioFramePosition {
        lock.withLock {
            switch access {
            case .reading(let input): input.length
            case .writing(let output): output.length
            case .closed(let length, _): length
            }
        }
    }

    /// The frame that the next read starts with; in a file that is being written its end.
    ///
    /// Setting it moves there; values outside of 0 … `length` become the nearest in it. A file that is written cannot
    /// be moved in.
    ///
    /// Apple: `AVAudioFile.framePosition`
    public var framePosition: AVAudioFramePosition {
        get {
            lock.withLock {
                switch access {
                case .reading(let input): input.position
                case .writing(let output): output.length
                case .closed(_, let position): position
                }
            }
        }
        set {
            lock.withLock { if case .reading(let input) = access { input.move(to: newValue) } }
        }
    }

    /// Whether the file was not closed yet.
    ///
    /// Apple: `AVAudioFile.isOpen`
    public var isOpen: Bool {
        lock.withLock { if case .closed = access { false } else { true } }
    }

    /// Finishes the file, and waits until it is on the disk; the release of the file does so too.
    ///
    /// Reads and writes throw from then on. Closing twice does nothing.
    ///
    /// Apple: `AVAudioFile.close()`
    public func close() {
        lock.withLock {
            switch access {
            case .reading(let input): access = .closed(length: input.length, position: input.position)
            case .writing(let output):
                output.close()
                access = .closed(length: output.length, position: output.length)
            case .closed: break
            }
        }
    }

    /// Reads frames from `framePosition` on until the buffer is full or the file ends.
    ///
    /// Throws as `read(into:frameCount:)`.
    ///
    /// Apple: `AVAudioFile.read(into:)`
    open func read(into buffer: AVAudioPCMBuffer) throws {
        try read(into: buffer, frameCount: buffer.frameCapacity)
    }

    /// Reads a number of frames from `framePosition` on, as far as the buffer has room and the file has frames.
    ///
    /// The buffer's `frameLength` says how many there are; it is 0 after an error. After an error `framePosition` is
    /// `length`, so that every loop over the file ends.
    ///
    /// - Parameters:
    ///   - buffer: A buffer of the processing format.
    ///   - frames: The number of frames; 0 reads none.
    ///
    /// Throws in the domain `com.apple.coreaudio.avfaudio`: `kAudioFileEndOfFileError` (−39) at the end,
    /// `kAudio_ParamError` for a buffer of another format or without room, `kAudioFileFileNotFoundError` (−43) after
    /// `close()`, `kAudioFilePermissionsError` for a file that is written, `kAudioFileInvalidFileError` for a damaged
    /// one, `kAudioFileUnspecifiedError`.
    ///
    /// Apple: `AVAudioFile.read(into:frameCount:)`
    open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        buffer.frameLength = 0
        try check(buffer.format)
        guard buffer.frameCapacity > 0 else {
            throw NSError.audio(kAudio_ParamError, "The buffer has no room for a frame.")
        }
        try lock.withLock {
            switch access {
            case .reading(let input): try input.read(into: buffer, frames: min(frames, buffer.frameCapacity))
            case .writing:
                throw NSError.audio(kAudioFilePermissionsError, "The file was opened for writing, and is not read.")
            case .closed: throw Self.closedError
            }
        }
    }

    /// Writes the frames of a buffer at the end of the file; a buffer without any is no error.
    ///
    /// - Parameter buffer: A buffer of the processing format.
    ///
    /// Throws in the domain `com.apple.coreaudio.avfaudio`: `kAudio_ParamError` for a buffer of another format,
    /// `kAudioFileFileNotFoundError` (−43) after `close()`, `kAudioFilePermissionsError` for a file that is read,
    /// `kAudioFileUnspecifiedError`, such as for a full disk. What was written before stays in the file.
    ///
    /// Apple: `AVAudioFile.write(from:)`
    open func write(from buffer: AVAudioPCMBuffer) throws {
        try check(buffer.format)
        try lock.withLock {
            switch access {
            case .writing(let output): try output.write(from: buffer)
            case .reading:
                throw NSError.audio(kAudioFilePermissionsError, "The file was opened for reading, and is not written.")
            case .closed: throw Self.closedError
            }
        }
    }

    private static var closedError: NSError {
        NSError.audio(kAudioFileFileNotFoundError, "The file was closed before.")
    }

    /// Throws unless a buffer's format is the processing format; a layout changes no sample.
    private func check(_ format: AVAudioFormat) throws {
        guard format.basicDescription != processingFormat.basicDescription else { return }
        throw NSError.audio(
            kAudio_ParamError,
            "The buffer's format \(format.summary) is not the file's processing format \(processingFormat.summary).")
    }
}

extension AVAudioFile {
    /// Reads a number of frames from `framePosition` on into a new buffer.
    ///
    /// Throws as `read(into:frameCount:)`, and `kAudio_ParamError` if there is no memory for so many frames.
    ///
    /// Apple: `AVAudioFile.read(frameCount:)`
    public func read(frameCount: AVAudioFrameCount) throws -> AVReadOnlyAudioPCMBuffer {
        let left = AVAudioFrameCount(clamping: max(length - framePosition, 1))
        guard let buffer = AVAudioPCMBuffer(pcmFormat: processingFormat, frameCapacity: min(frameCount, left)) else {
            throw NSError.audio(kAudio_ParamError, "There is no memory for \(frameCount) frames.")
        }
        try read(into: buffer, frameCount: frameCount)
        return AVReadOnlyAudioPCMBuffer(unsafeRetaining: buffer)
    }

    /// Writes the frames of a buffer at the end of the file.
    ///
    /// Throws as `write(from: AVAudioPCMBuffer)`.
    ///
    /// Apple: `AVAudioFile.write(from:)` for read-only buffers
    public func write(from buffer: AVReadOnlyAudioPCMBuffer) throws { try write(from: buffer.buffer) }
}
