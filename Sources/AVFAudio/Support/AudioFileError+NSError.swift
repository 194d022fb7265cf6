internal import AudioFiles
internal import AudioHost
internal import Foundation

extension NSError {
    /// Converts an error of a file that could not be read or written.
    static func audioFile(_ error: AudioFileError) -> NSError {
        let failure: AudioFileFailure
        var number: Int32?
        switch error.kind {
        case .notFound: (failure, number) = (.notFound, ENOENT)
        case .permission: (failure, number) = (.permission, EACCES)
        case .isDirectory: (failure, number) = (.unknownType, EISDIR)
        case .notAFile, .unknownType: failure = .unknownType
        case .malformed: failure = .malformed
        case .unsupportedEncoding, .missingLibrary: failure = .unsupportedEncoding
        case .outOfRange: failure = .outOfRange
        case .diskFull(let code), .io(let code): (failure, number) = (.io, code)
        case .closed: failure = .closed
        }
        return NSError(file: failure, message: error.description, path: error.path, errno: number)
    }

    /// The error for a format that cannot be recorded.
    static func unsupportedFormat(_ message: String) -> NSError {
        NSError(file: .unsupportedEncoding, message: message)
    }

    /// The error for a type of file that cannot be recorded into.
    static func unsupportedType(_ message: String, _ url: URL) -> NSError {
        NSError(file: .unknownType, message: message, path: url.filePath.readablePath)
    }
}
