internal import AudioHost
internal import AudioSession
internal import Foundation
internal import Locks
internal import SessionPolicy

/// The app's permission to record, and the mute state of its input.
///
/// The desktop is asked at the app's first recording or question, not before. All members may be used from any thread.
///
/// Apple: `AVAudioApplication`.
// SAFETY: `handler` is guarded by `lock`; the rest is immutable.
nonisolated open class AVAudioApplication: NSObject, @unchecked Sendable {
    private static let application = AVAudioApplication(session: .sharedInstance())
    private let session: AVAudioSession
    private let lock = NSLock()
    private var handler: (@Sendable (Bool) -> Bool)?

    /// The app; always the same object.
    ///
    /// Apple: `AVAudioApplication.shared`.
    open class var shared: AVAudioApplication { application }

    /// The app of a session, for tests with several sessions in one process.
    package init(session: AVAudioSession) {
        self.session = session
        super.init()
        session.relay.application = self
    }

    // MARK: Permission to record

    /// The permission to record.
    ///
    /// Apple: `AVAudioApplication.recordPermission`.
    public enum recordPermission: Int, Sendable {
        /// The user has not been asked (`undt`).
        case undetermined = 0x756E_6474
        /// The app may not record (`deny`).
        case denied = 0x6465_6E79
        /// The app may record (`grnt`).
        case granted = 0x6772_6E74
    }

    /// The permission to record, by the desktop's permission store, or else by the user's settings.
    ///
    /// Any thread. The first use asks the desktop, which takes some milliseconds, and waits for its answer for 2 s at
    /// most. Later uses return at once. The value is `granted` if the permission is not decided and the desktop cannot
    /// ask the user, because nothing keeps a program from recording then.
    ///
    /// Apple: `AVAudioApplication.recordPermission`. D-Bus: `org.freedesktop.impl.portal.PermissionStore`.
    open var recordPermission: AVAudioApplication.recordPermission {
        switch CallDeadline.share({ session.core.microphone?.permission ?? .granted }) {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user for the permission to record, if it is not decided.
    ///
    /// Any thread; returns at once. The desktop stores the answer. A dismissed dialog counts as a refusal for now, and
    /// the question stays open.
    ///
    /// - Parameter response: Called once with whether the app may record, on a queue of the library: soon if that is
    ///   decided, else after the dialog.
    ///
    /// Apple: `AVAudioApplication.requestRecordPermission(completionHandler:)`. D-Bus:
    /// `org.freedesktop.impl.portal.Access`.
    @preconcurrency
    open class func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        AVAudioSession.sharedInstance().requestRecordPermission(response)
    }

    /// Asks the user for the permission to record, if it is not decided; returns whether the app may record.
    ///
    /// Suspends the task until the user has answered, and blocks no thread.
    ///
    /// Apple: `AVAudioApplication.requestRecordPermission()`.
    open class func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            requestRecordPermission { continuation.resume(returning: $0) }
        }
    }

    // MARK: Muted input

    /// Posted on the main queue when the app's input was muted or unmuted, with ``shared`` as its object.
    ///
    /// Posted only while the session is active and its category records; a change at another time is posted at the next
    /// activation.
    ///
    /// Apple: `AVAudioApplication.inputMuteStateChangeNotification`.
    public static let inputMuteStateChangeNotification = Notification.Name(
        "AVAudioApplicationInputMuteStateChangeNotification")

    /// The user info key of the mute state: an `NSNumber`, true if the input is muted.
    ///
    /// Apple: `AVAudioApplication.muteStateKey`.
    public static let muteStateKey = "AVAudioApplicationMuteStateKey"

    /// Whether the app has muted its input; initially false.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioApplication.isInputMuted`.
    open var isInputMuted: Bool { session.core.isInputMuted }

    /// Replaces everything that the app captures by silence, or ends that; recorders go on, and their time passes.
    ///
    /// Any thread. Waits for other threads' calls of the session, not for the sound server. Throws an `NSError` with
    /// the code `unspecified` ('what') if the handler set with ``setInputMuteStateChangeHandler(_:)`` refuses; the
    /// state is unchanged then.
    ///
    /// Apple: `AVAudioApplication.setInputMuted(_:)`.
    open func setInputMuted(_ muted: Bool) throws {
        if muted != isInputMuted, let handler = lock.withLock({ handler }), !handler(muted) {
            throw NSError(
                SessionError(.unspecified, "The app's handler did not \(muted ? "mute" : "unmute") the input."))
        }
        session.core.setInputMuted(muted)
    }

    /// Sets the handler to call before the input is muted or unmuted; nil removes it.
    ///
    /// Never throws, and returns at once.
    ///
    /// The handler is called on the thread that calls ``setInputMuted(_:)``, with the new state. It returns whether the
    /// app has done its part; false leaves the state unchanged.
    ///
    /// Apple: `AVAudioApplication.setInputMuteStateChangeHandler(_:)`, on macOS.
    @preconcurrency
    open func setInputMuteStateChangeHandler(_ inputMuteHandler: (@Sendable (Bool) -> Bool)?) throws {
        // The previous handler is released after the lock: its deinitializers may call this object.
        let old = lock.withLock {
            defer { handler = inputMuteHandler }
            return handler
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Sound into calls

    /// The permission to add sound to calls of other apps.
    ///
    /// Apple: `AVAudioApplication.MicrophoneInjectionPermission`.
    public enum MicrophoneInjectionPermission: Int, Sendable {
        /// The system has no such service (`srds`).
        case serviceDisabled = 0x7372_6473
        /// The user has not been asked (`undt`).
        case undetermined = 0x756E_6474
        /// The app may not add sound (`deny`).
        case denied = 0x6465_6E79
        /// The app may add sound (`grnt`).
        case granted = 0x6772_6E74
    }

    /// The permission to add sound to calls of other apps: always `serviceDisabled`, because Linux has no such service.
    ///
    /// Apple: `AVAudioApplication.microphoneInjectionPermission`.
    open var microphoneInjectionPermission: MicrophoneInjectionPermission { .serviceDisabled }

    /// Calls `response` with `serviceDisabled`, on a queue of the library, without asking the user.
    ///
    /// Apple: `AVAudioApplication.requestMicrophoneInjectionPermission(completionHandler:)`.
    @preconcurrency
    open class func requestMicrophoneInjectionPermission(
        completionHandler response: @escaping @Sendable (MicrophoneInjectionPermission) -> Void
    ) {
        DispatchQueue(label: "AVAudioApplication").async { response(.serviceDisabled) }
    }

    /// Returns `serviceDisabled`, without asking the user.
    ///
    /// Apple: `AVAudioApplication.requestMicrophoneInjectionPermission()`.
    open class func requestMicrophoneInjectionPermission() async -> MicrophoneInjectionPermission { .serviceDisabled }
}

extension AVAudioSession {
    /// The permission to record; see ``AVAudioApplication/recordPermission-swift.property`` for its waiting time.
    ///
    /// Apple: `AVAudioSession.recordPermission`, which `AVAudioApplication` replaces since iOS 17.
    public var recordPermission: AVAudioSession.RecordPermission {
        switch core.microphone?.permission ?? .granted {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user for the permission to record, if it is not decided; see
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
    /// Returns the permission itself, because `recordPermission()` was a method in Swift 3 and 4.
    @available(*, deprecated, message: "recordPermission is a property")
    public func callAsFunction() -> AVAudioSession.RecordPermission { self }
}
