import AudioHost
import AudioRealtime
import Locks

/// A sound of a scripted host: its ring is emptied by ``ScriptedHost/advance(frames:)``.
// SAFETY: `source` is set once, before others have the sound; weak references are loaded atomically.
final class ScriptedSound: HostSound, @unchecked Sendable {
    private struct State {
        var state = SoundStatus.State.paused
        var isSuspended = false
        var startFrame = 0
        weak var next: ScriptedSound?
    }

    private let state = Guarded(State())
    private let host: ScriptedHost
    private let place: Int
    private let ring: Voice
    private let refillThreshold: Int
    private weak var source: (any SoundSource)?

    init(of source: any SoundSource, in place: Int, on host: ScriptedHost) {
        self.host = host
        self.place = place
        self.source = source
        ring = source.ring
        refillThreshold = source.refillThreshold
    }

    var isInUse: Bool { state.withLock { $0.state == .running || $0.isSuspended } }

    var status: SoundStatus { SoundStatus(state: state.withLock { $0.state }, frame: ring.framesRendered) }

    func advance(frames: Int) {
        guard status.state == .running, state.withLock({ $0.startFrame }) <= host.state.withLock({ $0.frames }) else {
            return
        }
        _ = ring.skip(frames: frames)
        if ring.isFinished {
            let next = state.withLock { state in
                state.state = .finished
                return state.next
            }
            next?.state.withLock { $0.state = .running }
            source?.finished()
        } else if ring.writableFrames >= refillThreshold {
            source?.refill()
        }
    }

    func stop(interrupting: Bool) {
        let wasRunning = state.withLock { state in
            defer { if state.state == .running { state.state = .paused } }
            return state.state == .running
        }
        if wasRunning, interrupting { source?.interrupted() }
    }

    func play(at time: Double?, fade: GainChange?) -> SoundStart {
        guard status.state != .running else { return .begun }
        let permission = host.permission
        guard permission.acceptsSound, place == host.state.withLock({ $0.outputs }) else { return .refused }
        if let fade { apply(fade) }
        guard !permission.isInterrupted else {
            source?.interrupted()
            return .interrupted
        }
        state.withLock {
            $0.state = .running
            $0.startFrame = time.map { Int($0 * Double(ScriptedHost.rate)) } ?? 0
        }
        host.reportRunning()
        return .begun
    }

    func pause() {
        stop(interrupting: false)
        host.reportRunning()
    }

    func settle(seconds: Double) {}

    func suspend() -> Bool {
        state.withLock { state in
            guard state.state == .running else { return false }
            (state.state, state.isSuspended) = (.paused, true)
            return true
        }
    }

    func endSuspension(with sound: (any HostSound)?) {
        if let sound { _ = sound.play(at: nil, fade: nil) }
        state.withLock { $0.isSuspended = false }
        host.reportRunning()
    }

    func empty(keepsRamps: Bool) {
        guard status.state != .running else { return }
        ring.reset(keepsRamps: keepsRamps)
        state.withLock { $0.state = .paused }
    }

    func didWrite() { host.onWrite() }

    func requestRedecode() { source?.redecode() }

    func didRedecode() {}

    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int? {
        guard ring.framesRendered <= frame else { return nil }
        ring.truncate(to: frame)
        for piece in pieces {
            if let samples = piece.baseAddress { _ = ring.write(samples, frames: piece.count / ring.channels) }
        }
        ring.setEnded(isEnd)
        return ring.framesRendered + ring.readableFrames
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
        guard let other = other as? ScriptedSound, other.status.state != .finished else { return }
        ring.takeGain(of: other.ring)
    }

    func levels(window: Int) -> Levels? {
        status.state == .running ? ring.levels(atFrame: ring.framesRendered, window: window) : nil
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
