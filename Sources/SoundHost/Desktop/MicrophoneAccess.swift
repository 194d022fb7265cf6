internal import AudioHost
package import DesktopBus
internal import Dispatch
internal import Glibc
internal import Locks
package import SessionPolicy

/// The microphone permission of this app.
///
/// The desktop is queried when the app records or reads the permission, not before.
///
/// All members can be called on any thread; handlers and completions are called on other ones.
///
/// D-Bus: the permission store's table `devices`, entry `microphone`.
package final class MicrophoneAccess: MicrophonePermission {
    private static let entry = (table: "devices", id: "microphone")
    /// The wait for the desktop's first answer, in seconds: longer than the bus waits for a backend.
    private static let patience = 2.5
    /// The label of the queues for completions.
    ///
    /// Each has a queue of its own, as an app may wait in one for the next.
    private static let label = "AVAudioApplication"

    private let bus: SessionBus?
    private let identity: AppIdentity
    /// The user's settings, read each time: the file may not have been readable at first.
    private let policy: @Sendable () -> UserPolicy
    /// The app's reason for recording, read when the user is asked.
    private let reason: @Sendable () -> String?

    /// The known facts, and the waiting requests.
    private struct State {
        var facts: MicrophoneFacts
        var isWatching = false
        var isListing = false
        var isSeeking = false
        var hasMetBus = false
        /// The backends that may be able to ask the user; nil before the bus has named them.
        var backends: [String]?
        /// The end of the wait for the desktop's first answers, in seconds of ``MonotonicClock``.
        var patienceEnds = 0.0
        var isAsking = false
        var hasPrompted = false
        var hasComplained = false
        var waiting: [@Sendable (Bool) -> Void] = []
        var observers: [@Sendable () -> Void] = []
    }

    private let state: GuardedCondition<State>

    /// Creates the permission of this process for a bus and settings, without querying the desktop.
    ///
    /// - Parameter reason: The app's reason for recording, which is shown to the user.
    package convenience init(
        bus: SessionBus?, policy: @autoclosure @escaping @Sendable () -> UserPolicy,
        reason: @escaping @Sendable () -> String? = { nil }
    ) {
        self.init(bus: bus, policy: policy(), identity: .current, reason: reason)
    }

    init(
        bus: SessionBus?, policy: @autoclosure @escaping @Sendable () -> UserPolicy, identity: AppIdentity,
        reason: @escaping @Sendable () -> String? = { nil }
    ) {
        self.bus = bus
        self.identity = identity
        self.policy = policy
        self.reason = reason
        var facts = MicrophoneFacts(setting: policy().microphone?.allows(id: identity.id, name: identity.name))
        if bus == nil {
            facts.stored = .nothing
            facts.canAsk = false
        }
        state = GuardedCondition(State(facts: facts))
    }

    // MARK: State

    /// The permission.
    ///
    /// Waits for the desktop's first answer, once, for 2.5 s at most.
    package var permission: MicrophoneFacts.Permission {
        prepare()
        state.wait(until: \.patienceEnds, for: { $0.facts.permission != nil })
        return state.withLock { $0.facts.permission } ?? .undetermined
    }

    /// Whether captured sound must be replaced by silence.
    package var isSilencing: Bool { state.withLock { $0.facts.permission != .granted } }

    /// Queries the desktop without waiting, if that has not happened yet.
    package func prepare() {
        let setting = policy().microphone?.allows(id: identity.id, name: identity.name)
        state.withLock { $0.facts.setting = setting }
        guard let bus else { return }
        let (watches, lists) = state.withLock { Self.begin(&$0) }
        if watches {
            bus.watchPermission(
                table: Self.entry.table, id: Self.entry.id, app: identity.id,
                lost: { [weak self] in self?.lost(hadBus: $0) }, handler: { [weak self] in self?.heard($0) })
        }
        if lists { bus.accessBackends(desktops: Self.desktops) { [weak self] in self?.listed($0) } }
    }

    private static func begin(_ state: inout State) -> (watches: Bool, lists: Bool) {
        let watches = !state.isWatching
        let lists = !state.isListing && (watches || state.backends == nil)
        state.isWatching = true
        if lists { state.isListing = true }
        if watches { state.patienceEnds = MonotonicClock.seconds + patience }
        return (watches, lists)
    }

    /// Handles the loss of the bus.
    ///
    /// Earlier answers stay valid; if there never was a bus, the desktop restricts nothing.
    private func lost(hadBus: Bool) {
        change { state in
            state.isWatching = false
            state.patienceEnds = 0
            state.hasMetBus = state.hasMetBus || hadBus
            guard !state.hasMetBus else { return }
            state.facts.stored = state.facts.stored ?? .nothing
            state.facts.canAsk = state.facts.canAsk ?? false
        }
    }

    private func listed(_ names: [String]?) {
        change { state in
            state.isListing = false
            // A missing answer changes nothing.
            guard let names else { return }
            state.backends = names
            if names.isEmpty {
                state.facts.canAsk = false
            } else if state.facts.canAsk == false {
                state.facts.canAsk = nil
            }
        }
        seek()
    }

    /// Finds out whether a backend can ask the user, only once the permission depends on it, as this starts programs.
    private func seek() {
        let names = state.withLock { state -> [String]? in
            guard state.facts.stored != nil, state.facts.permission == nil, !state.isSeeking,
                let backends = state.backends
            else { return nil }
            state.isSeeking = true
            return backends
        }
        guard let bus, let names else { return }
        bus.canAskUser(through: names) { [weak self] canAsk in
            self?.change { state in
                state.isSeeking = false
                state.facts.canAsk = canAsk ?? state.facts.canAsk
            }
        }
    }

    /// Adds a permanent handler, called whenever ``isSilencing`` may have changed.
    package func observe(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(handler) }
    }

    private func heard(_ stored: StoredPermission) {
        change { state in
            let old = state.facts.stored
            let new = MicrophoneFacts.Stored(stored)
            state.facts.stored = new
            let wasDecided = old == .yes || old == .no
            if wasDecided, new == .nothing || new == .ask { state.facts.answer = nil }
        }
        seek()
    }

    private func change(_ body: (inout State) -> Void) {
        let told = state.withLock { state -> [@Sendable () -> Void] in
            let old = state.facts.permission
            body(&state)
            return state.facts.permission == old ? [] : state.observers
        }
        for observer in told { observer() }
    }

    // MARK: Requests to the user

    /// Asks the user if the permission is undecided; `completion` receives whether it is granted.
    package func request(_ completion: @escaping @Sendable (Bool) -> Void) {
        DispatchQueue(label: Self.label).async { [self] in
            let permission = permission
            guard permission == .undetermined else { return completion(permission == .granted) }
            ask(completion)
        }
    }

    /// Handles the start of a recording: asks the user if that was never done, and prints one warning if it is silent.
    package func recordingBegins() {
        let permission = permission
        guard permission != .granted else { return }
        let (complains, prompts) = state.withLock { state -> (Bool, Bool) in
            defer {
                state.hasComplained = true
                state.hasPrompted = state.hasPrompted || permission == .undetermined
            }
            return (!state.hasComplained, permission == .undetermined && !state.hasPrompted)
        }
        if complains { complain(permission) }
        if prompts { ask { _ in } }
    }

    private func ask(_ completion: @escaping @Sendable (Bool) -> Void) {
        let isFirst = state.withLock { state -> Bool in
            state.waiting.append(completion)
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard isFirst else { return }
        guard let bus else { return answered(.nobody) }
        let question = AccessQuestion(
            app: identity.id, title: "Allow \(identity.name) to use the microphone?",
            subtitle: "\(identity.name) wants to record sound.", body: reason() ?? "",
            icon: "audio-input-microphone-symbolic")
        bus.askUser(question, desktops: Self.desktops) { [self] in answered($0) }
    }

    private func answered(_ answer: AccessAnswer) {
        change { state in
            switch answer {
            case .granted: state.facts.answer = true
            case .denied: state.facts.answer = false
            case .nobody: state.facts.canAsk = false
            case .dismissed: break
            }
        }
        let (isAllowed, isKept, told) = state.withLock { state in
            defer {
                state.isAsking = false
                state.waiting = []
            }
            return (state.facts.permission == .granted, state.facts.stored != .ask, state.waiting)
        }
        // The answer is not stored for an app that must be asked each time.
        if isKept, answer == .granted || answer == .denied {
            bus?.storePermission(answer == .granted, table: Self.entry.table, id: Self.entry.id, app: identity.id)
        }
        for completion in told { DispatchQueue(label: Self.label).async { completion(isAllowed) } }
    }

    private func complain(_ permission: MicrophoneFacts.Permission) {
        let name = String(identity.id.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 })
        let text =
            permission == .denied
            ? "AVFAudio: recordings are silent: \(name) may not use the microphone, by the desktop's permissions or "
                + "AVAUDIOSESSION_MICROPHONE\n"
            : "AVFAudio: recordings are silent until the desktop's user allows \(name) to use the microphone\n"
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    private static var desktops: [String] {
        (AppIdentity.environment("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").map(String.init)
    }
}

/// The bus of the user's session, for the desktop's settings about sound.
package enum DesktopSession {
    /// The one connection for all of them; nil if the environment names no bus.
    package static let bus = SessionBus()
}

extension MicrophoneFacts.Stored {
    fileprivate init(_ permission: StoredPermission) {
        switch permission {
        case .nothing: self = .nothing
        case .yes: self = .yes
        case .no: self = .no
        case .ask: self = .ask
        }
    }
}
