internal import AVFAudio
internal import AudioHost
internal import DesktopBus
internal import Foundation

/// Combines the app's now-playing information, its commands and its session, and publishes them on the session bus.
///
/// The lock is a leaf lock, except that the commands' own locks are taken inside. It is taken on the app's threads, the
/// bus thread and the sound connection's thread; the latter must not wait.
// SAFETY: everything mutable is guarded by `lock`.
final class NowPlaying: @unchecked Sendable {
    static let shared = NowPlaying()

    private let lock = NSLock()
    private var item: NowPlayingItem?
    private var state = MPNowPlayingPlaybackState.unknown
    private var clock = PositionClock()
    private var trackNumber = 0
    private var picture: (artwork: MPMediaItemArtwork, address: String?)?
    /// Whether the session was interrupted and is not active again.
    private var isHeld = false
    private var tokens: [any NSObjectProtocol] = []
    private var service: PlayerService?
    private var firstWord = FirstWord.unexpected

    /// Whether an app whose players run had time to set its information before it is published.
    private enum FirstWord { case unexpected, expected, over }

    /// The session bus.
    ///
    /// Without one nothing is published, kept or observed.
    private let bus = SessionBus()
    private let artwork = ArtworkFile()
    private var hasArtwork = false

    // MARK: The app's information

    func play(_ info: [String: Any]?) {
        guard bus != nil else { return }
        let new = info.map { NowPlayingItem($0) }
        // Released without the lock: they may hold the last reference to an object that calls back in its `deinit`.
        var old: [MPMediaItemArtwork?] = []
        change {
            old = [item?.artwork, picture?.artwork]
            let now = PlayerService.now
            let isOther = new.map { $0.identity } != item?.identity
            if isOther, new != nil { trackNumber += 1 }
            item = new
            if let elapsed = new?.elapsed ?? (isOther ? 0 : nil) { clock.set(elapsed, at: now) }
            // Many apps create the same picture anew each time: the old URL stays published until the new picture
            // differs.
            if picture?.artwork !== new?.artwork {
                picture = new?.artwork.map { ($0, isOther ? nil : picture?.address) }
            }
        }
        fetchArtwork()
        withExtendedLifetime(old) {}
    }

    func say(_ new: MPNowPlayingPlaybackState) { change { state = new } }

    /// Publishes changed targets or changed values of commands.
    func commandsChanged() { change {} }

    private func change(_ body: () -> Void) {
        guard bus != nil else { return }
        lock.withLock {
            body()
            observeSession()
        }
        publish()
    }

    // MARK: The session's state

