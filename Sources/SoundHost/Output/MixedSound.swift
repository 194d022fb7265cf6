internal import AudioHost
internal import AudioRealtime
internal import Locks

/// A sound in one of a host's outputs.
final class MixedSound: HostSound {
    private struct State {
        /// The suspension that ``MixedSound/endSuspension(with:)`` ends.
        var suspension: OutputMix.Suspension?
        /// The frame that was heard at a pause, while the server has not said how far it came.
        var pausedAt: Int?
    }

    private let host: PulseHost
    private let mix: OutputMix
    private let voice: OutputVoice
    private let redecode: @Sendable () -> Void
    private let state = Guarded(State())

    init(of source: any SoundSource, in mix: OutputMix, on host: PulseHost) {
        self.host = host
        self.mix = mix
        let usual = ChannelMatrix.standard(source.ring.channels)
        voice = OutputVoice(
            voice: source.ring,
            matrix: { [weak source] in source?.matrix(to: $0) ?? ChannelMatrix(from: usual, to: $0) },
            refillThreshold: source.refillThreshold, onRefillNeeded: { [weak source] in source?.refill() },
            onFinished: { [weak source] in source?.finished() },
            onInterrupted: { [weak source] in source?.interrupted() })
        redecode = { [weak source] in source?.redecode() }
    }

    deinit { host.withLock { mix.pause(voice) } }

    var status: SoundStatus {
        host.withLock {
            let standing: SoundStatus.State =
                switch voice.state {
                case .paused: .paused
                case .playing, .finishing: .running
                case .finished: .finished
                }
            let isSettled = mix.isSettled
            let pausedAt = state.withLock {
                if isSettled { $0.pausedAt = nil }
                return $0.pausedAt
            }
            return SoundStatus(state: standing, frame: pausedAt ?? mix.position(of: voice))
        }
    }

    func play(at time: Double?, fade: GainChange?) -> SoundStart {
        host.withLock {
            guard !voice.isRunning else { return .begun }
            state.withLock { $0.pausedAt = nil }
            // Asked with the lock held: what ends the session from now on stops the voice too.
            guard host.acceptsSound else { return .refused }
            if let fade { voice.voice.apply(fade) }
            guard mix.play(voice, at: time) else { return .refused }
            return voice.isRunning ? .begun : .interrupted
        }
    }

    func pause() {
        host.withLock {
            guard voice.isRunning else { return }
            let frame = mix.position(of: voice)
            mix.pause(voice)
            // The listener does not go on while the server is asked how far it came.
            let estimate = mix.isSettled ? nil : frame
            state.withLock { $0.pausedAt = estimate }
        }
    }

    func settle(seconds: Double) { host.awaitSettled(mix, seconds: seconds) }

    func suspend() -> Bool {
        host.withLock {
            guard let new = mix.suspend(voice) else { return false }
            state.withLock { $0.suspension = new }
            return true
        }
    }

    func endSuspension(with sound: (any HostSound)?) {
        host.withLock {
            let next = host.acceptsSound ? sound as? MixedSound : nil
            let suspension = state.withLock { state in
                defer { state.suspension = nil }
                return state.suspension
            }
            suspension?.end(with: next?.voice, in: next?.mix ?? mix)
        }
    }

    func empty(keepsRamps: Bool) {
        host.withLock {
            guard !voice.isRunning else { return }
            state.withLock { $0.pausedAt = nil }
            voice.voice.reset(keepsRamps: keepsRamps)
            mix.forget(voice)
        }
    }

    func didWrite() { host.withLock { mix.didWrite(to: voice) } }

    func requestRedecode() { host.withLock { mix.requestRedecode(of: voice, ready: redecode) } }

    func didRedecode() { host.withLock { mix.redecoded(voice) } }

    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int? {
        host.withLock {
            let ring = voice.voice
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
        host.withLock {
            switch change {
            case .gain(let gain): voice.voice.apply(gain)
            case .pan(let pan): voice.voice.setPan(pan)
            case .metering(let isMetering):
                voice.voice.isMetering = isMetering
                // Only what is queued without having been measured is rendered again.
                guard isMetering else { return }
            }
            if voice.isRunning { mix.soundChanged() }
        }
    }

    func takeGain(of other: any HostSound) {
        guard let other = other as? MixedSound else { return }
        host.withLock {
            if other.voice.state != .finished { voice.voice.takeGain(of: other.voice.voice) }
        }
    }

    func levels(window: Int) -> Levels? {
        host.withLock { mix.frameHeard(of: voice) }.flatMap { voice.voice.levels(atFrame: $0, window: window) }
    }

    func chain(to next: (any HostSound)?) -> Bool {
        guard let next else { return host.withLock { mix.follow(voice, with: nil) } }
        guard let next = next as? MixedSound, next.mix === mix else { return false }
        return host.withLock { mix.follow(voice, with: next.voice) }
    }
}

extension Voice {
    fileprivate func apply(_ change: GainChange) {
        setGain(change.gain, rampFrames: change.rampFrames, from: change.start.map { ($0.gain, $0.frames) })
    }
}
