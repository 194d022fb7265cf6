internal import AVFAudio
internal import AudioFiles

/// The domain of the errors of players and assets.
///
/// Apple: `AVFoundationErrorDomain`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// An error in ``AVFoundationErrorDomain``, for `catch`, `as?` and its code.
///
/// The errors of players and assets are `NSError` objects, as docs/errors.md explains. A cast to `AVError` succeeds for
/// those of this domain.
///
/// Apple: `AVError`.
public struct AVError: CustomNSError, _BridgedStoredNSError {
    /// The error's code.
    ///
    /// Any number is possible: Apple's systems have more codes than are listed here.
    ///
    /// Apple: `AVError.Code`.
    public struct Code: RawRepresentable, Hashable, Sendable, _ErrorCodeProtocol {
        /// The error type, for `catch AVError.unknown`.
        public typealias _ErrorType = AVError

        /// Apple's number.
        public let rawValue: Int

        /// Creates the code with this number; never nil.
        public init?(rawValue: Int) { self.rawValue = rawValue }

        private init(_ rawValue: Int) { self.rawValue = rawValue }

        /// Any other reason; the underlying error may have details.
        public static let unknown = Code(-11800)
        /// The sound server was lost or restarted.
        public static let mediaServicesWereReset = Code(-11819)
        /// The sound could not be decoded.
        public static let decodeFailed = Code(-11821)
        /// The file is not of a known type.
        public static let fileFormatNotRecognized = Code(-11828)
        /// The file is of a known type, but damaged.
        public static let fileFailedToParse = Code(-11829)
        /// There is no decoder for the sound's format.
        public static let decoderNotFound = Code(-11833)
        /// The user has no permission for the content; never reported here.
        public static let contentIsNotAuthorized = Code(-11835)
        /// The server sent other data than expected; never reported here.
        public static let failedToLoadMediaData = Code(-11849)
        /// The server is not configured correctly; never reported here.
        public static let serverIncorrectlyConfigured = Code(-11850)
        /// The operation is not allowed; never reported here.
        public static let operationNotAllowed = Code(-11862)
        /// The content is no longer available; never reported here.
        public static let contentIsUnavailable = Code(-11863)
        /// The content can no longer be played; never reported here.
        public static let noLongerPlayable = Code(-11867)
    }

    /// The `NSError` object.
    public let _nsError: NSError

    /// Wraps an object of the domain; called by Foundation.
    public init(_nsError error: NSError) { _nsError = error }

    /// ``AVFoundationErrorDomain``.
    ///
    /// Apple: `AVError.errorDomain`.
    public static var errorDomain: String { AVFoundationErrorDomain }

    /// ``AVFoundationErrorDomain``, for Foundation.
    public static var _nsErrorDomain: String { AVFoundationErrorDomain }

    /// `Code.unknown`.
    public static var unknown: Code { .unknown }
    /// `Code.mediaServicesWereReset`.
    public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
    /// `Code.decodeFailed`.
    public static var decodeFailed: Code { .decodeFailed }
    /// `Code.fileFormatNotRecognized`.
    public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
    /// `Code.fileFailedToParse`.
    public static var fileFailedToParse: Code { .fileFailedToParse }
    /// `Code.decoderNotFound`.
    public static var decoderNotFound: Code { .decoderNotFound }
    /// `Code.contentIsNotAuthorized`.
    public static var contentIsNotAuthorized: Code { .contentIsNotAuthorized }
    /// `Code.failedToLoadMediaData`.
    public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
    /// `Code.serverIncorrectlyConfigured`.
    public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
    /// `Code.operationNotAllowed`.
    public static var operationNotAllowed: Code { .operationNotAllowed }
    /// `Code.contentIsUnavailable`.
    public static var contentIsUnavailable: Code { .contentIsUnavailable }
    /// `Code.noLongerPlayable`.
    public static var noLongerPlayable: Code { .noLongerPlayable }
}

// Foundation on Linux does not create such errors from thrown objects by itself: a cast calls these functions.
extension AVError: _ObjectiveCBridgeable {
    /// The `NSError` object; called by casts.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// Sets `result` to the error of an object, or nil if the object is of another domain; called by casts.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout AVError?) {
        result = source.domain == AVFoundationErrorDomain ? AVError(_nsError: source) : nil
    }

    /// Sets `result` to the error of an object, if it is of this domain; called by casts.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout AVError?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return result != nil
    }

    /// The error of an object; called by bridging that cannot fail.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> AVError {
        source.map { AVError(_nsError: $0) } ?? AVError(.unknown)
    }
}

extension NSError {
    /// An error in ``AVFoundationErrorDomain``.
    convenience init(_ code: AVError.Code, _ message: String, underlying: (any Error)? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(domain: AVFoundationErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// The error of players and assets for a file that `AVAudioPlayer` refused.
    ///
    /// A missing or unreadable file, or another kind of URL, is an error of the URL, as on Apple's systems.
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

    /// The error of players and assets for a stream.
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
