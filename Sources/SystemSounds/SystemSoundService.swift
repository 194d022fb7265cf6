package import AVFAudio
internal import AudioHost
internal import AudioSession
internal import Dispatch
internal import Foundation
internal import Locks
internal import SessionPolicy

/// The system sounds of a session: their identifiers, playback and completion functions.
///
/// All functions may be called on any thread. None waits for the sound server: work that may wait runs on `queue`.
package final class SystemSoundService: Sendable {
    /// The system sounds of this process.
    package static let shared = SystemSoundService(
        session: .sharedInstance(), playsUISounds: Session.playsUISounds)

    private struct Sound {
        /// The decoded sound; nil for a file without a frame.
        let clip: SoundClip?
        var isUISound = true
        var outlivesProcess = false
    }

    private let session: AVAudioSession
    private let playsUISounds: Bool
    private let state = Guarded(State())

    private struct State {
        var sounds: [SystemSoundID: Sound] = [:]
        var listeners: [SystemSoundID: SoundListener] = [:]
        var lastID = kSystemSoundID_UserPreferredAlert
        var player: (any ShortSounds)?
        /// Sounds created while there was no server, with the number of their identifiers.
        var missed: [SoundClip: Int] = [:]
        /// The time of the last failed connection attempt.
        var lastFailure: ContinuousClock.Instant?
    }

    /// The queue that connects to the server, which may take time.
    private let queue = DispatchQueue(label: "AudioServices", qos: .userInitiated)
    /// The queue that calls the apps' closures.
    private let completions = DispatchQueue(label: "AudioServices.completion", qos: .userInitiated)

    /// Legal identifiers that are silent on Linux.
    private static let silentSounds = [
        kSystemSoundID_Vibrate, kSystemSoundID_FlashScreen, kSystemSoundID_UserPreferredAlert,
    ]
    /// The length of a silent vibration in seconds: apps start the next one when it is over.
    private static let vibration = 0.4

    /// The system sounds of a session.
    ///
    /// - Parameter playsUISounds: Whether the user's settings allow sounds of the user interface.
    package init(session: AVAudioSession, playsUISounds: Bool = true) {
        self.session = session
        self.playsUISounds = playsUISounds
    }

    // MARK: Sounds

    /// Creates a sound from a file; the identifier is 0 after an error.
    package func create(_ url: URL, accepting formats: SystemSoundFormats) -> (status: OSStatus, id: SystemSoundID) {
        let clip: SoundClip?
        do throws(SystemSoundError) { clip = try SystemSoundFile.read(url, accepting: formats) } catch {
            return (error.status, 0)
        }
        let id = state.withLock {
            $0.lastID += 1
            $0.sounds[$0.lastID] = Sound(clip: clip)
            return $0.lastID
        }
        if let clip {
            let asked = ContinuousClock.now
            queue.async { [self] in connectedPlayer(at: asked)?.add(clip) ?? noteMissed(clip) }
        }
        return (kAudioServicesNoError, id)
    }

    /// Removes a sound.
    package func dispose(_ id: SystemSoundID) -> OSStatus {
        let (sound, player) = state.withLock { state -> (Sound?, (any ShortSounds)?) in
            state.listeners[id] = nil
            return (state.sounds.removeValue(forKey: id), state.player)
        }
        guard let sound else { return kAudioServicesSystemSoundUnspecifiedError }
        guard let clip = sound.clip else { return kAudioServicesNoError }
        player?.stop(id: id)
        queue.async { [self] in
            if !forgetMissed(clip) { state.withLock { $0.player }?.remove(clip) }
        }
        return kAudioServicesNoError
    }

    private func noteMissed(_ clip: SoundClip) { state.withLock { $0.missed[clip, default: 0] += 1 } }

    private func forgetMissed(_ clip: SoundClip) -> Bool {
        state.withLock {
            guard let count = $0.missed[clip] else { return false }
            $0.missed[clip] = count > 1 ? count - 1 : nil
            return true
        }
    }

    /// The player, connected if needed, with all missed sounds added; nil without a server.
    ///
    /// Runs on `queue`. `asked` is the time of the app's request.
    private func connectedPlayer(at asked: ContinuousClock.Instant) -> (any ShortSounds)? {
        guard let player = readyPlayer ?? connect(at: asked) else { return nil }
        let missed = state.withLock { state in
            state.player = player
            defer { state.missed = [:] }
            return state.missed
        }
        for (clip, count) in missed {
            for _ in 0..<count { player.add(clip) }
        }
        return player
    }

    /// Connects; nil without a new attempt if one failed after the request.
    ///
    /// An attempt at a hanging server takes 2 s, so a failure counts for all requests made before it ended.
    private func connect(at asked: ContinuousClock.Instant) -> (any ShortSounds)? {
        if let failure = state.withLock({ $0.lastFailure }), asked < failure { return nil }
        do { return try session.systemSounds() } catch {
            state.withLock { $0.lastFailure = .now }
            return nil
        }
    }

    private var readyPlayer: (any ShortSounds)? {
        guard let player = state.withLock({ $0.player }), player.isConnected else { return nil }
        return player
    }

    /// The player, if neither connecting nor adding missed sounds comes first, because both take time.
    private var promptPlayer: (any ShortSounds)? {
        state.withLock({ $0.missed.isEmpty }) ? readyPlayer : nil
    }

    // MARK: Playing

    /// Plays a sound; returns at once.
    ///
    /// - Parameter completion: Called when the sound is over, on the library's queue.
    package func play(_ id: SystemSoundID, completion: (@Sendable () -> Void)? = nil) {
        let over: @Sendable () -> Void = { [self] in finished(id, completion) }
        guard let sound = state.withLock({ $0.sounds[id] }) else {
            let isVibration = id == kSystemSoundID_Vibrate
            return after(isVibration ? Self.vibration : 0, over)
        }
        guard let clip = sound.clip else { return after(0, over) }
        guard playsUISounds || !sound.isUISound, session.permitsSystemSounds else { return after(clip.seconds, over) }
        let asked = ContinuousClock.now
        if let player = promptPlayer {
            play(clip, id, of: sound, asked: asked, on: player, over)
        } else {
            queue.async { [self] in
                let player = connectedPlayer(at: asked)
                guard exists(id) else { return after(0, over) }
                guard let player, !clip.isTooLate(asked: asked) else {
                    return after(clip.seconds, over)
                }
                play(clip, id, of: sound, asked: asked, on: player, over)
            }
        }
    }

    private func play(
        _ clip: SoundClip, _ id: SystemSoundID, of sound: Sound, asked: ContinuousClock.Instant,
        on player: any ShortSounds, _ over: @escaping @Sendable () -> Void
    ) {
        let begin = ContinuousClock.now
        player.play(clip, id: id, outlivesProcess: sound.outlivesProcess, asked: asked) { [self] outcome in
            // An app that plays the next sound from a completion must not spin where nothing can be heard, nor must two
            // such apps whose sounds replace each other.
            let rest: Double =
                switch outcome {
                case .finished, .cutOff: 0
                case .replaced: clip.seconds - (ContinuousClock.now - begin) / .seconds(1)
                case .failed: clip.seconds
                }
            after(rest, over)
        }
        // The session may have been interrupted, or the sound disposed of, since the check above: that call found
        // nothing to stop.
        if !session.permitsSystemSounds || !exists(id) { player.stop(id: id) }
    }

    private func exists(_ id: SystemSoundID) -> Bool { state.withLock { $0.sounds[id] != nil } }

    private func after(_ seconds: Double, _ work: @escaping @Sendable () -> Void) {
        seconds > 0
            ? completions.asyncAfter(deadline: .now() + seconds, execute: work) : completions.async(execute: work)
    }

    private func finished(_ id: SystemSoundID, _ completion: (@Sendable () -> Void)?) {
        completion?()
        guard let listener = state.withLock({ $0.listeners[id] }) else { return }
        // The function may be removed before it is called.
        listener.tell(id) { [self] in state.withLock { $0.listeners[id] === listener } }
    }

    /// Sets the function to call whenever a sound is over; nil removes it.
    func setListener(_ listener: SoundListener?, for id: SystemSoundID) -> OSStatus {
        state.withLock { state in
            guard state.sounds[id] != nil || Self.silentSounds.contains(id) else {
                return kAudioServicesSystemSoundUnspecifiedError
            }
            state.listeners[id] = listener
            return kAudioServicesNoError
        }
    }

    // MARK: Properties

    /// Checks that a property and a sound exist.
    func checkProperty(_ property: AudioServicesPropertyID, of specifier: SoundSpecifier, mayBeMissing: Bool)
        -> OSStatus
    {
        guard Self.path(of: property) != nil else { return kAudioServicesUnsupportedPropertyError }
        if mayBeMissing, specifier.size == 0 { return kAudioServicesNoError }
        guard let id = specifier.id else { return kAudioServicesBadSpecifierSizeError }
        return exists(id) ? kAudioServicesNoError : kAudioServicesSystemSoundUnspecifiedError
    }

    /// Reads a property.
    func property(_ property: AudioServicesPropertyID, of specifier: SoundSpecifier) -> (
        status: OSStatus, value: UInt32
    ) {
        let status = checkProperty(property, of: specifier, mayBeMissing: false)
        guard status == kAudioServicesNoError, let path = Self.path(of: property), let id = specifier.id else {
            return (status, 0)
        }
        return (status, state.withLock { $0.sounds[id]?[keyPath: path] == true } ? 1 : 0)
    }

    /// Sets a property.
    func setProperty(_ property: AudioServicesPropertyID, of specifier: SoundSpecifier, to value: Bool) -> OSStatus {
        guard let path = Self.path(of: property), let id = specifier.id else {
            return kAudioServicesUnsupportedPropertyError
        }
        return state.withLock {
            guard $0.sounds[id] != nil else { return kAudioServicesSystemSoundUnspecifiedError }
            $0.sounds[id]?[keyPath: path] = value
            return kAudioServicesNoError
        }
    }

    private static func path(of property: AudioServicesPropertyID) -> WritableKeyPath<Sound, Bool>? {
        switch property {
        case kAudioServicesPropertyIsUISound: \.isUISound
        case kAudioServicesPropertyCompletePlaybackIfAppDies: \.outlivesProcess
        default: nil
        }
    }
}
