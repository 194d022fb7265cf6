extension AVAudioSession {
    /// The codes of the errors that a session throws, in `NSOSStatusErrorDomain`.
    ///
    /// Apple: `AVAudioSession.ErrorCode`
    public enum ErrorCode: Int, Sendable {
        /// No error.
        case none = 0
        /// The sound server is gone (`msrv`).
        case mediaServicesFailed = 1_836_282_486
        /// Something is still playing or recording (`!act`).
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
