internal import CSndFile
internal import Glibc

/// The error of a sound file that could not be read or written.
package struct AudioFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of error that callers distinguish.
    package enum Kind: Sendable, Equatable {
        /// There is no such file, or no such folder to create it in.
        case notFound
        /// The file or its folder may not be used by this user.
        case permission
        /// The path names a folder.
        case isDirectory
        /// A FIFO, a socket or a device: sound files need a seekable file.
        case notAFile
        /// No sound file of a known type; an empty file is one of these.
        case unknownType
        /// A known type, but damaged, or shorter than its header promises.
        case malformed
        /// A known container with an encoding, rate or channel count that it or we cannot handle.
        case unsupportedEncoding
        /// FFmpeg or libsoxr is needed for this, and not there; the message names the package.
        case missingLibrary
        /// A frame beyond the end or before the start was asked for.
        case outOfRange
        /// The disk, or the user's quota, is full; the value is the `errno`.
        case diskFull(Int32)
        /// Another failed system call; the value is its `errno`.
        case io(Int32)
        /// The writer was closed before.
        case closed
    }

    /// The case.
    package let kind: Kind
    /// One line for people, without the path.
    package let message: String
    /// The file, if it has a name; for people, as bytes that are no text are marked in it.
    package let path: String?

    /// Makes an error.
    package init(_ kind: Kind, _ message: String, path: String? = nil) {
        self.kind = kind
        self.message = message
        self.path = path?.readablePath
    }

    /// The path, if any, and the message.
    package var description: String { path.map { "\($0): \(message)" } ?? message }

    /// An error from a failed system call.
    static func system(_ code: Int32, path: String?) -> AudioFileError {
        let kind: Kind =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM, EROFS: .permission
            case EISDIR: .isDirectory
            case ENXIO, ESPIPE: .notAFile
            case ENOSPC, EDQUOT, EFBIG: .diskFull(code)
            default: .io(code)
            }
        return AudioFileError(kind, String(cString: strerror(code)), path: path)
    }

    /// An error that libsndfile reports for a handle, or for the last open if there is none.
    static func library(_ handle: OpaquePointer?, path: String?) -> AudioFileError {
        let message = String(cString: sf_strerror(handle))
        let kind: Kind =
            switch Int(sf_error(handle)) {
            case SF_ERR_UNRECOGNISED_FORMAT: .unknownType
            case SF_ERR_UNSUPPORTED_ENCODING: .unsupportedEncoding
            default: .malformed
            }
        return AudioFileError(kind, message, path: path)
    }
}
