internal import AVFAudio
internal import AudioFiles
internal import CoreMedia
internal import Foundation

/// The sound of an item: an `AVAudioPlayer` or a ``StreamPlayer``, opened in the background, and a position from the
/// beginning on.
///
/// Commands run one after the other and may wait for the sound server; the player's command comes before the sound's.
/// Properties are read from facts and from the open sound, and wait for nothing. No event is delivered during a
/// command.
// SAFETY: what is not in `facts` is only used within commands of it, but for `onEvent`, which is set before the sound
// is opened.
final class ItemSound: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {
    enum State: Sendable {
        /// Not yet opened. Can move to: opening.
        case closed
        /// Being opened. Can move to: ready, failed, also with its sound server.
        case opening
        /// Can move to: failed, with its sound server or with damage in the file.
        case ready(any ItemAudio)
        /// Final.
        case failed(NSError)
    }

    enum Event {
        /// The sound can be played, or has failed.
        case opened
        /// On the main queue: the sound was heard to its end, or to where it could not be decoded any further.
        case ended(NSError?)
        /// On the main queue: an interruption of the session stopped the sound.
        case interrupted
        /// On the main queue: the loaded part of a stream was heard, and the stream has not ended.
        case stalled
        /// On the main queue: the loaded part of a stream has changed.
        case changed
        /// On the main queue: a part of a stream could not be loaded, and is passed over.
        case partFailed(NSError, uri: String)
        /// On the main queue: a radio's title, and its position in seconds.
        case announced(String, Double)
    }

    private struct Seek {
        let seconds: Double
        let completion: (@Sendable (Bool) -> Void)?
    }

    private let asset: AVAsset
    private let facts = CommandState(ItemFacts())
    /// The player of a stream that is being opened.
    private var opening: StreamPlayer?
    /// A seek from before the sound was open.
    private var pendingSeek: Seek?
    private var decodeError: NSError?
    var onEvent: @Sendable (Event) -> Void = { _ in }

    init(_ asset: AVAsset) { self.asset = asset }

    deinit {
        // A caller may wait for its completion.
        if let completion = pendingSeek?.completion { onMain { completion(false) } }
    }

    var state: State { facts.value.state }

    /// The open sound of a stream.
    var stream: StreamPlayer? { facts.value.stream }

    /// The statistics of a stream, of a failed one too; nil for a file.
    var report: StreamReport? {
        let facts = facts.value
        return facts.stream?.report ?? facts.lastReport
    }

    /// Runs `body` when the commands of other threads have returned, and before the next one.
    func command<Result>(_ body: () -> Result) -> Result { facts.run(body) }

    private func takePendingSeek() -> Seek? {
        facts.change { $0.pendingSeconds = nil }
        defer { pendingSeek = nil }
        return pendingSeek
    }

    // MARK: Opening

    /// Opens the file in the background, once.
    func open(session: AVAudioSession) {
        // Most calls find it open, and need not wait for a seek of the item.
        guard case .closed = state else { return }
        let begins = facts.run {
            guard case .closed = state else { return false }
            facts.change { $0.state = .opening }
            return true
        }
        guard begins else { return }
        if asset.isStream { return openStream(session: session) }
        DispatchQueue(label: "AVPlayer.open", qos: .userInitiated).async { [self] in
            do {
                let audio = try AVAudioPlayer(contentsOf: asset.file, session: session)
                audio.delegate = self
                // It counts from the preparation on.
                audio.enableRate = true
                opened(.success((audio, AssetFacts(audio))))
            } catch {
                opened(.failure(.item(error, url: asset.location)))
            }
        }
    }

    private func openStream(session: AVAudioSession) {
        var limits = asset.limits
        limits.peakBitRate = peakBitRate
        let stream = StreamPlayer(url: asset.location, limits: limits, session: session)
        stream.onEvent = { [weak self] event in self?.received(event) }
        facts.run {
            stream.load(ahead: facts.value.forwardBuffer)
            opening = stream
        }
        stream.open()
    }

    private func received(_ event: StreamEvent) {
        switch event {
        case .opened(let error):
            let stream = facts.run {
                defer { opening = nil }
                return opening
            }
            guard let stream else { return }
            guard error == nil, let format = stream.format else {
                return opened(.failure(.stream(error, url: asset.location)))
            }
            stream.waitsToMinimizeStalling = facts.value.waits
            opened(.success((stream, AssetFacts(format))))
        case .stalled: onEvent(.stalled)
        case .changed: onEvent(.changed)
        case .announced(let text, let seconds): onEvent(.announced(text, seconds))
        case .interrupted: onEvent(.interrupted)
        case .failed(let part):
            onEvent(.partFailed(NSError.stream(part.error, url: asset.location), uri: part.url))
        case .ended(let error):
            let failure = error.map { NSError.stream($0, url: asset.location) }
            if let failure { fail(failure) }
            onEvent(.ended(failure))
        }
    }

