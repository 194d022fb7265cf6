internal import AVFAudio
internal import CoreMedia
internal import Foundation

/// The sound of an item: an `AVAudioPlayer`, opened in the background, and a position in it from the first moment on.
///
/// `lock` comes after the player's lock. Nobody is told anything with it held.
// SAFETY: everything mutable is guarded by `lock`, but for `onEvent`, which is set before the sound is opened.
final class ItemSound: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {
    enum State {
        /// Not asked for. Can move to: opening.
        case closed
        /// Being opened. Can move to: ready, failed.
        case opening
        /// Can move to: failed, with its sound server or with damage in the file.
        case ready(AVAudioPlayer)
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
    }

    private struct Seek {
        let seconds: Double
        let completion: (@Sendable (Bool) -> Void)?
    }

    private let asset: AVAsset
    private let lock = NSRecursiveLock()
    private var stateValue: State = .closed
    private var facts: AssetFacts?
    /// Asked for before there was a sound.
    private var pendingSeek: Seek?
    /// Whether the position is the end because it was asked for: the sound itself would begin anew.
    private var restsAtEnd = false
    private var decodeError: NSError?
    private var volumeValue: Float = 1
    var onEvent: @Sendable (Event) -> Void = { _ in }

    init(_ asset: AVAsset) { self.asset = asset }

    var state: State { lock.withLock { stateValue } }

    private var audio: AVAudioPlayer? {
        if case .ready(let audio) = stateValue { audio } else { nil }
    }

    // MARK: Opening

    /// Opens the file on a background queue, once.
    func open(session: AVAudioSession) {
        let begins = lock.withLock {
            guard case .closed = stateValue else { return false }
            stateValue = .opening
            return true
        }
        guard begins else { return }
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let result = Result { try AVAudioPlayer(contentsOf: asset.location, session: session) }
            let seek = lock.withLock { opened(result) }
            // The one who waits for its seek may want to play right after it.
            onEvent(.opened)
            if let completion = seek?.completion { onMain { completion(true) } }
        }
    }

    private func opened(_ result: Result<AVAudioPlayer, any Error>) -> Seek? {
        defer { pendingSeek = nil }
        switch result {
        case .success(let audio):
            audio.delegate = self
            audio.volume = volumeValue
            // It counts from the preparation on.
            audio.enableRate = true
            facts = AssetFacts(audio)
            stateValue = .ready(audio)
            if let pendingSeek { move(audio, to: pendingSeek.seconds) }
        case .failure(let error): stateValue = .failed(.item(error, url: asset.location))
        }
        return pendingSeek
    }

    /// Gives the sound up for good.
    func fail(_ error: NSError) {
        lock.withLock {
            audio?.stop()
            stateValue = .failed(error)
        }
    }

    // MARK: Playing

    /// Plays on from the position, or goes on at another rate; false if that is not possible.
    ///
    /// At the end there is nothing to play, which is no failure.
    func play(rate: Float) -> Bool {
        lock.withLock {
            guard let audio else { return false }
            audio.rate = rate
            if audio.standing == .finished { return true }
            if restsAtEnd {
                restsAtEnd = false
                audio.currentTime = audio.duration - 1 / audio.format.sampleRate
            }
            return audio.play()
        }
    }

    func pause() { lock.withLock { audio?.pause() } }

    var standing: PlayerStanding { lock.withLock { audio?.standing ?? .stopped } }

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

    var duration: CMTime? { lock.withLock { facts?.duration } }

    var time: CMTime {
        lock.withLock {
            guard let audio, let facts else {
                return CMTime(seconds: pendingSeek?.seconds ?? 0, preferredTimescale: 1_000_000_000)
            }
            // In this order: a sound that ends in between stands at its beginning again.
            let seconds = audio.currentTime
            if restsAtEnd || audio.standing == .finished { return facts.duration }
            return CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
        }
    }

    /// Goes to a position, to the frame; one beyond an end is that end.
    ///
    /// Tells on the main queue whether it got there: a position that is asked for before the file is open is given up for
    /// a later one.
    func seek(to seconds: Double, completion: (@Sendable (Bool) -> Void)?) {
        let (given, outcome) = lock.withLock { () -> (Seek?, Bool?) in
            if let audio {
                move(audio, to: max(0, seconds))
                return (nil, true)
            }
            if case .failed = stateValue { return (nil, false) }
            defer { pendingSeek = Seek(seconds: max(0, seconds), completion: completion) }
            return (pendingSeek, nil)
        }
        if let completion = given?.completion { onMain { completion(false) } }
        if let completion, let outcome { onMain { completion(outcome) } }
    }

    /// Gives up a seek that waits for the file.
    func cancelSeek() {
        let seek = lock.withLock {
            defer { pendingSeek = nil }
            return pendingSeek
        }
        if let completion = seek?.completion { onMain { completion(false) } }
    }

    private func move(_ audio: AVAudioPlayer, to seconds: Double) {
        restsAtEnd = seconds >= audio.duration && !audio.isPlaying
        audio.currentTime = restsAtEnd ? 0 : seconds
    }

    // MARK: AVAudioPlayerDelegate, on the main queue

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        let error = lock.withLock {
            defer { decodeError = nil }
            return decodeError
        }
        let failure = flag ? nil : error ?? NSError(.decodeFailed, "The sound could not be decoded.")
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
func onMain(_ body: @escaping @Sendable () -> Void) { OperationQueue.main.addOperation(body) }
