internal import AVFAudio
internal import AudioFiles
internal import CoreMedia
internal import Foundation

/// The sound of an item: an `AVAudioPlayer`, or the player of a stream, opened in the background, and a position in it
/// from the first moment on.
///
/// `lock` comes after the player's lock. Nobody is told anything with it held.
// SAFETY: everything mutable is guarded by `lock`, but for `onEvent`, which is set before the sound is opened.
final class ItemSound: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {
    enum State {
        /// Not asked for. Can move to: opening.
        case closed
        /// Being opened. Can move to: ready, failed, also with its sound server.
        case opening
        /// Can move to: failed, with its sound server or with damage in the file.
        case ready(any ItemAudio)
        /// Final.
        case failed(NSError)
    }

    enum Event {
        /// It can be played now, or has failed.
        case opened
        /// On the main queue: it was heard to the end, or to where it could not be decoded any further.
        case ended(NSError?)
        /// On the main queue: an interruption of the session stopped it.
        case interrupted
        /// On the main queue: it was being heard, and nothing more has come.
        case stalled
        /// On the main queue: there is more or less to be played than before.
        case changed
        /// On the main queue: a part of it could not be had, and is passed over.
        case partFailed(NSError, uri: String)
        /// On the main queue: a radio has said what is heard at so many seconds.
        case announced(String, Double)
    }

    private struct Seek {
        let seconds: Double
        let completion: (@Sendable (Bool) -> Void)?
    }

    private let asset: AVAsset
    private let lock = NSRecursiveLock()
    private var stateValue: State = .closed
    private var facts: AssetFacts?
    /// Of a stream that is being opened.
    private var opening: StreamPlayer?
    private var waits = true
    /// Asked for before there was a sound.
    private var pendingSeek: Seek?
    /// Whether the position is the end because it was asked for: the sound itself would begin anew.
    private var restsAtEnd = false
    /// Whether it has come to where the app wants it to end, and nobody went elsewhere since.
    private var restsAtForwardEnd = false
    private var decodeError: NSError?
    /// Of a stream that has failed.
    private var lastReport: StreamReport?
    private var volumeValue: Float = 1
    var onEvent: @Sendable (Event) -> Void = { _ in }

    init(_ asset: AVAsset) { self.asset = asset }

    deinit {
        // Whoever waits for it must not wait for ever.
        if let completion = pendingSeek?.completion { onMain { completion(false) } }
    }

    var state: State { lock.withLock { stateValue } }

    private var audio: (any ItemAudio)? {
        if case .ready(let audio) = stateValue { audio } else { nil }
    }

    /// The stream, if it is one that can be played.
    var stream: StreamPlayer? { lock.withLock { audio as? StreamPlayer } }

    /// What became of the stream, one that has failed too; nil for a file.
    var report: StreamReport? { lock.withLock { stream?.report ?? lastReport } }

    // MARK: Opening