    private func opened(_ result: Result<(any ItemAudio, AssetFacts), NSError>) {
        let (seek, outcome) = facts.run { () -> (Seek?, Bool?) in
            let seek = takePendingSeek()
            if case .failed = state {
                // The item was given up meanwhile.
                if case .success(let (audio, _)) = result { audio.stop() }
                return (seek, false)
            }
            switch result {
            case .success(let (audio, asset)):
                audio.volume = facts.value.volume
                facts.change { ($0.asset, $0.state) = (asset, .ready(audio)) }
                return (seek, seek.flatMap { carryOut($0, audio) })
            case .failure(let error):
                facts.change { $0.state = .failed(error) }
                return (seek, false)
            }
        }
        // An app that waits for its seek may play right after it.
        onEvent(.opened)
        if let completion = seek?.completion, let outcome { onMain { completion(outcome) } }
    }

    /// Gives the sound up for good, also while it is being opened.
    func fail(_ error: NSError) {
        // Released without the lock: closures of the app may be released with them.
        let (seek, given, audio) = facts.run { () -> (Seek?, StreamPlayer?, (any ItemAudio)?) in
            let (seek, given, audio) = (takePendingSeek(), opening, facts.value.audio)
            opening = nil
            // The first error stays.
            if case .failed = state { return (seek, given, nil) }
            let report = (facts.value.stream ?? given)?.report
            facts.change {
                $0.lastReport = report ?? $0.lastReport
                $0.state = .failed(error)
            }
            audio?.stop()
            given?.stop()
            return (seek, given, audio)
        }
        if let completion = seek?.completion { onMain { completion(false) } }
        withExtendedLifetime((given, audio)) {}
    }

    // MARK: Playing

    /// Plays on from the position, or goes on at another rate; false if that is not possible.
    ///
    /// At the end there is nothing to play, which is no failure. Waits for the sound server, for 2 s at most.
    func play(rate: Float, impatiently: Bool = false) -> Bool {
        facts.run {
            guard let audio = facts.value.audio else { return false }
            audio.rate = rate
            if facts.value.restsAtForwardEnd { return true }
            let standing = audio.standing
            // A file that runs may end in between, and would begin anew.
            if standing == .finished || standing == .running && audio is AVAudioPlayer { return true }
            if facts.value.restsAtEnd, let file = audio as? AVAudioPlayer {
                facts.change { $0.restsAtEnd = false }
                file.currentTime = file.duration - 1 / file.format.sampleRate
            }
            return audio.start(impatiently: impatiently)
        }
    }

    /// Stops at the frame that is heard now; does not wait for the server.
    func pause() { facts.run { facts.value.audio?.pause() } }

    /// Ends at the forward end, until a seek or a change of the forward end; false if the position is before it, or the
    /// sound has ended already.
    ///
    /// Waits for the sound server, for 0.25 s at most.
    ///
    /// A sound that was paused behind its forward end, before the main queue noticed, would otherwise play on.
    func end(at seconds: Double) -> Bool {
        facts.run {
            guard standing != .finished, settledTime.seconds >= seconds - 0.01 else { return false }
            // Before the pause and for all threads: the paused sound alone would look stopped to them.
            facts.changeAtOnce { $0.restsAtForwardEnd = true }
            facts.value.audio?.pause()
            return true
        }
    }

    /// Forgets that the sound ended at the forward end; true if it did.
    func forgetForwardEnd() -> Bool {
        facts.run {
            let rests = facts.value.restsAtForwardEnd
            facts.change { $0.restsAtForwardEnd = false }
            return rests
        }
    }

    /// Lets another sound begin by itself with the frame after this one's last frame, or no sound.
    ///
    /// False if that is not possible, or not yet. Waits for the sound server, for 2 s at most.
    func lead(_ next: ItemSound?, rate: Float = 1) -> Bool {
        let audio = facts.run { facts.value.audio }
        guard let next else { return audio?.lead(nil) ?? false }
        // In this order: the preparation of the next sound may have to wait for the session.
        guard let audio, audio.canLead, let voice = next.readyToFollow(rate: rate) else { return false }
        if audio.lead(voice) { return true }
        next.pause()
        return false
    }

    private func readyToFollow(rate: Float) -> QueuedVoice? {
        facts.run {
            guard let audio = facts.value.audio, !isAtEnd, pendingSeek == nil else { return nil }
            audio.rate = rate
            return audio.readyToFollow()
        }
    }

    /// Whether nothing is left to be played; within a command.
    private var isAtEnd: Bool { facts.value.restsAtEnd || standing == .finished }

    /// Ends the waiting of a stream after the session was deactivated.
    func sessionStopped() { stream?.sessionStopped() }

    /// Whether a stream waits for more of its sound.
    var isWaiting: Bool { stream?.isWaiting ?? false }

    var waitsToMinimizeStalling: Bool {
        get { facts.value.waits }
        set {
            facts.change { $0.waits = newValue }
            stream?.waitsToMinimizeStalling = newValue
        }
    }

    /// Seconds of a stream that are loaded ahead of the listener; 0 for the usual ones.
    var forwardBuffer: Double {
        get { facts.value.forwardBuffer }
        set {
            facts.run {
                facts.change { $0.forwardBuffer = newValue }
                (opening ?? facts.value.stream)?.load(ahead: newValue)
            }
        }
    }

