internal import CPulse

/// An error of a call to the sound server.
///
/// PulseAudio: `pa_error_code_t`.
public struct PulseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpulse's error code.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number of the `PA_ERR_…` constant.
        public let rawValue: Int32

        /// Creates a code from its number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        private init(_ code: pa_error_code) { rawValue = Int32(bitPattern: code.rawValue) }

        /// Access denied.
        ///
        /// PulseAudio: `PA_ERR_ACCESS`.
        public static let access = Code(PA_ERR_ACCESS)
        /// The argument is out of range.
        ///
        /// PulseAudio: `PA_ERR_INVALID`.
        public static let invalidArgument = Code(PA_ERR_INVALID)
        /// There is no such object.
        ///
        /// PulseAudio: `PA_ERR_NOENTITY`.
        public static let noSuchEntity = Code(PA_ERR_NOENTITY)
        /// No server listens at the address.
        ///
        /// PulseAudio: `PA_ERR_CONNECTIONREFUSED`.
        public static let connectionRefused = Code(PA_ERR_CONNECTIONREFUSED)
        /// No answer in time.
        ///
        /// PulseAudio: `PA_ERR_TIMEOUT`.
        public static let timeout = Code(PA_ERR_TIMEOUT)
        /// The server closed the connection.
        ///
        /// PulseAudio: `PA_ERR_CONNECTIONTERMINATED`.
        public static let connectionTerminated = Code(PA_ERR_CONNECTIONTERMINATED)
        /// The object was killed, by a client or the server.
        ///
        /// PulseAudio: `PA_ERR_KILLED`.
        public static let killed = Code(PA_ERR_KILLED)
        /// The address is malformed.
        ///
        /// PulseAudio: `PA_ERR_INVALIDSERVER`.
        public static let invalidServer = Code(PA_ERR_INVALIDSERVER)
        /// The object is not in the state that the call needs.
        ///
        /// PulseAudio: `PA_ERR_BADSTATE`.
        public static let badState = Code(PA_ERR_BADSTATE)
        /// There is nothing to return yet.
        ///
        /// PulseAudio: `PA_ERR_NODATA`.
        public static let noData = Code(PA_ERR_NODATA)
        /// The server speaks another version of the protocol.
        ///
        /// PulseAudio: `PA_ERR_VERSION`.
        public static let version = Code(PA_ERR_VERSION)
        /// The data is too large.
        ///
        /// PulseAudio: `PA_ERR_TOOLARGE`.
        public static let tooLarge = Code(PA_ERR_TOOLARGE)
        /// The server has no such extension.
        ///
        /// PulseAudio: `PA_ERR_NOEXTENSION`.
        public static let noSuchExtension = Code(PA_ERR_NOEXTENSION)
        /// The server does not offer this.
        ///
        /// PulseAudio: `PA_ERR_NOTSUPPORTED`.
        public static let notSupported = Code(PA_ERR_NOTSUPPORTED)
        /// The input or output failed; PipeWire's answer where its session manager refuses a stream.
        ///
        /// PulseAudio: `PA_ERR_IO`.
        public static let inputOutput = Code(PA_ERR_IO)
        /// An error that libpulse has no name for.
        ///
        /// PulseAudio: `PA_ERR_UNKNOWN`.
        public static let unknown = Code(PA_ERR_UNKNOWN)
    }

    /// The error's code, from libpulse.
    public let code: Code
    /// The C function that failed, such as `pa_context_connect`.
    public let operation: String
    /// A text to add to libpulse's own, if more is known.
    public let explanation: String?

    /// Creates the error of a call.
    public init(_ code: Code, in operation: String, explanation: String? = nil) {
        self.code = code
        self.operation = operation
        self.explanation = explanation
    }

    /// A description in one line: the failed function, and the reason.
    ///
    /// PulseAudio: `pa_strerror`.
    public var description: String {
        let text = explanation ?? pa_strerror(code.rawValue).map { String(cString: $0) } ?? "error \(code.rawValue)"
        return "\(operation): \(text)"
    }
}

extension PulseError {
    /// Whether no server can be used: there is none, it went away, or it denies access.
    ///
    /// Otherwise a server is there, but the call was wrong or the stream was killed.
    package var isOfServer: Bool {
        [.connectionRefused, .connectionTerminated, .timeout, .access, .invalidServer, .version].contains(code)
    }

    /// The last error of a context.
    init(context: OpaquePointer?, in operation: String) {
        let number = context.map { pa_context_errno($0) } ?? 0
        self.init(number == 0 ? .unknown : Code(rawValue: number), in: operation)
    }
}
