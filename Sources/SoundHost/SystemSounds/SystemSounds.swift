package import AudioHost
internal import Glibc
internal import PulseClient
internal import SessionPolicy

/// Plays short sounds, one at a time: from the server's sample cache, and through a stream where that cannot be used.
///
/// A sound is sent to the server once. Playing it is one request then; nothing is decoded, and no stream is made by us.
/// The next sound ends the one before: sounds of the cache are streams of the server's own, which takes only so many.
///
/// All functions may be called on any thread and wait for nothing; completions come on the main loop's thread.
// SAFETY: only touched with the main loop's lock held.
package final class SystemSounds: ShortSounds, @unchecked Sendable {
    typealias Outcome = ShortSoundEnd
    typealias Completion = @Sendable (ShortSoundEnd) -> Void

    let mainloop: Mainloop
    /// The session's connection; nil while there is none.
    let connection: () -> PulseConnection?
    /// Random bits that no other process has, as its claim has them.
    let owner: String
    var entries: [SoundClip: Entry] = [:]
    var current: Playback?
    private var next: Playback?
    private var number = 0
    /// Streams that were killed, and whose end has not been told.
    private(set) var ending: Set<UInt32> = []
    /// What is told of streams while the server has not said which one is ours.
    private var held: [SubscriptionEvent] = []
    private var holdTimer: MainloopTimer?
    /// Told of streams that are not ours, and of the ends of ours; the others would only make it ask for them.
    private let passOn: (SubscriptionEvent) -> Void
    /// Ends a sound whose end the server does not tell.
    private var timer: MainloopTimer?
    private var hasCleaned = false
    /// Uploads, and removals, that the server has not answered.
    private(set) var (uploads, removals) = (0, 0)
    /// Whether the server takes time to make a stream for a sample.
    let usesStandby: () -> Bool
    var standby: StandbyStream?
    /// What tidies up at the process's end, and whether it has begun to.
    var leaver: Leaver?
    var isLeaving = false

    init(
        mainloop: Mainloop, owner: String, connection: @escaping () -> PulseConnection?,
        usesStandby: @escaping () -> Bool, passOn: @escaping (SubscriptionEvent) -> Void
    ) {
        self.mainloop = mainloop
        self.usesStandby = usesStandby
        self.passOn = passOn
        self.owner = owner
        self.connection = connection
    }

    /// Whether there is a server to play on.
    package var isConnected: Bool { mainloop.withLock { connection() != nil } }

    // MARK: Sounds

    /// Sends a sound to the server, unless it is there; once for each ``remove(_:)``.
    package func add(_ clip: SoundClip) {
        mainloop.withLock {
            entry(of: clip).users += 1
            prepare(entry(of: clip))
        }
    }

    /// Takes a sound away from the server, when nobody else added it.
    package func remove(_ clip: SoundClip) {
        mainloop.withLock {
            guard let entry = entries[clip] else { return }
            entry.users = max(0, entry.users - 1)
            removeIfUnused(entry)
        }
    }

    /// Forgets a sound that nobody added, unless it plays or is the next one: its end asks again.
    private func removeIfUnused(_ entry: Entry) {
        guard entry.users <= 0, entries[entry.clip] === entry else { return }
        guard current?.entry !== entry, next?.entry !== entry else { return }
        entries[entry.clip] = nil
        if entry.state == .ready { removeSample(of: entry) }
        closeStandbyIfUnused()
    }

    func removeSample(of entry: Entry) {
        guard let connection = connection() else { return }
        removals += 1
        connection.sync { connection in
            connection.removeSample(named: entry.name) { [weak self] _ in
                self?.removals -= 1
                self?.mainloop.signal()
            }
        }
    }

    private func entry(of clip: SoundClip) -> Entry {
        if let entry = entries[clip] { return entry }
        number += 1
        let entry = Entry(clip, name: "\(Self.prefix)\(owner).\(number)")
        entries[clip] = entry
        return entry
    }

    private func prepare(_ entry: Entry) {
        guard entry.state == .absent, !isLeaving, let connection = connection() else { return }
        stayTidy()
        if !hasCleaned {
            hasCleaned = true
            removeStraySamples(on: connection)
        }
        entry.state = .uploading
        uploads += 1
        let clip = entry.clip
        connection.sync { connection in
            connection.uploadSample(
                named: entry.name, spec: clip.spec, map: clip.map, properties: properties, frames: clip.frames
            ) { [weak self] in self?.uploaded(entry, $0) }
        }
        prepareStandby(for: clip, on: connection)
    }

    /// Not a word about volumes: such sounds share the one that desktops show for them.
    var properties: PropertyList {
        var list = AppIdentity.current.clientProperties
        list["application.name"] = AppIdentity.current.name
        list["media.name"] = "System Sound"
        list["media.role"] = StreamRole.event.rawValue
        // PipeWire's graph may run at the slow pace of a music player, and a button is pressed now.
        list["node.latency"] = "256/48000"
        return list
    }

    private func uploaded(_ entry: Entry, _ result: Result<Void, PulseError>) {
        uploads -= 1
        mainloop.signal()
        // The connection was lost meanwhile.
        guard entry.state == .uploading else { return }
        switch result {
        case .success: entry.state = .ready
        case .failure(let error):
            let isLost = error.code == .connectionTerminated || error.code == .badState
            entry.state = isLost ? .absent : .unusable
        }
        if entries[entry.clip] !== entry {
            // Removed before it was there.
            if entry.state == .ready { removeSample(of: entry) }
        }
        guard let current, current.entry === entry, case .waiting = current.stage else { return }
        start(current)
    }

    // MARK: Playing

    /// Plays a sound; what plays now ends.
    ///
    /// - Parameters:
    ///   - clip: A sound; it is sent to the server if it was not added before.
    ///   - id: A number by which it can be ended.
    ///   - outlivesProcess: Whether it goes on when this process ends meanwhile.
    ///   - asked: When the app asked for it: it fails where the server begins too late for it.
    ///   - completion: Told when it is over.
    package func play(
        _ clip: SoundClip, id: UInt32, outlivesProcess: Bool, asked: ContinuousClock.Instant,
        completion: @escaping @Sendable (ShortSoundEnd) -> Void
    ) {
        mainloop.withLock {
            let playback = Playback(
                entry(of: clip), id: id, outlivesProcess: outlivesProcess, asked: asked, completion: completion)
            setNext(playback, instead: .replaced)
            advance()
        }
    }

    /// Says what is played next; who was to be until now is told that it will not be.
    private func setNext(_ playback: Playback?, instead outcome: Outcome) {
        let dropped = next
        next = playback
        guard let dropped else { return }
        removeIfUnused(dropped.entry)
        dropped.completion(outcome)
    }

    /// Ends what plays; completions are called.
    package func stop() {
        mainloop.withLock {
            setNext(nil, instead: .cutOff)
            endCurrent()
        }
    }

    /// Ends what plays, if it was asked for by this number.
    package func stop(id: UInt32) {
        mainloop.withLock {
            if next?.id == id { setNext(nil, instead: .cutOff) }
            if current?.id == id { endCurrent() }
        }
    }

    /// Whether the server has begun with what was asked for last, or it is over.
    package var isSettled: Bool {
        mainloop.withLock { next == nil && hasBegun && standby?.isSettled != false }
    }

    /// Whether the server has begun with what was asked for before that.
    var hasBegun: Bool {
        switch current?.stage {
        case .asked, .waiting: false
        default: true
        }
    }

    func advance() {
        guard next != nil else { return }
        endCurrent(.replaced)
        // While the server has not said which stream it made, there is nothing to end: at most one is on its way.
        guard current == nil, standby?.isSettled != false, let playback = next else { return }
        next = nil
        current = playback
        start(playback)
    }

    func start(_ playback: Playback) {
        guard !playback.isLate, let connection = connection() else { return finish(playback, .failed) }
        if playOnStandby(playback) { return }
        switch playback.entry.state {
        case .absent:
            prepare(playback.entry)
        case .uploading: break
        case .ready: ask(playback, on: connection)
        case .unusable: stream(playback, on: connection)
        }
    }

    private func ask(_ playback: Playback, on connection: PulseConnection) {
        playback.stage = .asked
        connection.sync { connection in
            connection.playSample(named: playback.entry.name) { [weak self] in self?.answered(playback, $0) }
        }
    }

    private func answered(_ playback: Playback, _ result: Result<UInt32, PulseError>) {
        guard playback === current, case .asked = playback.stage else { return }
        mainloop.signal()
        switch result {
        case .success(let index):
            playback.stage = .playing(index)
            startTimer(for: playback)
            if playback.isLate, playback.unwanted == nil { playback.unwanted = .failed }
            // It may be over already.
            releaseEvents()
            if let outcome = playback.unwanted, playback === current { endCurrent(outcome) }
            advance()
        case .failure(let error):
            refused(playback, error)
            releaseEvents()
        }
    }

    private func refused(_ playback: Playback, _ error: PulseError) {
        guard playback.unwanted == nil, next == nil, !playback.isLate, let connection = connection() else {
            return finish(playback, .failed)
        }
        switch error.code {
        case .noSuchEntity where !playback.hasBeenUploadedAgain:
            // Somebody removed it, or there is no sink.
            playback.hasBeenUploadedAgain = true
            playback.stage = .waiting
            if playback.entry.state == .ready { playback.entry.state = .absent }
            start(playback)
        case .access, .notSupported, .tooLarge, .invalidArgument:
            playback.entry.state = .unusable
            stream(playback, on: connection)
        default: finish(playback, .failed)
        }
    }

    private func stream(_ playback: Playback, on connection: PulseConnection) {
        let sound = StreamedSound(playback.entry.clip, properties: properties, on: connection)
        playback.stage = .streaming(sound)
        startTimer(for: playback)
        sound.play { [weak self] in self?.finish(playback, $0 ? .finished : .failed) }
    }

    func endCurrent(_ outcome: Outcome = .cutOff) {
        guard let playback = current else { return }
        switch playback.stage {
        case .waiting: break
        case .asked:
            // Who stops it waits for nothing, whatever was played before.
            if playback.unwanted != .cutOff { playback.unwanted = outcome }
            return
        case .playing(let index): kill(index)
        case .streaming(let sound): sound.stop()
        case .standby(let stream): stream.stop()
        }
        finish(playback, outcome)
    }

    private func kill(_ stream: UInt32) {
        guard let connection = connection() else { return }
        ending.insert(stream)
        connection.sync { connection in
            connection.killSinkInput(at: stream) { [weak self] result in
                // It was over already, and its end has been told.
                if case .failure = result { self?.ending.remove(stream) }
            }
        }
    }

    func finish(_ playback: Playback, _ outcome: Outcome) {
        guard playback === current else { return }
        current = nil
        timer?.cancel()
        mainloop.signal()
        removeIfUnused(playback.entry)
        playback.completion(outcome)
        // The completion may have asked for another one, which has begun then.
        if current == nil { advance() }
    }

    /// PipeWire may keep a stream whose device does not run.
    func startTimer(for playback: Playback) {
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.endCurrent() }
        self.timer = timer
        timer.start(after: .seconds(playback.entry.clip.seconds + 5))
    }

    // MARK: What happens

    /// A playback stream of anybody appeared, changed or went.
    func received(_ event: SubscriptionEvent) {
        // That it is corked and uncorked concerns nobody; who was told that it is there has to hear that it is gone.
        if event.change == .change, event.index == standby?.index { return }
        if event.change == .remove, ending.remove(event.index) != nil { mainloop.signal() }
        guard let current else { return passOn(event) }
        switch current.stage {
        case .asked: hold(event)
        case .playing(event.index):
            guard event.change == .remove else { return }
            finish(current, .finished)
            passOn(event)
        default: passOn(event)
        }
    }

    /// Others wait for a moment, but not for a server that has something else to do.
    private func hold(_ event: SubscriptionEvent) {
        held.append(event)
        guard holdTimer == nil else { return }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            guard let self else { return }
            let waiting = held
            held = []
            holdTimer = nil
            for event in waiting { passOn(event) }
        }
        holdTimer = timer
        timer.start(after: .milliseconds(50))
    }

    private func releaseEvents() {
        let waiting = held
        held = []
        holdTimer = nil
        for event in waiting { received(event) }
    }

    /// The server is gone, and every sample with it.
    func connectionLost() {
        for entry in entries.values { entry.state = .absent }
        entries = entries.filter { $0.value.users > 0 }
        hasCleaned = false
        standby?.close()
        standby = nil
        held = []
        holdTimer = nil
        ending = []
        setNext(nil, instead: .failed)
        if let current { finish(current, .failed) }
    }
}
