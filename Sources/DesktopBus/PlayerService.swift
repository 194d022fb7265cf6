internal import Dispatch
internal import Locks

/// A service that offers a media player to the desktop: media keys, lock screens and remote controls read and control
/// it.
///
/// The service connects at the first publication, and does nothing without a bus. Changes are published at most twenty
/// times a second, the last one always. A peer that sends requests faster than they are carried out is refused. After a
/// loss of the bus, or a refused name, it tries once more after five seconds, and then at the next publication. All
/// functions can be called on any thread.
///
/// D-Bus: an object `/org/mpris/MediaPlayer2` with a name `org.mpris.MediaPlayer2.…`.
// SAFETY: what is shared is in `shared`, with a lock; all else is touched on the bus's thread only.
package final class PlayerService: @unchecked Sendable {
    /// The identity of the player.
    package struct Identity: Hashable, Sendable {
        /// The name to display.
        package var name: String
        /// The name of the desktop file without its ending, which is also used in the name on the bus.
        package var id: String
        /// The process ID, which distinguishes players of the same name.
        package var process: Int32

        /// Creates an identity.
        package init(name: String, id: String, process: Int32) {
            self.name = name
            self.id = id
            self.process = process
        }
    }

    /// Carries a request out on any thread, and calls back once with the result; called on the bus's thread.
    package typealias Handler =
        @Sendable (_ request: PlayerRequest, _ done: @escaping @Sendable (PlayerOutcome) -> Void) -> Void

    static let path = "/org/mpris/MediaPlayer2"
    /// The intervals between two publications, and between two attempts to connect or to get a name, in seconds.
    private static let (pace, patience) = (0.05, 5.0)
    /// The largest number of pending requests.
    private static let mostPending = 64

    let identity: Identity
    private let bus: SessionBus
    private let handler: Handler

    /// The state to publish, and its time.
    private struct News {
        var latest = OfferedPlayer()
        var isTellingDue = false
        var mayTellAt = 0.0
    }

    private let shared = Guarded(News())

    /// The last published state; nil while not on the bus.
    private var told: OfferedPlayer?
    private var mayTryAt = 0.0
    private var isTryDue = false
    /// Whether a failure is followed by one more attempt.
    private var mayRetry = false
    /// Whether the bus has granted a name.
    ///
    /// A busy bus may not answer in time, and is asked again.
    private var isNamed = false
    private var pending: [Int: BusCall] = [:]
    private var calls = 0
    private lazy var order = SessionManagerPauses { [weak self] in self?.callPlayer($0) }

    /// Creates a service that is not on the bus yet.
    package init(bus: SessionBus, identity: Identity, handler: @escaping Handler) {
        self.bus = bus
        self.identity = identity
        self.handler = handler
    }

    /// Publishes the changed properties.
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

    /// The current time in seconds, on the clock of positions.
    package static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    // MARK: On the bus's thread

    /// The latest state, published or not.
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
            // Small deviations are kept, so that they add up until they are published.
            told?.clock = old.clock
            if old.track.number != player.track.number { told?.clock.set(0, at: now) }
            told?.clock.set(speed: player.clock.speed, at: now)
        }
    }

    private func connect(with player: OfferedPlayer) {
        guard mayTry() else { return }
        guard let connection = bus.connected() else { return retry() }
        guard connection.serve(Self.path, handler: { [weak self] in self?.called($0) }) else { return retry() }
        bus.whenLost { [weak self] in self?.lost() }
        told = player
        takeName(0, over: connection)
    }

    /// Requests a name.
    ///
    /// A second app of the same name gets one with its process ID, as MPRIS demands.
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

    /// Whether the bus may be contacted now: a bus that is gone must not be contacted at each change.
    ///
    /// If not, it is contacted as soon as it may be, as this may be the app's last change.
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
        order.removeAll()
        // A bus needs a while to restart.
        mayTryAt = Self.now + Self.patience
        retry()
    }

    /// Carries out a call of the player's methods in its turn.
    func ordered(_ call: BusCall) {
        guard pending.count + order.count < Self.mostPending else { return refuseForNumber(call) }
        order.take(call, over: bus.connected())
    }

    private func refuseForNumber(_ call: BusCall) {
        call.fail(.limitsExceeded, "Too many requests wait already.")
    }

    /// Carries a request out, and answers its call afterwards, so that a caller can rely on a pause.
    func carryOut(_ request: PlayerRequest, for call: BusCall) {
        guard pending.count < Self.mostPending else { return refuseForNumber(call) }
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
    /// The name to request on the bus; the first one is without a number.
    ///
    /// In sandboxes many processes have the same ID, hence the further attempts. The name contains all parts of the id:
    /// a Flatpak can only own names that end in its id, and those below.
    func busName(attempt: Int) -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
        let parts = id.split(separator: ".").map { part in
            let word = String(part.prefix(60).map { allowed.contains($0) ? $0 : "_" })
            return word.first?.isNumber == true ? "_" + word : word
        }
        var base = "org.mpris.MediaPlayer2" + (parts.isEmpty ? ".player" : "")
        // A name has 255 bytes at most, including a number.
        for part in parts where base.utf8.count + part.utf8.count < 220 { base += "." + part }
        return switch attempt {
        case 0: base
        case 1: base + ".instance\(process)"
        default: base + ".instance\(process)_\(attempt)"
        }
    }
}
