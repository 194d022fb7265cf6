internal import Dispatch
internal import Locks

/// Offers a media player to the desktop: media keys, lock screens and remote controls read and drive it.
///
/// It connects when something is published for the first time, and does nothing where there is no bus. Changes are told
/// at most twenty times a second, the last one always; a peer that asks faster than requests are carried out is
/// refused. A bus that was lost, or has refused the name, is tried once more after a while, and then when something is
/// published. All functions may be called on any thread.
///
/// D-Bus: an object `/org/mpris/MediaPlayer2` with a name `org.mpris.MediaPlayer2.…`.
// SAFETY: what is shared is in `shared`, with a lock; all else is touched on the bus's thread only.
package final class PlayerService: @unchecked Sendable {
    /// Who it is.
    package struct Identity: Hashable, Sendable {
        /// For people.
        package var name: String
        /// The name of its desktop file without the ending, and its name on the bus, as far as that allows.
        package var id: String
        /// What tells it from others of the same name.
        package var process: Int32

        /// An identity.
        package init(name: String, id: String, process: Int32) {
            self.name = name
            self.id = id
            self.process = process
        }
    }

    /// Carries a request out, on whatever thread it likes, and says what became of it, once; called on the bus's
    /// thread.
    package typealias Handler =
        @Sendable (_ request: PlayerRequest, _ done: @escaping @Sendable (PlayerOutcome) -> Void) -> Void

    static let path = "/org/mpris/MediaPlayer2"
    /// In seconds: between two tellings, and between two tries to connect or to be named.
    private static let (pace, patience) = (0.05, 5.0)
    /// How many requests may wait to be carried out.
    private static let mostPending = 64

    let identity: Identity
    private let bus: SessionBus
    private let handler: Handler

    /// What is to be told, and when.
    private struct News {
        var latest = OfferedPlayer()
        var isTellingDue = false
        var mayTellAt = 0.0
    }

    private let shared = Guarded(News())

    /// What others know; nil while we are not on the bus.
    private var told: OfferedPlayer?
    private var mayTryAt = 0.0
    private var isTryDue = false
    /// Whether what fails is tried once more by itself.
    private var mayRetry = false
    /// Whether the bus has said that a name is ours; one that is busy may not say anything in time, and is asked again.
    private var isNamed = false
    private var pending: [Int: BusCall] = [:]
    private var calls = 0

    /// A service that is not on the bus yet.
    package init(bus: SessionBus, identity: Identity, handler: @escaping Handler) {
        self.bus = bus
        self.identity = identity
        self.handler = handler
    }

    /// Tells everybody what is new.
    package func publish(_ player: OfferedPlayer) {
        let now = Self.now
        let delay: Double? = shared.withLock {
            $0.latest = player
            guard !$0.isTellingDue else { return nil }
            $0.isTellingDue = true
            return max(0, $0.mayTellAt - now)
        }
        guard let delay else { return }
        guard delay > 0 else { return bus.perform { [weak self] in self?.tell() } }
        SessionBus.timers.asyncAfter(deadline: .now() + delay) { [weak self, bus] in
            bus.perform { [weak self] in self?.tell() }
        }
    }

    /// Seconds of the clock that positions go by.
    package static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    // MARK: On the bus's thread

    /// What is true now, whether or not it has been told.
    var player: OfferedPlayer { shared.withLock { $0.latest } }

    private func tell(isRetry: Bool = false) {
        let now = Self.now
        if !isRetry { mayRetry = true }
        let player = shared.withLock {
            $0.isTellingDue = false
            $0.mayTellAt = now + Self.pace
            return $0.latest
        }
        guard let old = told else { return connect(with: player) }
        guard let connection = bus.connected() else { return }
        told = player
        if !isNamed, mayTry() { takeName(0, over: connection) }
        let (before, after) = (old.properties, player.properties)
        let changed = after.filter { before[$0.key] != $0.value }
        let gone = before.keys.filter { after[$0] == nil }.sorted()
        if !changed.isEmpty || !gone.isEmpty {
            connection.emit(
                "PropertiesChanged", of: Self.properties, at: Self.path,
                [.text(Self.playerInterface), .table(changed), .texts(gone)])
        }
        if player.hasJumped(since: old, at: now) {
            connection.emit("Seeked", of: Self.playerInterface, at: Self.path, [.long(player.position(at: now))])
        } else {
            // Small corrections add up for those who are not told of them.
            told?.clock = old.clock
            if old.track.number != player.track.number { told?.clock.set(0, at: now) }
            told?.clock.set(speed: player.clock.speed, at: now)
        }
    }

    private func connect(with player: OfferedPlayer) {
        guard mayTry() else { return }
        guard let connection = bus.connected() else { return retry() }
        guard connection.serve(Self.path, handler: { [weak self] in self?.called($0) }) else { return retry() }
        bus.whenLost.append { [weak self] in self?.lost() }
        told = player
        takeName(0, over: connection)
    }

    /// The second of two apps with the same name gets one with its number, as MPRIS has it.
    private func takeName(_ attempt: Int, over connection: BusConnection) {
        let name = identity.busName(attempt: attempt)
        connection.request(name: name) { [weak self, weak connection] answer in
            guard let self, let connection else { return }
            self.isNamed = answer == .ours
            switch answer {
            case .ours: self.mayRetry = true
            case .taken where attempt < 9: self.takeName(attempt + 1, over: connection)
            case .taken, .refused: self.retry()
            }
        }
    }

    /// Whether the bus may be asked now: one that is gone for good must not be knocked at with each change.
    ///
    /// If not, it is asked as soon as it may: the app may have said the last that it has to say.
    private func mayTry() -> Bool {
        let now = Self.now
        guard now < mayTryAt else {
            mayTryAt = now + Self.patience
            return true
        }
        tryWhenAllowed()
        return false
    }

    private func retry() {
        guard mayRetry else { return }
        mayRetry = false
        tryWhenAllowed()
    }

    private func tryWhenAllowed() {
        guard !isTryDue else { return }
        isTryDue = true
        SessionBus.timers.asyncAfter(deadline: .now() + max(0, mayTryAt - Self.now)) { [weak self, bus] in
            bus.perform { [weak self] in
                self?.isTryDue = false
                self?.tell(isRetry: true)
            }
        }
    }

    private func lost() {
        told = nil
        isNamed = false
        pending = [:]
        // It takes a while to be started again.
        mayTryAt = Self.now + Self.patience
        retry()
    }

    /// Has a request carried out, and answers its call afterwards: who asks for a pause may rely on it.
    func carryOut(_ request: PlayerRequest, for call: BusCall) {
        guard pending.count < Self.mostPending else {
            return call.fail(.limitsExceeded, "Too many requests wait already.")
        }
        calls += 1
        let number = calls
        pending[number] = call
        handler(request) { [weak self, bus] outcome in
            bus.perform { [weak self] in
                guard let call = self?.pending.removeValue(forKey: number) else { return }
                switch outcome {
                case .done: call.answer()
                case .failed: call.fail(.failed, "The player could not do that.")
                }
            }
        }
    }
}

extension PlayerService.Identity {
    /// The name to try on the bus; the first one is without a number.
    ///
    /// In sandboxes many processes have the same number, hence the further ones. All parts of the id are needed there:
    /// a Flatpak may own the name that ends in its own, and those below it, only.
    func busName(attempt: Int) -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
        let parts = id.split(separator: ".").map { part in
            let word = String(part.prefix(60).map { allowed.contains($0) ? $0 : "_" })
            return word.first?.isNumber == true ? "_" + word : word
        }
        var base = "org.mpris.MediaPlayer2" + (parts.isEmpty ? ".player" : "")
        // A name has 255 bytes at most, and there may be a number behind it.
        for part in parts where base.utf8.count + part.utf8.count < 220 { base += "." + part }
        return switch attempt {
        case 0: base
        case 1: base + ".instance\(process)"
        default: base + ".instance\(process)_\(attempt)"
        }
    }
}