    /// The highest bit rate of a stream that is opened later and has variants, in bits a second; 0 for no limit.
    var peakBitRate: Double {
        get { facts.value.peakBitRate }
        set { facts.run { facts.change { $0.peakBitRate = newValue } } }
    }

    var standing: PlayerStanding {
        facts.read { $0.restsAtForwardEnd ? .finished : $0.audioStanding ?? .stopped }
    }

    /// The standing after the commands of other threads, for which this waits.
    var settledStanding: PlayerStanding { facts.run { standing } }

    var volume: Float {
        get { facts.value.volume }
        set {
            facts.run {
                facts.change { $0.volume = newValue }
                facts.value.audio?.volume = newValue
            }
        }
    }

    // MARK: Position

    /// The length: that of the asset, until the end of a stream was found.
    var duration: CMTime? { duration(facts.value) }

    private func duration(_ facts: ItemFacts) -> CMTime? {
        guard let stream = facts.stream, let rate = stream.format?.sampleRate, let length = stream.foundLength else {
            return facts.asset?.duration
        }
        return CMTime(value: length, timescale: CMTimeScale(rate))
    }

    var time: CMTime {
        facts.read { facts in
            guard let audio = facts.audio, let duration = duration(facts) else {
                return CMTime(seconds: facts.pendingSeconds ?? 0, preferredTimescale: 1_000_000_000)
            }
            // In this order: a sound that ends in between stands at its beginning again.
            let seconds = facts.held?.seconds ?? audio.currentTime
            let isAtEnd = facts.restsAtEnd || facts.audioStanding == .finished
            // A stream may be longer than its estimated length.
            if isAtEnd, duration.isNumeric, seconds < duration.seconds + 0.001 { return duration }
            return CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
        }
    }

    /// The position after the commands of other threads, exact where the sound was paused just now.
    ///
    /// Waits for those commands, and for the sound server, for 0.25 s at most.
    var settledTime: CMTime {
        facts.run {
            facts.value.audio?.settle()
            return time
        }
    }

    /// Goes to a position, to the frame; one beyond an end is that end.
    ///
    /// Reports on the main queue whether it got there; a seek from before the file is open is given up for a later one.
    /// Waits for the sound server, for 2 s at most.
    func seek(to seconds: Double, completion: (@Sendable (Bool) -> Void)?) {
        let (given, outcome) = facts.run { () -> (Seek?, Bool?) in
            facts.change { $0.restsAtForwardEnd = false }
            let seek = Seek(seconds: max(0, seconds), completion: completion)
            if let audio = facts.value.audio { return (nil, carryOut(seek, audio)) }
            if case .failed = state { return (nil, false) }
            let given = takePendingSeek()
            pendingSeek = seek
            facts.change { $0.pendingSeconds = seek.seconds }
            return (given, nil)
        }
        if let completion = given?.completion { onMain { completion(false) } }
        if let completion, let outcome { onMain { completion(outcome) } }
    }

    /// Gives up a seek that waits for the file, or for the web server.
    func cancelSeek() {
        stream?.cancelSeek()
        let seek = facts.run { takePendingSeek() }
        if let completion = seek?.completion { onMain { completion(false) } }
    }

    /// Seeks within a command; returns whether it got there, or nil for a stream, which reports by itself.
    private func carryOut(_ seek: Seek, _ audio: any ItemAudio) -> Bool? {
        if let stream = audio as? StreamPlayer {
            let completion = seek.completion
            stream.seek(to: seek.seconds) { isDone in if let completion { onMain { completion(isDone) } } }
            return nil
        }
        guard let file = audio as? AVAudioPlayer else { return false }
        // A file that plays is suspended for its seek, and an end is not the file's own.
        let (standing, seconds) = (file.standing, file.currentTime)
        facts.hold { $0.held = (standing, seconds) }
        let isEnd = seek.seconds >= file.duration && !file.isPlaying
        facts.change { $0.restsAtEnd = isEnd }
        // To the file itself infinity is no time, and it would begin anew.
        file.currentTime = isEnd ? 0 : min(seek.seconds, file.duration)
        return true
    }

    // MARK: AVAudioPlayerDelegate, on the main queue

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        let error = facts.run {
            defer { decodeError = nil }
            return decodeError
        }
        // A sound that lacks parts was heard to its end all the same, and can be played again.
        let isComplete = flag || !player.hasBrokenOff
        let failure = isComplete ? nil : error ?? NSError(.decodeFailed, "The sound could not be decoded.")
        if let failure { fail(failure) }
        onEvent(.ended(failure))
    }

    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        facts.run {
            decodeError = NSError(.decodeFailed, error?.localizedDescription ?? "", underlying: error)
        }
    }

    func audioPlayerBeginInterruption(_ player: AVAudioPlayer) { onEvent(.interrupted) }
}

/// Runs `body` where apps expect notifications; docs/decisions/0006 says why it is an operation.
func onMain(_ body: @escaping @Sendable () -> Void) { Delivery.perform(body) }

/// Runs `body` on a queue that the app has chosen, or where apps expect notifications.
func deliver(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) {
    if let queue { queue.async(execute: body) } else { onMain(body) }
}