    /// Observes the session, once.
    ///
    /// The caller holds the lock.
    private func observeSession() {
        guard tokens.isEmpty else { return }
        let session = AVAudioSession.sharedInstance()
        session.soundHandler = { [weak self] in self?.publish() }
        let names = [AVAudioSession.interruptionNotification, AVAudioSession.didBecomeActiveNotification]
        tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [weak self] in
                self?.sessionChanged($0)
            }
        }
        // The first information may be set during an interruption.
        isHeld = session.isInterrupted
    }

    private func sessionChanged(_ notification: Notification) {
        if notification.name == AVAudioSession.didBecomeActiveNotification {
            lock.withLock { isHeld = false }
        } else {
            let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? NSNumber
            guard type?.uintValue == AVAudioSession.InterruptionType.began.rawValue else { return }
            lock.withLock { isHeld = true }
        }
        publish()
    }

    // MARK: Publication

    private func publish() {
        let mustWait = lock.withLock {
            let isSounding = AVAudioSession.sharedInstance().isIORunning
            let isCandidate = AVAudioSession.sharedInstance().isNowPlayingCandidate
            // Many apps only disable commands: that alone does not make them remote-controlled.
            let isShown =
                item != nil || state != .unknown || (isSounding && MPRemoteCommandCenter.shared().isInUse)
            guard service != nil || (isShown && isCandidate) else { return false }
            if service == nil, item == nil, state == .unknown, firstWord != .over {
                defer { firstWord = .expected }
                return firstWord == .unexpected
            }
            // An app that stops being a candidate is published as a stopped player without abilities.
            let player = isCandidate ? player(isSounding: isSounding) : OfferedPlayer()
            // Published under the lock, so that the last publication has the last state.
            offered()?.publish(player)
            return false
        }
        guard mustWait else { return }
        // The sound begins within `play()`, and most apps set the information after that call. A player published
        // earlier could receive a position for no track, which MPRIS ignores without an error.
        Delivery.perform { [self] in
            lock.withLock { firstWord = .over }
            publish()
        }
    }

    /// The player service, created at first use.
    ///
    /// The caller holds the lock.
    private func offered() -> PlayerService? {
        if let service { return service }
        service = bus.map { bus in
            let app = AppIdentity.current
            let identity = PlayerService.Identity(name: app.name, id: app.id, process: getpid())
            return PlayerService(bus: bus, identity: identity) { [weak self] in self?.carryOut($0, $1) }
        }
        return service
    }

    private func player(isSounding: Bool) -> OfferedPlayer {
        var player = OfferedPlayer()
        player.status = status(isSounding: isSounding)
        MPRemoteCommandCenter.shared().describe(&player)
        let said = item?.rate ?? item?.usualRate ?? 1
        let usual = item?.usualRate ?? 1
        clock.set(speed: player.status == .playing ? (said != 0 ? said : usual) : 0, at: PlayerService.now)
        player.clock = clock
        player.rate = said > 0 ? said : max(usual, .leastNonzeroMagnitude)
        player.rates = min(player.rates.lowerBound, player.rate)...max(player.rates.upperBound, player.rate)
        if let item {
            player.track = item.track
            player.track.number = trackNumber
            player.track.artwork = picture?.address
            player.track.details.merge(NowPlayingDetails.of(.shared())) { $1 }
        }
        return player
    }

    private func status(isSounding: Bool) -> PlayerStatus {
        switch state {
        case .playing: isHeld ? .paused : .playing
        case .paused, .interrupted: .paused
        case .stopped: .stopped
        case .unknown:
            if isHeld {
                item == nil ? .stopped : .paused
            } else if let item {
                item.rate.map { $0 != 0 } ?? isSounding ? .playing : .paused
            } else {
                isSounding ? .playing : .stopped
            }
        }
    }

    private func fetchArtwork() {
        let (new, old) = lock.withLock {
            defer { hasArtwork = picture != nil }
            return (picture?.artwork, hasArtwork)
        }
        guard let new else { return old ? artwork.remove() : () }
        artwork.store(new) { [weak self] address in
            guard let self else { return }
            self.lock.withLock {
                if self.picture?.artwork === new { self.picture?.address = address }
            }
            self.publish()
        }
    }

    // MARK: Requests

    /// Carries out a request; called on the bus thread.
    private func carryOut(_ request: PlayerRequest, _ done: @escaping @Sendable (PlayerOutcome) -> Void) {
        switch request {
        // A pause during an interruption prevents resumption. Recorded here, as the interruption may end before the
        // main queue runs.
        case .pause, .stop: AVAudioSession.sharedInstance().forbidResuming()
        default: break
        }
        Delivery.perform { [self] in
            let isSounding = AVAudioSession.sharedInstance().isIORunning
            let player = lock.withLock { self.player(isSounding: isSounding) }
            guard let request = request.resolved(for: player, at: PlayerService.now) else { return done(.done) }
            let outcome = taking(request) {
                MPRemoteCommandCenter.shared().send(request, isPlaying: player.status == .playing)
            }
            done(outcome == .success ? .done : .failed)
        }
    }

    /// Sends a position request, and assumes its position until the app sets another one.
    ///
    /// Many apps seek in the background and report later, while the next request is relative to the new position.
    private func taking(
        _ request: PlayerRequest, _ send: () -> MPRemoteCommandHandlerStatus
    ) -> MPRemoteCommandHandlerStatus {
        guard case .position(let seconds, _) = request else { return send() }
        let (before, there) = lock.withLock {
            let before = clock
            clock.set(seconds, at: PlayerService.now)
            return (before, clock)
        }
        let outcome = send()
        lock.withLock {
            if outcome != .success, clock == there { clock = before }
        }
        publish()
        return outcome
    }
}
