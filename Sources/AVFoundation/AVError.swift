internal import AVFAudio
internal import AudioFiles

/// The domain of the errors of players and assets.
///
/// Apple: `AVFoundationErrorDomain`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// The codes of the errors in ``AVFoundationErrorDomain``.
///
/// The errors themselves are `NSError` objects, as docs/errors.md explains.
///
/// Apple: `AVError`.
public enum AVError {
    /// What went wrong.
    ///
    /// Apple: `AVError.Code`.
    public enum Code: Int, Sendable {
        case unknown = -11800
        case mediaServicesWereReset = -11819
        case fileFormatNotRecognized = -11828
        case fileFailedToParse = -11829
        case decoderNotFound = -11833
        case decodeFailed = -11821
        case operationNotAllowed = -11862
    }
}

extension NSError {
    /// An error in ``AVFoundationErrorDomain``.
    convenience init(_ code: AVError.Code, _ message: String, underlying: (any Error)? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(domain: AVFoundationErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// What players and assets tell of a file that `AVAudioPlayer` did not take.
    ///
    /// A file that is missing or may not be read, and what is no file, is an error of its URL, as on Apple's systems.
    static func item(_ error: any Error, url: URL) -> NSError {
        let cause = error as NSError
        guard url.isFileURL else {
            let message = "\(url.absoluteString): is neither the URL of a file nor one of http or https"
            return NSError(NSURLErrorUnsupportedURL, message, url, cause)
        }
        let message = cause.localizedDescription
        switch OSStatus(truncatingIfNeeded: cause.code) {
        case -43: return NSError(NSURLErrorFileDoesNotExist, message, url, cause)
        case kAudioFilePermissionsError: return NSError(NSURLErrorNoPermissionsToReadFile, message, url, cause)
        case kAudioFileUnsupportedFileTypeError: return NSError(.fileFormatNotRecognized, message, underlying: cause)
        case kAudioFileInvalidFileError: return NSError(.fileFailedToParse, message, underlying: cause)
        case kAudioFileUnsupportedDataFormatError: return NSError(.decoderNotFound, message, underlying: cause)
        default: return NSError(.unknown, message, underlying: cause)
        }
    }

    /// What players and assets tell of a stream.
    static func stream(_ error: StreamError?, url: URL) -> NSError {
        let message = "\(url.host ?? ""): \(error?.message ?? "")"
        switch error?.kind {
        case .unsupportedURL: return NSError(NSURLErrorUnsupportedURL, message, url)
        case .cannotFindHost: return NSError(NSURLErrorCannotFindHost, message, url)
        case .cannotConnect: return NSError(NSURLErrorCannotConnectToHost, message, url)
        case .notConnected: return NSError(NSURLErrorNotConnectedToInternet, message, url)
        case .connectionLost: return NSError(NSURLErrorNetworkConnectionLost, message, url)
        case .timedOut: return NSError(NSURLErrorTimedOut, message, url)
        case .notFound: return NSError(NSURLErrorFileDoesNotExist, message, url)
        case .forbidden: return NSError(NSURLErrorNoPermissionsToReadFile, message, url)
        case .authenticationRequired: return NSError(NSURLErrorUserAuthenticationRequired, message, url)
        case .untrusted: return NSError(NSURLErrorServerCertificateUntrusted, message, url)
        case .badResponse: return NSError(NSURLErrorBadServerResponse, message, url)
        case .cancelled: return NSError(NSURLErrorCancelled, message, url)
        case .malformed: return NSError(.fileFormatNotRecognized, message)
        case .unsupportedEncoding, .missingLibrary: return NSError(.decoderNotFound, message)
        case nil: return NSError(.unknown, message)
        }
    }

    private convenience init(_ code: Int, _ message: String, _ url: URL, _ cause: NSError? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message, NSURLErrorFailingURLErrorKey: url]
        if let cause { userInfo[NSUnderlyingErrorKey] = cause }
        self.init(domain: NSURLErrorDomain, code: code, userInfo: userInfo)
    }
}
