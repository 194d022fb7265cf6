package import AudioHost
internal import Glibc
internal import PulseClient
internal import SessionPolicy

/// A player of short sounds, one at a time: from the server's sample cache, or through a stream if that is not
/// possible.
///
/// A sound is uploaded once. Each playback is one request then, without decoding and without a new stream of this
/// client. A sound ends the previous one, as the server's number of streams is limited.
///
/// All functions can be called on any thread, and do not wait; completions are called on the main loop's thread.
// SAFETY: only touched with the main loop's lock held.
package final class SystemSounds: ShortSounds, @unchecked Sendable {
    typealias Outcome = ShortSoundEnd
    typealias Completion = @Sendable (ShortSoundEnd) -> Void

    let mainloop: Mainloop
    /// The session's connection; nil while there is none.
    private let connection: () -> PulseConnection?
    /// This process's random owner number, as in its claim.
    private let owner: String
    var entries: [SoundClip: Entry] = [:]
    private var current: Playback?
    private var next: Playback?
    private var number = 0
    /// Killed streams whose end was not reported yet.
    private(set) var ending: Set<UInt32> = []
    /// Stream events held back until the server has reported the index of the sound's stream.
    private var held: [SubscriptionEvent] = []
    private var holdTimer: MainloopTimer?
    /// Receives the events of other streams, and the ends of this player's; further events would only cause requests.
    private let passOn: (SubscriptionEvent) -> Void
    /// Ends a sound whose end the server does not report.
    private var timer: MainloopTimer?
    private var hasCleaned = false
    /// The numbers of unanswered uploads and removals.
    private(set) var (uploads, removals) = (0, 0)
    /// Whether the server needs time to create a stream for a sample.
    private let usesStandby: () -> Bool
    private var standby: StandbyStream?
    /// Whether the cleanup at the process's exit is registered, and whether it has begun.
    private var (staysTidy, isLeaving) = (false, false)

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

    /// Uploads a sound unless the server has it; to be balanced by ``remove(_:)``.
    package func add(_ clip: SoundClip) {
        mainloop.withLock {
            entry(of: clip).users += 1
            prepare(entry(of: clip))
        }
    }

    /// Removes a sound from the server after the last of its additions.
    package func remove(_ clip: SoundClip) {
        mainloop.withLock {
            guard let entry = entries[clip] else { return }
            entry.users = max(0, entry.users - 1)
            removeIfUnused(entry)
        }
    }

    /// Removes a sound without additions, unless it is playing or next: then this is called again at its end.
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

    /// The properties of the sound's stream.
    ///
    /// They set no volume, so that all such sounds share the desktop's event volume.
    var properties: PropertyList {
        var list = AppIdentity.current.clientProperties
        list["application.name"] = AppIdentity.current.name
        list["media.name"] = "System Sound"
        list["media.role"] = StreamRole.event.rawValue
        // PipeWire's graph may run at the long quantum of a music player, but a button must sound at once.
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
            // The sound was removed during its upload.
            if entry.state == .ready { removeSample(of: entry) }
        }
        guard let current, current.entry === entry, case .waiting = current.stage else { return }
        start(current)
    }

    // MARK: Playing

    /// Plays a sound, in place of the current one.
    ///
    /// - Parameters:
    ///   - clip: The sound; it is uploaded if it was not added before.
    ///   - id: The system sound ID, for ``stop(id:)``.
    ///   - outlivesProcess: Whether the sound continues after this process's exit.
    ///   - asked: The time of the app's request: the sound fails if the server starts it too late.
    ///   - completion: Called at the end of the sound.
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

    /// Sets the next sound; the completion of a dropped one is called with `outcome`.
    private func setNext(_ playback: Playback?, instead outcome: Outcome) {
        let dropped = next
        next = playback
        guard let dropped else { return }
        removeIfUnused(dropped.entry)
        dropped.completion(outcome)
    }

    /// Stops the current and the next sound; completions are called.
    package func stop() {
        mainloop.withLock {
            setNext(nil, instead: .cutOff)
            endCurrent()
        }
    }

    /// Stops the sound with this ID, if it is current or next.
    package func stop(id: UInt32) {
        mainloop.withLock {
            if next?.id == id { setNext(nil, instead: .cutOff) }
            if current?.id == id { endCurrent() }
        }
    }

    /// Whether the server has started the last requested sound, or the sound has ended.
    package var isSettled: Bool {
        mainloop.withLock { next == nil && hasBegun && standby?.isSettled != false }
    }

    /// Whether the server has started the current sound, or there is none.
    var hasBegun: Bool {
        switch current?.stage {
        case .asked, .waiting: false
        default: true
        }
    }

    func advance() {
        guard next != nil else { return }
        endCurrent(.replaced)
        // The current sound can only be stopped once the server has reported its stream. So at most one request is
        // open.
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
            // The sound may have ended already.
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
            // The sample was removed by another client, or there is no sink.
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
            // `cutOff` is kept: a later sound does not change that the app stopped this one.
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
                // The stream had ended already, and its end was reported.
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
        // The completion may have requested another sound, which has started then.
        if current == nil { advance() }
    }

    /// Limits the time of a sound: PipeWire may keep a stream whose device does not run.
    func startTimer(for playback: Playback) {
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.endCurrent() }
        self.timer = timer
        timer.start(after: .seconds(playback.entry.clip.seconds + 5))
    }

    // MARK: Events

    /// Handles an event of any playback stream.
    func received(_ event: SubscriptionEvent) {
        // Cork events of the standby stream matter to no observer. Its end must be passed on to observers of its
        // appearance.
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

    /// Holds back an event, for 50 ms at most, in case the server is busy.
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

    /// Handles the loss of the server, and of all samples with it.
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

/// The removal of this process's samples from the server at its exit.
extension SystemSounds {
    /// Registers the cleanup to run before the exit.
    func stayTidy() {
        guard !staysTidy else { return }
        staysTidy = true
        ProcessExitDelay.before(exit: { [weak self] in self?.leave() })
    }

    /// Stops sounds that must not outlive the process, removes every sample, and waits for the server, for 2.2 s at
    /// most.
    private func leave() {
        guard !mainloop.isOnLoop else { return }
        mainloop.withLock {
            if current?.outlivesProcess == true { wait { self.hasBegun } } else { stop() }
            // A stream can only be stopped once the server has reported its index.
            wait { self.current == nil || self.hasBegun }
            if current?.outlivesProcess == false { stop() }
            // PipeWire 0.3.65 crashed in 2 of 3 runs when a client left before a stream it had killed was gone.
            wait { self.ending.isEmpty || self.connection() == nil }
            // A finished upload becomes a sample that no process would remove.
            isLeaving = true
            wait(for: .seconds(1)) { self.uploads == 0 || self.connection() == nil }
            for entry in entries.values where entry.state == .ready { removeSample(of: entry) }
            entries = [:]
            wait { self.removals == 0 || self.connection() == nil }
        }
    }

    private func wait(for time: Duration = .milliseconds(300), until condition: () -> Bool) {
        _ = mainloop.wait(timeout: time, until: condition)
    }
}

/// Use of a standby stream where samples start slowly. Sounds that do not suit it are played from the cache.
extension SystemSounds {
    /// Whether the standby stream can accept a sound.
    package var isStandingBy: Bool { mainloop.withLock { standby?.isFree == true } }

    /// Creates the standby stream for the first suitable sound, and others of its format.
    func prepareStandby(for clip: SoundClip, on connection: PulseConnection) {
        guard usesStandby(), standby == nil, clip.frames.count <= StandbyStream.longest else { return }
        // A failure is ignored: the cache plays the sound as well, only later.
        standby = try? StandbyStream(for: clip, properties: properties, on: connection) { [weak self] in
            self?.mainloop.signal()
            self?.standbySettled()
        }
    }

    /// Called when the standby stream has started the current sound, or flushed the previous one.
    private func standbySettled() {
        // A server that hung starts the sound only now.
        if let current, case .standby = current.stage, current.isLate { endCurrent(.failed) }
        advance()
    }

    /// Starts a sound if the standby stream can play it at once; returns whether it did.
    func playOnStandby(_ playback: Playback) -> Bool {
        // Only the server can play a sound that outlives the process.
        guard !playback.outlivesProcess, let standby, standby.isFree, standby.suits(playback.entry.clip) else {
            return false
        }
        playback.stage = .standby(standby)
        startTimer(for: playback)
        let hasBegun = standby.play(playback.entry.clip) { [weak self] wasHeard in
            // The stream was killed: the cache has the sound as well.
            wasHeard ? self?.finish(playback, .finished) : self?.start(playback)
        }
        if !hasBegun { playback.stage = .waiting }
        return hasBegun
    }

    /// Closes the standby stream if no sound suits it any more.
    func closeStandbyIfUnused() {
        guard let standby, !entries.keys.contains(where: standby.suits) else { return }
        standby.close()
        self.standby = nil
    }
}

extension SystemSounds {
    /// The prefix of this library's sample names; the owner, a dot and a number follow.
    static let prefix = "avaudiosession."

    /// Removes the samples of killed processes, whose owner is no longer a client.
    ///
    /// Clients are listed after the samples, so the list includes every living owner of a listed sample.
    func removeStraySamples(on connection: PulseConnection) {
        connection.sync { connection in
            connection.samples { [weak self, weak connection] result in
                guard let self, let connection, case .success(let samples) = result else { return }
                let strays = samples.compactMap { sample in Self.owner(of: sample.name).map { (sample.name, $0) } }
                    .filter { $0.1 != self.owner }
                guard !strays.isEmpty else { return }
                connection.sync { connection in
                    connection.clients { [weak connection] result in
                        guard let connection, case .success(let clients) = result else { return }
                        let alive = Set(clients.compactMap { $0.properties[Claim.property].flatMap(Claim.init)?.owner })
                        connection.sync { connection in
                            for (name, owner) in strays where !alive.contains(owner) {
                                connection.removeSample(named: name)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func owner(of name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        let parts = name.dropFirst(prefix.count).split(separator: ".")
        return parts.count == 2 ? String(parts[0]) : nil
    }
}

extension SystemSounds {
    /// A sound in the sample cache, or being uploaded to it.
    // SAFETY: only touched with the main loop's lock held.
    final class Entry: @unchecked Sendable {
        enum State { case absent, uploading, ready, unusable }
        let clip: SoundClip
        let name: String
        var state = State.absent
        /// The number of system sound IDs that use the sound.
        var users = 0

        init(_ clip: SoundClip, name: String) {
            self.clip = clip
            self.name = name
        }
    }

    /// A requested playback of a sound.
    // SAFETY: only touched with the main loop's lock held.
    final class Playback: @unchecked Sendable {
        enum Stage {
            /// Waits for the upload.
            case waiting
            /// Requested from the server, which has not answered.
            case asked
            /// Played by the server, in the stream of this index.
            case playing(UInt32)
            /// Played through a new stream.
            case streaming(StreamedSound)
            /// Played through the standby stream.
            case standby(StandbyStream)
        }
        let entry: Entry
        /// The system sound ID of the request.
        let id: UInt32
        /// Whether the sound continues after the process's exit.
        let outlivesProcess: Bool
        /// The time of the request.
        let asked: ContinuousClock.Instant
        let completion: Completion
        var stage = Stage.waiting
        /// The outcome to apply as soon as the server has answered, if the sound must end then.
        var unwanted: Outcome?
        var hasBeenUploadedAgain = false

        init(
            _ entry: Entry, id: UInt32, outlivesProcess: Bool, asked: ContinuousClock.Instant,
            completion: @escaping Completion
        ) {
            self.entry = entry
            self.id = id
            self.outlivesProcess = outlivesProcess
            self.asked = asked
            self.completion = completion
        }

        /// Whether the sound is too late to start now.
        var isLate: Bool { entry.clip.isTooLate(asked: asked) }
    }
}
