internal import AudioHost
package import DesktopBus
internal import Foundation
package import SessionPolicy

/// Whether this app may listen: asks the desktop when the app records or wants to know, and not before.
///
/// All members may be called on any thread; handlers and completions come on other ones.
///
/// D-Bus: the permission store's table `devices`, entry `microphone`.
// SAFETY: everything mutable is guarded by `condition`.
package final class MicrophoneAccess: MicrophonePermission, @unchecked Sendable {
    /// The permission of this process.
    package static let shared = MicrophoneAccess(bus: DesktopSession.bus, policy: UserSettings.current.policy)

    private static let entry = (table: "devices", id: "microphone")
    /// Longer than the bus takes to give up on a backend.
    private static let patience = 2.5
    /// Of the queues that apps are answered on: one each, for an app may wait in one for the next.
    private static let label = "AVAudioApplication"

    private let bus: SessionBus?
    private let identity: AppIdentity
    /// The user's settings, asked for again each time: they may not have been readable at first.
    private let policy: @Sendable () -> UserPolicy
    private let condition = NSCondition()
    private var facts: MicrophoneFacts
    private var isWatching = false
    private var isListing = false
    private var isSeeking = false
    private var hasMetBus = false
    /// Those who may be able to ask the user; `nil` before the bus has named them.
    private var backends: [String]?
    /// Until when the desktop's first answers are worth waiting for.
    private var patienceEnds = Date.distantPast
    private var isAsking = false
    private var hasPrompted = false
    private var hasComplained = false
    private var waiting: [@Sendable (Bool) -> Void] = []
    private var observers: [@Sendable () -> Void] = []

    /// The permission of this process by a given bus and settings; nothing is asked yet.
    package convenience init(bus: SessionBus?, policy: @autoclosure @escaping @Sendable () -> UserPolicy) {
        self.init(bus: bus, policy: policy(), identity: .current)
    }

    init(bus: SessionBus?, policy: @autoclosure @escaping @Sendable () -> UserPolicy, identity: AppIdentity) {
        self.bus = bus
        self.identity = identity
        self.policy = policy
        facts = MicrophoneFacts(setting: policy().microphone?.allows(id: identity.id, name: identity.name))
        guard bus == nil else { return }
        facts.stored = .nothing
        facts.canAsk = false
    }

    // MARK: What holds

    /// Whether the app may listen; waits for the desktop's first answer, for two seconds and a half at most, once.
    package var permission: MicrophoneFacts.Permission {
        prepare()
        return condition.withLock {
            while facts.permission == nil, condition.wait(until: patienceEnds) {}
            return facts.permission ?? .undetermined
        }
    }

    /// Whether what is captured has to be silence.
    package var isSilencing: Bool { condition.withLock { facts.permission != .granted } }

    /// Has the desktop asked, without waiting, if that has not happened yet.
    package func prepare() {
        let setting = policy().microphone?.allows(id: identity.id, name: identity.name)
        condition.withLock { facts.setting = setting }
        guard let bus else { return }
        let (watches, lists) = condition.withLock { begin() }
        if watches {
            bus.watchPermission(
                table: Self.entry.table, id: Self.entry.id, app: identity.id,
                lost: { [weak self] in self?.lost(hadBus: $0) }, handler: { [weak self] in self?.heard($0) })
        }
        if lists { bus.accessBackends(desktops: Self.desktops) { [weak self] in self?.listed($0) } }
    }

    private func begin() -> (watches: Bool, lists: Bool) {
        let watches = !isWatching
        let lists = !isListing && (watches || backends == nil)
        isWatching = true
        if lists { isListing = true }
        if watches { patienceEnds = Date(timeIntervalSinceNow: Self.patience) }
        return (watches, lists)
    }

    /// Nobody says anything any more: what was said before stays, and where there never was a bus nobody forbids.
    private func lost(hadBus: Bool) {
        change { facts in
            isWatching = false
            patienceEnds = .distantPast
            hasMetBus = hasMetBus || hadBus
            guard !hasMetBus else { return }
            facts.stored = facts.stored ?? .nothing
            facts.canAsk = facts.canAsk ?? false
        }
    }

    private func listed(_ names: [String]?) {
        change { facts in
            isListing = false
            // Who does not answer changes nothing.
            guard let names else { return }
            backends = names
            if names.isEmpty { facts.canAsk = false } else if facts.canAsk == false { facts.canAsk = nil }
        }
        seek()
    }

    /// Finds out whether anybody can ask the user, once that is what the permission depends on: it starts programs.
    private func seek() {
        let names = condition.withLock { () -> [String]? in
            guard facts.stored != nil, facts.permission == nil, !isSeeking, let backends else { return nil }
            isSeeking = true
            return backends
        }
        guard let bus, let names else { return }
        bus.canAskUser(through: names) { [weak self] canAsk in
            guard let self else { return }
            self.change { facts in
                self.isSeeking = false
                facts.canAsk = canAsk ?? facts.canAsk
            }
        }
    }

    /// Has a handler called whenever ``isSilencing`` may have changed, for good.
    package func observe(_ handler: @escaping @Sendable () -> Void) { condition.withLock { observers.append(handler) } }

    private func heard(_ stored: StoredPermission) {
        change { facts in
            let old = facts.stored
            facts.stored = MicrophoneFacts.Stored(stored)
            let wasDecided = old == .yes || old == .no
            if wasDecided, facts.stored == .nothing || facts.stored == .ask { facts.answer = nil }
        }
        seek()
    }

    private func change(_ body: (inout MicrophoneFacts) -> Void) {
        let told = condition.withLock { () -> [@Sendable () -> Void] in
            let old = facts.permission
            body(&facts)
            condition.broadcast()
            return facts.permission == old ? [] : observers
        }
        for observer in told { observer() }
    }

    // MARK: Asking the user

    /// Asks the user where that has not been decided; `completion` is told whether the app may listen.
    package func request(_ completion: @escaping @Sendable (Bool) -> Void) {
        DispatchQueue(label: Self.label).async { [self] in
            let permission = permission
            guard permission == .undetermined else { return completion(permission == .granted) }
            ask(completion)
        }
    }

    /// The app begins to record: asks the user if that was never done, and says once if the recording is silent.
    package func recordingBegins() {
        let permission = permission
        guard permission != .granted else { return }
        let (complains, prompts) = condition.withLock { () -> (Bool, Bool) in
            defer {
                hasComplained = true
                hasPrompted = hasPrompted || permission == .undetermined
            }
            return (!hasComplained, permission == .undetermined && !hasPrompted)
        }
        if complains { complain(permission) }
        if prompts { ask { _ in } }
    }

    private func ask(_ completion: @escaping @Sendable (Bool) -> Void) {
        let isFirst = condition.withLock { () -> Bool in
            waiting.append(completion)
            defer { isAsking = true }
            return !isAsking
        }
        guard isFirst else { return }
        guard let bus else { return answered(.nobody) }
        let reason = Bundle.main.object(forInfoDictionaryKey: "NSMicrophoneUsageDescription") as? String
        let question = AccessQuestion(
            app: identity.id, title: "Allow \(identity.name) to use the microphone?",
            subtitle: "\(identity.name) wants to record sound.", body: reason ?? "",
            icon: "audio-input-microphone-symbolic")
        bus.askUser(question, desktops: Self.desktops) { [self] in answered($0) }
    }

    private func answered(_ answer: AccessAnswer) {
        change { facts in
            switch answer {
            case .granted: facts.answer = true
            case .denied: facts.answer = false
            case .nobody: facts.canAsk = false
            case .dismissed: break
            }
        }
        let (isAllowed, isKept, told) = condition.withLock {
            defer {
                isAsking = false
                waiting = []
            }
            return (facts.permission == .granted, facts.stored != .ask, waiting)
        }
        // Who is to be asked each time is asked each time.
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

/// The bus of the user's session, as far as the desktop's wishes about sound are concerned.
package enum DesktopSession {
    /// One connection for all of them; `nil` where the environment names no bus.
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