    /// Opens the file in the background, once.
    func open(session: AVAudioSession) {
        let begins = lock.withLock {
            guard case .closed = stateValue else { return false }
            stateValue = .opening
            return true
        }
        guard begins else { return }
        if asset.isStream { return openStream(session: session) }
        DispatchQueue(label: "AVPlayer.open", qos: .userInitiated).async { [self] in
            do {
                let audio = try AVAudioPlayer(contentsOf: asset.location, session: session)
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
        let stream = StreamPlayer(url: asset.location, limits: asset.limits, session: session)
        stream.onEvent = { [weak self] event in self?.received(event) }
        lock.withLock { opening = stream }
        stream.open()
    }

    private func received(_ event: StreamPlayer.Event) {
        switch event {
        case .opened(let error):
            let stream = lock.withLock {
                defer { opening = nil }
                return opening
            }
            guard let stream else { return }
            guard error == nil, let format = stream.format else {
                return opened(.failure(.stream(error, url: asset.location)))
            }
            stream.waitsToMinimizeStalling = lock.withLock { waits }
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
        let (seek, outcome) = lock.withLock { () -> (Seek?, Bool?) in
            defer { pendingSeek = nil }
            if case .failed = stateValue {
                // It was given up meanwhile.
                if case .success(let (audio, _)) = result { audio.stop() }
                return (pendingSeek, false)
            }
            switch result {
            case .success(let (audio, facts)):
                audio.volume = volumeValue
                self.facts = facts
                stateValue = .ready(audio)
                return (pendingSeek, pendingSeek.flatMap { carryOut($0, audio) })
            case .failure(let error):
                stateValue = .failed(error)
                return (pendingSeek, false)
            }
        }
        // The one who waits for its seek may want to play right after it.
        onEvent(.opened)
        if let completion = seek?.completion, let outcome { onMain { completion(outcome) } }
    }

    /// Gives the sound up for good, also while it is being opened.
    func fail(_ error: NSError) {
        // What is let go of may have an app's code to run.
        let (seek, given) = lock.withLock { () -> (Seek?, StreamPlayer?) in
            defer { (pendingSeek, opening) = (nil, nil) }
            // Why it failed first is what is told.
            if case .failed = stateValue { return (pendingSeek, opening) }
            lastReport = (stream ?? opening)?.report ?? lastReport
            audio?.stop()
            opening?.stop()
            stateValue = .failed(error)
            return (pendingSeek, opening)
        }
        if let completion = seek?.completion { onMain { completion(false) } }
        withExtendedLifetime(given) {}
    }

    // MARK: Playing

    /// Plays on from the position, or goes on at another rate; false if that is not possible.
    ///
    /// At the end there is nothing to play, which is no failure.
    func play(rate: Float, impatiently: Bool = false) -> Bool {
        lock.withLock {
            guard let audio else { return false }
            audio.rate = rate
            if restsAtForwardEnd { return true }
            let standing = audio.standing
            // A file that runs may end before it is told to, and would begin anew.
            if standing == .finished || standing == .running && audio is AVAudioPlayer { return true }
            if restsAtEnd, let file = audio as? AVAudioPlayer {
                restsAtEnd = false
                file.currentTime = file.duration - 1 / file.format.sampleRate
            }
            return audio.start(impatiently: impatiently)
        }
    }

    func pause() { lock.withLock { audio?.pause() } }

    /// Ends where the app wants it to, and stays there until a seek, or until that is elsewhere; false if it is not
    /// there, or has ended already.
    ///
    /// One that was stopped since it came there, before the main queue was told, would play on beyond its end else.
    func end(at seconds: Double) -> Bool {
        lock.withLock {
            guard standing != .finished, settledTime.seconds >= seconds - 0.01 else { return false }
            restsAtForwardEnd = true
            audio?.pause()
            return true
        }
    }

    /// The app wants it to end elsewhere; true if it had ended there.
    func forgetForwardEnd() -> Bool {
        lock.withLock {
            defer { restsAtForwardEnd = false }
            return restsAtForwardEnd
        }
    }

    /// Lets another sound begin by itself with the frame after the last one of this one, or none.
    ///
    /// False if that is not possible, or not yet.
    func lead(_ next: ItemSound?, rate: Float = 1) -> Bool {
        guard let next else { return lock.withLock { audio }?.lead(nil) ?? false }
        // In this order: to make the next one ready may have to wait for the session.
        guard let audio = lock.withLock({ audio }), audio.canLead else { return false }
        guard let voice = next.readyToFollow(rate: rate) else { return false }
        if audio.lead(voice) { return true }
        next.pause()
        return false
    }

    private func readyToFollow(rate: Float) -> QueuedVoice? {
        lock.withLock {
            guard let audio, !isAtEnd, pendingSeek == nil else { return nil }
            audio.rate = rate
            return audio.readyToFollow()
        }
    }

    /// Whether nothing is left to be played.
    var isAtEnd: Bool { lock.withLock { restsAtEnd || restsAtForwardEnd || audio?.standing == .finished } }

    /// The session was deactivated, which also ends waiting.
    func sessionStopped() { stream?.sessionStopped() }

    /// Whether it plays only as long as more comes, and waits for that.
    var isWaiting: Bool { stream?.isWaiting ?? false }

    var waitsToMinimizeStalling: Bool {
        get { lock.withLock { waits } }
        set {
            lock.withLock { waits = newValue }
            stream?.waitsToMinimizeStalling = newValue
        }
    }

    var standing: PlayerStanding {
        lock.withLock { restsAtForwardEnd ? .finished : audio?.standing ?? .stopped }
    }

    var volume: Float {
        get { lock.withLock { volumeValue } }
        set {
            lock.withLock {
                volumeValue = newValue
                audio?.volume = newValue
            }
        }
    }

    // MARK: Position

    /// What it says of itself, until the end of a stream was found.
    var duration: CMTime? {
        lock.withLock {
            guard let stream, let rate = stream.format?.sampleRate, let length = stream.foundLength else {
                return facts?.duration
            }
            return CMTime(value: length, timescale: CMTimeScale(rate))
        }
    }

    var time: CMTime {
        lock.withLock {
            guard let audio, let duration else {
                return CMTime(seconds: pendingSeek?.seconds ?? 0, preferredTimescale: 1_000_000_000)
            }
            // In this order: a sound that ends in between stands at its beginning again.
            let seconds = audio.currentTime
            let isAtEnd = restsAtEnd || audio.standing == .finished
            // A stream may be longer than its length was reckoned.
            if isAtEnd, duration.isNumeric, seconds < duration.seconds + 0.001 { return duration }
            return CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
        }
    }

    /// The position, exact where the sound was paused just now: waits until the server has said what it played, for
    /// 0.25 s at most.
    var settledTime: CMTime {
        lock.withLock { audio }?.settle()
        return time
    }

    /// Goes to a position, to the frame; one beyond an end is that end.
    ///
    /// Tells on the main queue whether it got there: a position that is asked for before the file is open is given up
    /// for a later one.
    func seek(to seconds: Double, completion: (@Sendable (Bool) -> Void)?) {
        let (given, outcome) = lock.withLock { () -> (Seek?, Bool?) in
            restsAtForwardEnd = false
            let seek = Seek(seconds: max(0, seconds), completion: completion)
            if let audio { return (nil, carryOut(seek, audio)) }
            if case .failed = stateValue { return (nil, false) }
            defer { pendingSeek = seek }
            return (pendingSeek, nil)
        }
        if let completion = given?.completion { onMain { completion(false) } }
        if let completion, let outcome { onMain { completion(outcome) } }
    }

    /// Gives up a seek that waits for the file, or for the server.
    func cancelSeek() {
        stream?.cancelSeek()
        let seek = lock.withLock {
            defer { pendingSeek = nil }
            return pendingSeek
        }
        if let completion = seek?.completion { onMain { completion(false) } }
    }

    /// Whether it got there; nil for a stream, which tells by itself.
    private func carryOut(_ seek: Seek, _ audio: any ItemAudio) -> Bool? {
        if let stream = audio as? StreamPlayer {
            let completion = seek.completion
            stream.seek(to: seek.seconds) { isDone in if let completion { onMain { completion(isDone) } } }
            return nil
        }
        guard let file = audio as? AVAudioPlayer else { return false }
        restsAtEnd = seek.seconds >= file.duration && !file.isPlaying
        // To the file itself infinity is no time, and it would begin anew.
        file.currentTime = restsAtEnd ? 0 : min(seek.seconds, file.duration)
        return true
    }

    // MARK: AVAudioPlayerDelegate, on the main queue

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        let error = lock.withLock {
            defer { decodeError = nil }
            return decodeError
        }
        // What lacks parts was heard to its end all the same, and can be again.
        let isComplete = flag || !player.hasBrokenOff
        let failure = isComplete ? nil : error ?? NSError(.decodeFailed, "The sound could not be decoded.")
        if let failure { fail(failure) }
        onEvent(.ended(failure))
    }

    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        lock.withLock {
            decodeError = NSError(.decodeFailed, error?.localizedDescription ?? "", underlying: error)
        }
    }

    func audioPlayerBeginInterruption(_ player: AVAudioPlayer) { onEvent(.interrupted) }
}

/// Runs something where apps expect to be told; docs/decisions/0006 says why it is an operation.
func onMain(_ body: @escaping @Sendable () -> Void) { Delivery.perform(body) }

/// Runs something on a queue that the app has named, or where it is told of everything else.
func deliver(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) {
    if let queue { queue.async(execute: body) } else { onMain(body) }
}
