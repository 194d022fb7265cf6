extension AVAudioSession {
    /// The codes of the errors that a session throws, in `NSOSStatusErrorDomain`.
    ///
    /// Apple: `AVAudioSession.ErrorCode`
    public enum ErrorCode: Int, Sendable {
        /// No error.
        case none = 0
        /// The sound server is gone (`msrv`).
        case mediaServicesFailed = 1_836_282_486
        /// A player or recorder is still running (`!act`).
        case isBusy = 560_030_580
        /// The category does not support the operation (`!cat`).
        case incompatibleCategory = 560_161_140
        /// An app in the background may not interrupt others (`!int`); never thrown on Linux.
        case cannotInterruptOthers = 560_557_684
        /// An entitlement is missing (`ent?`); never thrown on Linux.
        case missingEntitlement = 1_701_737_535
        /// The voice assistant is recording (`siri`); never thrown on Linux.
        case siriIsRecording = 1_936_290_409
        /// Playback cannot start now (`!pla`); never thrown, because `play()` returns false instead.
        case cannotStartPlaying = 561_015_905
        /// Recording cannot start now, or the input gave no sound (`!rec`); only given to a recorder's delegate.
        case cannotStartRecording = 561_145_187
        /// An illegal value, or an illegal combination of values.
        case badParam = -50
        /// A call or an alarm has priority (`!pri`).
        case insufficientPriority = 561_017_449
        /// A device is missing, such as a microphone (`!res`).
        case resourceNotAvailable = 561_145_203
        /// Another error (`what`).
        case unspecified = 2_003_329_396
        /// The session is gone (`!ses`); never thrown on Linux.
        case expiredSession = 561_210_739
        /// The session is not active (`inac`); never thrown on Linux.
        case sessionNotActive = 1_768_841_571
    }
}
