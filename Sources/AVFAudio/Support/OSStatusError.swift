internal import AudioHost
internal import SessionPolicy

// Errors leave this library as real NSError objects: `catch let error as NSError` compiles for every error on Linux,
// but does not catch a Swift structure at run time. docs/errors.md lists what is thrown when.

extension NSError {
    /// An error in `NSOSStatusErrorDomain`.
    ///
    /// - Parameters:
    ///   - status: The code, often four characters.
    ///   - message: One sentence for people; it becomes the localized description.
    ///   - path: The file that it is about.
    ///   - underlying: The cause.
    convenience init(status: Int, message: String, path: String? = nil, underlying: (any Error)? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let path { userInfo[NSFilePathErrorKey] = path }
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(domain: NSOSStatusErrorDomain, code: status, userInfo: userInfo)
    }

    /// The error that an app gets for a session's refusal.
    convenience init(_ error: SessionError) {
        self.init(status: error.code.rawValue, message: error.message, underlying: error.errno.map(Self.system))
    }

    /// The error that an app gets for a file.
    ///
    /// - Parameters:
    ///   - failure: What is wrong with it.
    ///   - message: One sentence for people.
    ///   - path: The file, if it has a name.
    ///   - errno: The system's error number, if a system call failed; it becomes the underlying error.
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

/// What can be wrong with a sound file, as the codes of Apple's audio file errors.
///
/// Apple: the `kAudioFile…Error` constants.
enum AudioFileFailure: OSStatus, CaseIterable {
    /// There is no such file or folder (−43).
    case notFound = -43
    /// The file may not be read or written (`prm?`).
    case permission = 0x7072_6D3F
    /// No sound file of a known kind (`typ?`).
    case unknownType = 0x7479_703F
    /// A known kind, but damaged or empty (`dta?`).
    case malformed = 0x6474_613F
    /// An encoding that this kind of file, or this library, cannot handle (`fmt?`).
    case unsupportedEncoding = 0x666D_743F
    /// A frame that the file does not have (−40).
    case outOfRange = -40
    /// The file was closed before (−38).
    case closed = -38
    /// A system call failed; the underlying error says which way (`wht?`).
    case io = 0x7768_743F
}
