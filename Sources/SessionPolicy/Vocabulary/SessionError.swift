/// An error of a session: the refusal of a request, with its reason.
///
/// Apple: an `NSError` of `NSOSStatusErrorDomain` with a code of `AVAudioSession.ErrorCode`; AVFAudio makes one of it.
package struct SessionError: Error, Equatable, Sendable {
    /// The kind of refusal.
    package let code: Code
    /// The broken rule, or the missing resource, as one sentence to display.
    package let message: String
    /// The system's error number of the cause, if it says more than the code, such as `EACCES`.
    package let errno: Int32?

    /// Creates an error of this kind, with one sentence to display.
    package init(_ code: Code, _ message: String, errno: Int32? = nil) {
        self.code = code
        self.message = message
        self.errno = errno
    }

    /// The kinds of refusal; a raw value is four characters read as a big-endian integer, or −50.
    ///
    /// Apple: `AVAudioSession.ErrorCode`, with the same raw values.
    package enum Code: Int, CaseIterable, Sendable {
        /// The sound server is gone (`msrv`).
        case mediaServicesFailed = 1_836_282_486
        /// Players or recorders still run (`!act`).
        case isBusy = 560_030_580
        /// The category does not support the operation (`!cat`).
        case incompatibleCategory = 560_161_140
        /// The app is in the background and may not interrupt others (`!int`).
        case cannotInterruptOthers = 560_557_684
        /// An entitlement is missing (`ent?`).
        case missingEntitlement = 1_701_737_535
        /// The voice assistant is recording (`siri`).
        case siriIsRecording = 1_936_290_409
        /// The app may not start to play now (`!pla`).
        case cannotStartPlaying = 561_015_905
        /// The app may not start to record now (`!rec`).
        case cannotStartRecording = 561_145_187
        /// A value is illegal.
        case badParam = -50
        /// A call or an alarm comes first (`!pri`).
        case insufficientPriority = 561_017_449
        /// A device is missing, such as a microphone (`!res`).
        case resourceNotAvailable = 561_145_203
        /// Anything else (`what`).
        case unspecified = 2_003_329_396
        /// The session is gone (`!ses`).
        case expiredSession = 561_210_739
        /// The session is not active (`inac`).
        case sessionNotActive = 1_768_841_571
    }
}
