internal import AudioHost
internal import AudioSession
internal import Foundation
internal import SessionPolicy

/// What concerns the sound of the whole app: whether it may listen, and whether it has muted its microphone.
///
/// Nothing is asked of the desktop before the app records, or wants to know. All members may be used from any thread.
///
/// Apple: `AVAudioApplication`.
// SAFETY: `handler` is guarded by `lock`; the rest does not change.
nonisolated open class AVAudioApplication: NSObject, @unchecked Sendable {
    private static let application = AVAudioApplication(session: .sharedInstance())
    private let session: AVAudioSession
    private let lock = NSLock()
    private var handler: (@Sendable (Bool) -> Bool)?

    /// The app; always the same object.
    ///
    /// Apple: `AVAudioApplication.shared`.
    open class var shared: AVAudioApplication { application }

    /// The app of a session; for tests, which have several in a process.
    package init(session: AVAudioSession) {
        self.session = session
        super.init()
        session.relay.application = self
    }

    // MARK: Permission to record

    /// Whether the app may record.
    ///
    /// Apple: `AVAudioApplication.recordPermission`.
    public enum recordPermission: Int, Sendable {
        /// Nobody has been asked (`undt`).
        case undetermined = 0x756E_6474
        /// No (`deny`).
        case denied = 0x6465_6E79
        /// Yes (`grnt`).
        case granted = 0x6772_6E74
    }

    /// Whether the app may record: by the desktop's permission store, or else the user's settings.
    ///
    /// The first use asks the desktop, which takes some milliseconds, and two seconds and a half at most; later ones do
    /// not wait. `granted` where nobody has decided and nobody can ask, as nothing keeps a program from recording
    /// there.
    ///
    /// Apple: `AVAudioApplication.recordPermission`. D-Bus: `org.freedesktop.impl.portal.PermissionStore`.
    open var recordPermission: AVAudioApplication.recordPermission {
        switch session.core.microphone?.permission ?? .granted {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user whether the app may record, if that has not been decided.
    ///
    /// The answer is kept by the desktop. A question that the user waves away counts as no, and stays open.
    ///
    /// - Parameter response: Told whether the app may record; called once, on a thread of its own: at once where that
    ///   has been decided, and else after the dialog.
    ///
    /// Apple: `AVAudioApplication.requestRecordPermission(completionHandler:)`. D-Bus:
    /// `org.freedesktop.impl.portal.Access`.
    @preconcurrency
    open class func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        AVAudioSession.sharedInstance().requestRecordPermission(response)
    }

    /// Asks the user whether the app may record, if that has not been decided; returns whether it may.
    ///
    /// Apple: `AVAudioApplication.requestRecordPermission()`.
    open class func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            requestRecordPermission { continuation.resume(returning: $0) }
        }
    }

    // MARK: Muted input

    /// Posted on the main queue when the app's input is muted or is muted no more, with the app as its object.
    ///
    /// Only while the session is active and has an input; what changes at another time is told at the next activation.
    ///
    /// Apple: `AVAudioApplication.inputMuteStateChangeNotification`.
    public static let inputMuteStateChangeNotification = Notification.Name(
        "AVAudioApplicationInputMuteStateChangeNotification")

    /// In the user info: an `NSNumber`, whether the input is muted.
    ///
    /// Apple: `AVAudioApplication.muteStateKey`.
    public static let muteStateKey = "AVAudioApplicationMuteStateKey"

    /// Whether the app has muted its input; at first false.
    ///
    /// Apple: `AVAudioApplication.isInputMuted`.
    open var isInputMuted: Bool { session.core.isInputMuted }

    /// Makes everything that the app captures silence, or ends that; recorders go on, and time passes for them.
    ///
    /// Throws an `NSError` where a handler has been set that refuses; nothing has changed then.
    ///
    /// Apple: `AVAudioApplication.setInputMuted(_:)`.
    open func setInputMuted(_ muted: Bool) throws {
        if muted != isInputMuted, let handler = lock.withLock({ handler }), !handler(muted) {
            throw NSError(
                SessionError(.unspecified, "The app's handler did not \(muted ? "mute" : "unmute") the input."))
        }
        session.core.setInputMuted(muted)
    }

    /// Sets what is called before the input is muted or unmuted, or nothing; nothing is thrown here.
    ///
    /// It is told whether the input is to be muted, on the thread that asks for it, and answers whether the app could
    /// do its part; false leaves everything as it is.
    ///
    /// Apple: `AVAudioApplication.setInputMuteStateChangeHandler(_:)`, on macOS.
    @preconcurrency
    open func setInputMuteStateChangeHandler(_ inputMuteHandler: (@Sendable (Bool) -> Bool)?) throws {
        // The one before is let go of after the lock: what it holds may ask us something as it goes.
        let old = lock.withLock {
            defer { handler = inputMuteHandler }
            return handler
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Sound into calls

    /// Whether the app may add sound to what other apps send in a call.
    ///
    /// Apple: `AVAudioApplication.MicrophoneInjectionPermission`.
    public enum MicrophoneInjectionPermission: Int, Sendable {
        /// There is no such service (`srds`).
        case serviceDisabled = 0x7372_6473
        /// Nobody has been asked (`undt`).
        case undetermined = 0x756E_6474
        /// No (`deny`).
        case denied = 0x6465_6E79
        /// Yes (`grnt`).
        case granted = 0x6772_6E74
    }

    /// Whether the app may add sound to calls: always `serviceDisabled`, for there is no such service here.
    ///
    /// Apple: `AVAudioApplication.microphoneInjectionPermission`.
    open var microphoneInjectionPermission: MicrophoneInjectionPermission { .serviceDisabled }

    /// Says that there is no such service, on a thread of its own; nobody is asked.
    ///
    /// Apple: `AVAudioApplication.requestMicrophoneInjectionPermission(completionHandler:)`.
    @preconcurrency
    open class func requestMicrophoneInjectionPermission(
        completionHandler response: @escaping @Sendable (MicrophoneInjectionPermission) -> Void
    ) {
        DispatchQueue(label: "AVAudioApplication").async { response(.serviceDisabled) }
    }

    /// Says that there is no such service; nobody is asked.
    ///
    /// Apple: `AVAudioApplication.requestMicrophoneInjectionPermission()`.
    open class func requestMicrophoneInjectionPermission() async -> MicrophoneInjectionPermission { .serviceDisabled }
}

extension AVAudioSession {
    /// Whether the app may record; see ``AVAudioApplication/recordPermission-swift.property``.
    ///
    /// Apple: `AVAudioSession.recordPermission`, which `AVAudioApplication` replaces since iOS 17.
    public var recordPermission: AVAudioSession.RecordPermission {
        switch core.microphone?.permission ?? .granted {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user whether the app may record, if that has not been decided; see
    /// ``AVAudioApplication/requestRecordPermission(completionHandler:)``.
    ///
    /// Apple: `AVAudioSession.requestRecordPermission(_:)`, which `AVAudioApplication` replaces since iOS 17.
    @preconcurrency
    public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        guard let microphone = core.microphone else {
            return DispatchQueue(label: "AVAudioApplication").async { response(true) }
        }
        microphone.request(response)
    }
}

extension AVAudioSession.RecordPermission {
    /// The permission itself: in Swift 3 and 4, `recordPermission()` was a method.
    @available(*, deprecated, message: "recordPermission is a property")
    public func callAsFunction() -> AVAudioSession.RecordPermission { self }
}
