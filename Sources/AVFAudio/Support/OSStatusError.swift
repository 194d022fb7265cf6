internal import AudioHost
internal import SessionPolicy

// Errors leave this library as `NSError` objects: on Linux `catch let error as NSError` compiles for every error, but
// does not catch Swift structures at run time. docs/errors.md lists the errors.

extension NSError {
    /// An error in `NSOSStatusErrorDomain`.
    ///
    /// - Parameters:
    ///   - status: The code, often four characters.
    ///   - message: One sentence for people; it becomes the localized description.
    ///   - path: The path of the file concerned.
    ///   - underlying: The cause.
    convenience init(status: Int, message: String, path: String? = nil, underlying: (any Error)? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let path { userInfo[NSFilePathErrorKey] = path }
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(domain: NSOSStatusErrorDomain, code: status, userInfo: userInfo)
    }

    /// The error for a session's refusal.
    convenience init(_ error: SessionError) {
        self.init(status: error.code.rawValue, message: error.message, underlying: error.errno.map(Self.system))
    }

    /// The error for a file.
    ///
    /// - Parameters:
    ///   - failure: The kind of the failure.
    ///   - message: One sentence for people.
    ///   - path: The path of the file, if it has one.
    ///   - errno: The error number of a failed system call; it becomes the underlying error.
    convenience init(file failure: AudioFileFailure, message: String, path: String? = nil, errno: Int32? = nil) {
        self.init(
            status: Int(failure.rawValue), message: message, path: path, underlying: errno.map(Self.system))
    }

    private static func system(_ number: Int32) -> NSError {
        NSError(
            domain: NSPOSIXErrorDomain, code: Int(number),
            userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(number))])
    }
}

/// The failures of sound files, with the codes of Apple's audio file errors.
///
/// Apple: the `kAudioFile…Error` constants.
enum AudioFileFailure: OSStatus, CaseIterable {
    /// There is no such file or folder (−43).
    case notFound = -43
    /// The file may not be read or written (`prm?`).
    case permission = 0x7072_6D3F
    /// The file is not a sound file of a known kind (`typ?`).
    case unknownType = 0x7479_703F
    /// The file is of a known kind, but damaged or empty (`dta?`).
    case malformed = 0x6474_613F
    /// The encoding is not supported in this kind of file, or by this library (`fmt?`).
    case unsupportedEncoding = 0x666D_743F
    /// The frame is beyond the file's end (−40).
    case outOfRange = -40
    /// The file was closed before (−38).
    case closed = -38
    /// A system call failed; the underlying error has its number (`wht?`).
    case io = 0x7768_743F
}
