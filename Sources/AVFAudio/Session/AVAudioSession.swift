package import AudioHost
package import AudioSession
internal import Locks
internal import SessionPolicy

/// The app's audio session: its category, its mode, and its place among the sounds of the system.
///
/// There is one session per process, ``sharedInstance()``. It starts no thread and asks no server until it is activated
/// or asked about devices or other apps. Notifications are posted on the main queue, except those of routes and inputs,
/// with the session as their object.
///
/// All members may be used from any thread. Their comments say whether they wait for the sound server, and for how
/// long. A member that needs a connection opens it first, within the same bound. Calls of several threads that change
/// the session take turns, and each one's bound begins with its turn.
///
/// Apple: `AVAudioSession`.
// SAFETY: the only state is that of `core` and `properties`, which guard it themselves.
nonisolated open class AVAudioSession: NSObject, @unchecked Sendable {
    private static let shared = AVAudioSession(
        server: nil, meetsDesktop: true,
        microphone: Session.userMicrophone {
            Bundle.main.object(forInfoDictionaryKey: "NSMicrophoneUsageDescription") as? String
        })
    /// The implementation, without Apple's names.
    package let core: Session
    let relay: SessionRelay
    let properties: SessionProperties

    /// The session of this process; always the same object.
    ///
    /// Apple: `AVAudioSession.sharedInstance()`.
    open class func sharedInstance() -> AVAudioSession { shared }

    /// Another object for the session of this process.
    ///
    /// Notifications have ``sharedInstance()`` as their object.
    ///
    /// Apple: `AVAudioSession.init()`.
    @available(*, deprecated, message: "There is one session: use sharedInstance().")
    public override init() {
        core = Self.shared.core
        relay = Self.shared.relay
        properties = Self.shared.properties
        super.init()
    }

    /// A separate session on a given server, for tests with a private server each in one process.
    package convenience init(server: String?) { self.init(server: server, meetsDesktop: false, microphone: nil) }

    /// A separate session on a given server whose claim names no process, as in a Flatpak.
    ///
    /// Others, and the process's other sessions, treat it as a session of another process.
    package convenience init(apartOn server: String?) {
        self.init(
            core: Session(server: server, meetsDesktop: false, microphone: nil, process: 0), server: server)
    }

    /// A separate session on a given server; see ``Session/init(server:meetsDesktop:microphone:)``.
    package convenience init(server: String?, meetsDesktop: Bool, microphone: (any MicrophonePermission)?) {
        self.init(
            core: Session(server: server, meetsDesktop: meetsDesktop, microphone: microphone), server: server)
    }

    /// Apple's interface to a session.
    ///
    /// - Parameter server: The address of the server whose devices are watched for observers of properties.
    package init(core: Session, server: String?) {
        self.core = core
        relay = SessionRelay()
        properties = SessionProperties(server: server)
        super.init()
        relay.session = self
        core.receiver = relay
    }

    /// Changes the app's preferences; throws `mediaServicesFailed`, as an `NSError`, while the sound server is lost.
    func prefer(_ change: (inout SessionPreferences) -> Void) throws {
        do throws(SessionError) {
            try core.prefer { preferences, _ throws(SessionError) in change(&preferences) }
        } catch {
            throw NSError(error)
        }
    }

    /// Throws `mediaServicesFailed`, as an `NSError`, while the sound server is lost.
    func checkServices() throws {
        do throws(SessionError) { try core.checkServices() } catch { throw NSError(error) }
    }

    /// The numbers of interruptions and of deactivations by the app; ends of an unused session do not count.
    package var stops: (interruptions: Int, deactivations: Int) { core.stops }

    // MARK: Category

    /// The categories that can be set; the existence of an input is checked at activation, not here.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.availableCategories`.
    open var availableCategories: [AVAudioSession.Category] {
        SessionPolicy.Category.available(hasInput: true).map { AVAudioSession.Category(rawValue: $0.rawValue) }
    }

    /// The modes that can be set, each with some category.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.availableModes`.
    open var availableModes: [AVAudioSession.Mode] {
        SessionPolicy.Mode.allCases.map { AVAudioSession.Mode(rawValue: $0.rawValue) }
    }

    /// The category: the role of the app's sound; initially `soloAmbient`.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.category`.
    open var category: AVAudioSession.Category { .init(rawValue: core.settings.category.rawValue) }

    /// The category options, with the options that they imply.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.categoryOptions`.
    open var categoryOptions: AVAudioSession.CategoryOptions { .init(rawValue: core.settings.options.rawValue) }

    /// The mode: the use of the category; initially `default`.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.mode`.
    open var mode: AVAudioSession.Mode { .init(rawValue: core.settings.mode.rawValue) }

    /// The route sharing policy; initially `default`.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.routeSharingPolicy`.
    open var routeSharingPolicy: AVAudioSession.RouteSharingPolicy {
        .init(rawValue: core.settings.policy.rawValue) ?? .default
    }

    /// Sets the category and resets the options; waits and throws as ``setCategory(_:mode:policy:options:)``.
    ///
    /// Apple: `AVAudioSession.setCategory(_:)`.
    open func setCategory(_ category: AVAudioSession.Category) throws { try setCategory(category, options: []) }

    /// Sets the category and its options; the mode stays if the category allows it.
    ///
    /// Waits and throws as ``setCategory(_:mode:policy:options:)``.
    ///
    /// Apple: `AVAudioSession.setCategory(_:options:)`.
    open func setCategory(_ category: AVAudioSession.Category, options: AVAudioSession.CategoryOptions = []) throws {
        try configure { old throws(SessionError) in
            try old.settingCategory(.init(category), options: .init(rawValue: options.rawValue))
        }
    }

    /// Sets the category, mode and options; waits and throws as ``setCategory(_:mode:policy:options:)``.
    ///
    /// Apple: `AVAudioSession.setCategory(_:mode:options:)`.
    open func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, options: AVAudioSession.CategoryOptions = []
    ) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }

    /// Sets the category, mode, route sharing policy and options, together or not at all.
    ///
    /// On an active session the change takes effect at once: running sounds go on in a stream with the new role.
    ///
    /// Any thread. An inactive session returns at once. An active one waits for the sound server, for 2 s at most: until
    /// other sessions can know the change and, if the role has changed, until the output has a new stream.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a combination that does not exist,
    /// `insufficientPriority` ('!pri') for an active session that would begin to record during another app's call,
    /// `mediaServicesFailed` ('msrv') while the sound server is lost or does not answer.
    ///
    /// Apple: `AVAudioSession.setCategory(_:mode:policy:options:)`.
    open func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, policy: AVAudioSession.RouteSharingPolicy,
        options: AVAudioSession.CategoryOptions = []
    ) throws {
        try configure { _ throws(SessionError) in
            try SessionSettings.validated(
                category: .init(category), mode: .init(mode), options: .init(rawValue: options.rawValue),
                policy: .init(policy))
        }
    }

    /// Sets the mode; the category stays, and so do the options that the mode allows.
    ///
    /// Throws `badParam` (−50) for a mode that the category does not have, and waits and throws otherwise as
    /// ``setCategory(_:mode:policy:options:)``.
    ///
    /// Apple: `AVAudioSession.setMode(_:)`.
    open func setMode(_ mode: AVAudioSession.Mode) throws {
        try configure { old throws(SessionError) in try old.settingMode(.init(mode)) }
    }

    private func configure(_ change: (SessionSettings) throws(SessionError) -> SessionSettings) throws {
        do throws(SessionError) { try core.configure(change) } catch { throw NSError(error) }
        properties.changed()
    }

    // MARK: Activation

    /// Activates or deactivates the session.
    ///
    /// A session that does not mix interrupts the others that do not; they know it when this call returns. They may
    /// resume when this session is deactivated with `notifyOthersOnDeactivation`.
    ///
    /// Any thread. Waits for the sound server: an activation for 2 s at most, a deactivation for 1.25 s at most.
    /// Earlier asynchronous calls, such as ``activate(options:completionHandler:)``, are finished first, which counts
    /// as part of these 2 s.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `mediaServicesFailed` ('msrv') without a sound server,
    /// `insufficientPriority` ('!pri') for a category that records during another app's call, `resourceNotAvailable`
    /// ('!res') for a category that records if the server has no source, `isBusy` ('!act') after the deactivation of a
    /// session with running players or recorders, which are paused.
    ///
    /// - Parameters:
    ///   - active: Whether the session is to be active.
    ///   - options: `notifyOthersOnDeactivation` has an effect on a deactivation only.
    ///
    /// Apple: `AVAudioSession.setActive(_:options:)`.
    open func setActive(_ active: Bool, options: AVAudioSession.SetActiveOptions = []) throws {
        do throws(SessionError) {
            try core.setActive(active, notify: options.contains(.notifyOthersOnDeactivation))
        } catch {
            throw NSError(error)
        }
    }
}

extension SessionPolicy.Category {
    /// Converts a category; throws `badParam`, with the name, for an unknown one.
    fileprivate init(_ category: AVAudioSession.Category) throws(SessionError) {
        guard let known = Self(rawValue: category.rawValue) else {
            throw SessionError(.badParam, "There is no category \(category.rawValue).")
        }
        self = known
    }
}

extension SessionPolicy.Mode {
    /// Converts a mode; throws `badParam`, with the name, for an unknown one.
    fileprivate init(_ mode: AVAudioSession.Mode) throws(SessionError) {
        guard let known = Self(rawValue: mode.rawValue) else {
            throw SessionError(.badParam, "There is no mode \(mode.rawValue).")
        }
        self = known
    }
}

extension SessionPolicy.RouteSharingPolicy {
    fileprivate init(_ policy: AVAudioSession.RouteSharingPolicy) throws(SessionError) {
        guard let known = Self(rawValue: policy.rawValue) else {
            throw SessionError(.badParam, "There is no route sharing policy \(policy.rawValue).")
        }
        self = known
    }
}
