internal import Glibc

/// The error of a network stream that could not be read.
package struct StreamError: Error, Sendable, Equatable {
    /// The kinds of error that callers distinguish.
    package enum Kind: Sendable, Equatable {
        /// No address of HTTP.
        case unsupportedURL
        /// Its name is not known.
        case cannotFindHost
        /// It takes no connection.
        case cannotConnect
        /// There is no way to it.
        case notConnected
        /// The connection broke off, and could not be made again.
        case connectionLost
        /// The server was silent for too long.
        case timedOut
        /// 404 and 410: the server has no such thing.
        case notFound
        /// 403: the server does not give it to us.
        case forbidden
        /// 401: the server gives it to those it knows.
        case authenticationRequired
        /// The server shows a certificate that nobody whom we trust has signed, or that is not its own.
        case untrusted
        /// Another error of the server, or a redirect to nowhere.
        case badResponse
        /// No sound of a known type, or a damaged one.
        case malformed
        /// An encoding that FFmpeg cannot decode.
        case unsupportedEncoding
        /// FFmpeg is not there; the message names the package.
        case missingLibrary
        /// Nobody wants it any more.
        case cancelled
    }

    /// The case.
    package let kind: Kind
    /// One line for people, without the address.
    package let message: String

    /// Makes an error.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether asking again may help, soon: the server, or the way to it, is in trouble, and says so.
    package var isPassing: Bool { [.cannotConnect, .notConnected, .connectionLost, .badResponse].contains(kind) }
}

/// Timeouts of a network stream, and the certificates and user agent of its requests.
package struct StreamLimits: Sendable {
    /// Seconds until a server that says nothing counts as gone.
    package var silence = 10.0
    /// Seconds for all that belongs to opening a stream.
    package var opening = 30.0
    /// Seconds for a block of sound, or for a seek.
    package var reading = 60.0
    /// The longest pause before another connection is tried, in seconds.
    ///
    /// Pauses are 0, 1, 3, 7 and so on.
    package var reconnecting = 4
    /// A file of the certificates that are trusted in place of the system's.
    package var certificates = getenv("SSL_CERT_FILE").map { String(cString: $0) }
    /// The highest bit rate of a playlist's variant, in bits a second; 0 for no limit.
    package var peakBitRate = 0.0
    /// The user agent sent to the server.
    package var userAgent = "swift-avfaudio-linux"

    /// The usual ones.
    package init() {}
}
