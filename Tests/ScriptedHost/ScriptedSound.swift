import AudioHost
import AudioRealtime
import Locks

/// A sound of a scripted host: ``ScriptedHost/advance(frames:)`` renders its ring.
// SAFETY: `source` is set once, before others have the sound, and weak references are loaded atomically; the ring's
// render side and `block` are only used with the host's lock held.
final class ScriptedSound: HostSound, @unchecked Sendable {
    private struct State {
        var state = SoundStatus.State.paused
        var isSuspended = false
        /// The frame of the host's time that it begins with; 0 for at once.
        var startFrame = 0
        weak var next: ScriptedSound?
    }

    /// Frames that are rendered at a time; levels come in such blocks.
    private static let blockFrames = ScriptedHost.rate / 100

    private let state = Guarded(State())
    private let host: ScriptedHost
    private let place: Int
    private let ring: Voice
    private let mixer: Mixer
    private let block: UnsafeMutablePointer<Float>
    private let refillThreshold: Int
    private weak var source: (any SoundSource)?

    init(of source: any SoundSource, in place: OutputPlace, on host: ScriptedHost) {
        self.host = host
        self.place = place.id
        self.source = source
        ring = source.ring
        refillThreshold = source.refillThreshold
        mixer = Mixer(channels: place.channels.count, maximumVoices: 1, maximumFrames: Self.blockFrames)
        mixer.add(ring)
        block = .allocate(capacity: Self.blockFrames * place.channels.count)
    }

    deinit {
        block.deallocate()
        host.reportRunning()
    }

    var isInUse: Bool { state.withLock { $0.state == .running || $0.isSuspended } }

    var status: SoundStatus { SoundStatus(state: state.withLock { $0.state }, frame: ring.framesRendered) }

    /// Whether it runs, and its source has given it neither so many frames nor an end.
    func awaitsSource(frames: Int) -> Bool {
        status.state == .running && ring.readableFrames < frames && !ring.isEnded
    }

    /// Renders what is heard in the last `frames` frames of the host's time.
    func advance(frames: Int) {
        let now = host.time
        let (isRunning, start) = state.withLock { ($0.state == .running, $0.startFrame) }
        let count = min(frames, now - start)
        guard isRunning, count > 0 else { return }
        let before = ring.framesRendered
        for first in stride(from: 0, to: count, by: Self.blockFrames) {
            mixer.render(into: block, frames: min(Self.blockFrames, count - first))
        }
        let heard = ring.framesRendered - before
        host.noteHeard(heard)
        if ring.isFinished {
            finish(rest: count - heard)
        } else if ring.writableFrames >= refillThreshold {
            source?.refill()
        }
    }

    /// Ends, and lets the next sound of the chain be heard for the rest of the time.
    private func finish(rest: Int) {
        let next = state.withLock { state in
            state.state = .finished
            return state.next
        }
        source?.finished()
        guard let next else { return }
        next.state.withLock { ($0.state, $0.startFrame) = (.running, host.time - rest) }
        next.advance(frames: rest)
        next.state.withLock { $0.startFrame = host.time }
    }

    func stop(interrupting: Bool) {
        let wasRunning = state.withLock { state in
            defer { if state.state == .running { state.state = .paused } }
            return state.state == .running
        }
        if wasRunning, interrupting { source?.interrupted() }
    }

    func play(at time: Double?, fade: GainChange?) -> SoundStart {
        host.lock.withLock { begin(with: time.map { Int($0 * Double(ScriptedHost.rate)) } ?? 0, fade) }
    }

    private func begin(with frame: Int, _ fade: GainChange?) -> SoundStart {
        guard status.state != .running else { return .begun }
        let permission = host.permission
        guard permission.acceptsSound, place == host.state.withLock({ $0.outputs }) else { return .refused }
        if let fade { apply(fade) }
        guard !permission.isInterrupted else {
            source?.interrupted()
            return .interrupted
        }
        state.withLock { ($0.state, $0.startFrame) = (.running, frame) }
        host.reportRunning()
        return .begun
    }

    func pause() {
        host.lock.withLock {
            stop(interrupting: false)
            host.reportRunning()
        }
    }

    func settle(seconds: Double) {}

    func suspend() -> Bool {
        host.lock.withLock {
            state.withLock { state in
                guard state.state == .running else { return false }
                (state.state, state.isSuspended) = (.paused, true)
                return true
            }
        }
    }

    func endSuspension(with sound: (any HostSound)?) {
        host.lock.withLock {
            // A start that is still to come is kept.
            let start = state.withLock { $0.startFrame }
            _ = (sound as? ScriptedSound)?.begin(with: start, nil)
            state.withLock { $0.isSuspended = false }
            host.reportRunning()
        }
    }

    func empty(keepsRamps: Bool) {
        host.lock.withLock {
            guard status.state != .running else { return }
            ring.reset(keepsRamps: keepsRamps)
            state.withLock { $0.state = .paused }
        }
    }

    func didWrite() { host.onWrite() }

    func requestRedecode() { host.lock.withLock { source?.redecode() } }

    func didRedecode() {}

    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int? {
        host.lock.withLock {
            guard ring.framesRendered <= frame else { return nil }
            ring.truncate(to: frame)
            for piece in pieces {
                if let samples = piece.baseAddress { _ = ring.write(samples, frames: piece.count / ring.channels) }
            }
            ring.setEnded(isEnd)
            return ring.framesRendered + ring.readableFrames
        }
    }

    func change(_ change: SoundChange) {
        switch change {
        case .gain(let gain): apply(gain)
        case .pan(let pan): ring.setPan(pan)
        case .metering(let isMetering): ring.isMetering = isMetering
        }
    }

    private func apply(_ change: GainChange) {
        ring.setGain(change.gain, rampFrames: change.rampFrames, from: change.start.map { ($0.gain, $0.frames) })
    }

    func takeGain(of other: any HostSound) {
        host.lock.withLock {
            guard let other = other as? ScriptedSound, other.status.state != .finished else { return }
            ring.takeGain(of: other.ring)
        }
    }

    func levels(window: Int) -> Levels? {
        host.lock.withLock {
            let isHeard = state.withLock { $0.state == .running && $0.startFrame < host.time }
            return isHeard ? ring.levels(atFrame: ring.framesRendered, window: window) : nil
        }
    }

    func chain(to next: (any HostSound)?) -> Bool {
        guard let next else {
            state.withLock { $0.next = nil }
            return true
        }
        guard let next = next as? ScriptedSound, next.place == place, status.state == .running else { return false }
        state.withLock { $0.next = next }
        return true
    }
}
