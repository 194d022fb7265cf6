package import AudioHost
package import AudioSession
internal import SessionPolicy

/// What an app's sound means to the rest of the system: its category, its mode, and whether it is heard now.
///
/// There is one session per process, ``sharedInstance()``. It costs nothing until it is activated: no thread is started
/// and no server is asked before that. All members may be used from any thread. Notifications are posted on the main
/// queue, with the session as their object.
///
/// Apple: `AVAudioSession`.
// SAFETY: the only state is that of the core and of the properties' observers, who guard it.
nonisolated open class AVAudioSession: NSObject, @unchecked Sendable {
    private static let shared = AVAudioSession(
        server: nil, meetsDesktop: true,
        microphone: Session.userMicrophone {
            Bundle.main.object(forInfoDictionaryKey: "NSMicrophoneUsageDescription") as? String
        })
    /// The session itself, without Apple's names.
    package let core: Session
    let relay: SessionRelay
    let properties: SessionProperties

    /// The session of this process; always the same object.
    ///
    /// Apple: `AVAudioSession.sharedInstance()`.
    open class func sharedInstance() -> AVAudioSession { shared }

    /// The session of this process, once more: another object for the same session.
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

    /// A session of its own on a given server, for tests: each has a private server, and they share a process.
    package convenience init(server: String?) { self.init(server: server, meetsDesktop: false, microphone: nil) }

    /// A session of its own on a given server; see ``Session/init(server:meetsDesktop:microphone:)``.
    package convenience init(server: String?, meetsDesktop: Bool, microphone: (any MicrophonePermission)?) {
        self.init(
            core: Session(server: server, meetsDesktop: meetsDesktop, microphone: microphone), server: server)
    }

    /// The face of a session.
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

    /// Changes what the app prefers; throws `mediaServicesFailed`, as an `NSError`, while the sound server is lost.
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

    /// How often the session was stopped, by others and by the app; not how often it ended as nothing used it any more.
    package var stops: (interruptions: Int, deactivations: Int) { core.stops }

    // MARK: Category

    /// The categories that this system offers; whether there is something to record from is asked at activation.
    ///
    /// Apple: `AVAudioSession.availableCategories`.
    open var availableCategories: [AVAudioSession.Category] {
        SessionPolicy.Category.available(hasInput: true).map { AVAudioSession.Category(rawValue: $0.rawValue) }
    }

    /// The modes that can be set with some category.
    ///
    /// Apple: `AVAudioSession.availableModes`.
    open var availableModes: [AVAudioSession.Mode] {
        SessionPolicy.Mode.allCases.map { AVAudioSession.Mode(rawValue: $0.rawValue) }
    }

    /// What the app's sound is for; at first `soloAmbient`.
    ///
    /// Apple: `AVAudioSession.category`.
    open var category: AVAudioSession.Category { .init(rawValue: core.settings.category.rawValue) }

    /// How the app's sound meets that of others, with the options that other ones imply.
    ///
    /// Apple: `AVAudioSession.categoryOptions`.
    open var categoryOptions: AVAudioSession.CategoryOptions { .init(rawValue: core.settings.options.rawValue) }

    /// What the app does within its category; at first `default`.
    ///
    /// Apple: `AVAudioSession.mode`.
    open var mode: AVAudioSession.Mode { .init(rawValue: core.settings.mode.rawValue) }

    /// How the app's route relates to that of others; at first `default`.
    ///
    /// Apple: `AVAudioSession.routeSharingPolicy`.
    open var routeSharingPolicy: AVAudioSession.RouteSharingPolicy {
        .init(rawValue: core.settings.policy.rawValue) ?? .default
    }

    /// Sets the category; options go back to none, see ``setCategory(_:mode:policy:options:)``.
    ///
    /// Apple: `AVAudioSession.setCategory(_:)`.
    open func setCategory(_ category: AVAudioSession.Category) throws { try setCategory(category, options: []) }

    /// Sets the category and its options; the mode stays if the category allows it.
    ///
    /// Apple: `AVAudioSession.setCategory(_:options:)`.
    open func setCategory(_ category: AVAudioSession.Category, options: AVAudioSession.CategoryOptions = []) throws {
        try configure { old throws(SessionError) in
            try old.settingCategory(.init(category), options: .init(rawValue: options.rawValue))
        }
    }

    /// Sets the category, mode and options.
    ///
    /// Apple: `AVAudioSession.setCategory(_:mode:options:)`.
    open func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, options: AVAudioSession.CategoryOptions = []
    ) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }

    /// Sets the category, mode, route sharing policy and options, together or not at all.
    ///
    /// While the session is active the change takes effect at once: sound that plays goes on in a stream with the new
    /// role. Any thread; on an active session it waits until other sessions can know, for 2 s at most. Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a combination that does not exist,
    /// `mediaServicesFailed` after the sound server was lost.
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

    /// Sets the mode; the category and what options go with the mode stay.
    ///
    /// Throws `badParam` (−50) for a mode that the category does not have.
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

    /// Activates or deactivates the session; blocks until the sound server has answered, for at most two seconds.
    ///
    /// What was asked for without blocking before, with ``activate(options:completionHandler:)``, comes first.
    ///
    /// A session that does not mix interrupts the others that do not; when it returns, they know. Those are told to go
    /// on when this one is deactivated with `notifyOthersOnDeactivation`.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `mediaServicesFailed` ('msrv') without a sound server,
    /// `insufficientPriority` ('!pri') for a category that records while another app is in a call,
    /// `resourceNotAvailable` ('!res') for a category that records where there is nothing to record from, `isBusy`
    /// ('!act') when it deactivated a session whose players or recorders were running: they are paused.
    ///
    /// - Parameters:
    ///   - active: Whether the session is to be active.
    ///   - options: `notifyOthersOnDeactivation` counts only for deactivation.
    ///
    /// Apple: `AVAudioSession.setActive(_:options:)`.
    open func setActive(_ active: Bool, options: AVAudioSession.SetActiveOptions = []) throws {
        core.work.settle()
        do throws(SessionError) {
            if active {
                try core.activate(implicitly: false)
            } else {
                try core.deactivate(notify: options.contains(.notifyOthersOnDeactivation))
            }
        } catch {
            throw NSError(error)
        }
    }
}

extension SessionPolicy.Category {
    /// An unknown category is refused by name.
    fileprivate init(_ category: AVAudioSession.Category) throws(SessionError) {
        guard let known = Self(rawValue: category.rawValue) else {
            throw SessionError(.badParam, "There is no category \(category.rawValue).")
        }
        self = known
    }
}

extension SessionPolicy.Mode {
    /// An unknown mode is refused by name.
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
