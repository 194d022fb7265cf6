internal import CAVAudioSession
internal import SessionPolicy

/// The failure of a call, with one of `AVAS_ERROR_` and one sentence.
struct Failure: Error {
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A refusal of the session.
    init(_ error: SessionError) {
        let code =
            switch error.code {
            case .mediaServicesFailed: AVAS_ERROR_NO_SERVER
            case .insufficientPriority: AVAS_ERROR_CALL
            case .resourceNotAvailable: AVAS_ERROR_NO_DEVICE
            case .isBusy: AVAS_ERROR_BUSY
            case .incompatibleCategory: AVAS_ERROR_CATEGORY
            case .badParam: AVAS_ERROR_ARGUMENT
            case .cannotInterruptOthers, .missingEntitlement, .siriIsRecording, .cannotStartPlaying,
                .cannotStartRecording, .unspecified, .expiredSession, .sessionNotActive:
                AVAS_ERROR_OTHER
            }
        // The session knows of players and recorders, which it stops; a C program's streams are its own.
        self.init(
            code, error.code == .isBusy ? "Streams were running when the session was deactivated." : error.message)
    }

    static let forked = Failure(AVAS_ERROR_FORKED, "A child made with fork() cannot use its parent's session.")
    static let noMemory = Failure(AVAS_ERROR_SYSTEM, "There is no memory left.")

    /// An object that was closed or released.
    static func closed(_ kind: String) -> Failure {
        Failure(AVAS_ERROR_CLOSED, "The \(kind) was closed or released, or never was one.")
    }

    /// A pointer that is no reference to such an object any more, or never was one.
    static func missing(_ pointer: OpaquePointer?, _ kind: String) -> Failure {
        pointer == nil
            ? Failure(AVAS_ERROR_ARGUMENT, "The \(kind) is NULL.")
            : closed(kind)
    }

    /// Notes the failure for the calling thread, and returns its code.
    @discardableResult
    func note() -> Int32 {
        session_shims_fail(code, message)
        return code
    }

    /// Runs a call of the app; notes its failure, and returns the code of that.
    static func noting(_ call: () throws(Failure) -> Int32) -> Int32 {
        do throws(Failure) { return try call() } catch { return error.note() }
    }

    /// Runs a call of the app; notes its failure, and returns nil then.
    static func noting<Result>(_ call: () throws(Failure) -> Result?) -> Result? {
        do throws(Failure) { return try call() } catch {
            error.note()
            return nil
        }
    }

    /// Runs a call of the session, whose refusal is a failure; it may start threads.
    static func of<Result>(_ call: () throws(SessionError) -> Result) throws(Failure) -> Result {
        do throws(SessionError) { return try startingThreads(call) } catch { throw Failure(error) }
    }
}

/// The text behind a C string; throws for NULL, and for bytes that are not UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String {
    guard let pointer else { throw Failure(AVAS_ERROR_ARGUMENT, "The \(name) is NULL.") }
    guard let text = String(validatingCString: pointer) else {
        throw Failure(AVAS_ERROR_ARGUMENT, "The \(name) is not UTF-8.")
    }
    return text
}

/// 0 or 1 for a number that means no or yes; throws for others.
func flag(_ value: Int32, _ name: String) throws(Failure) -> Bool {
    guard value == 0 || value == 1 else {
        throw Failure(AVAS_ERROR_ARGUMENT, "\(value) is no \(name); it is 0 or 1.")
    }
    return value == 1
}
