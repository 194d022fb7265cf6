import AudioHost
import Locks

/// A capture of a scripted host: ``ScriptedHost/advance(frames:)`` delivers what ``ScriptedHost/Answers/sound`` says.
final class ScriptedCapture: HostCapture {
    private struct State {
        var isOpen = true
        var isRunning = false
        /// The frame of the host's time that it begins with.
        var startFrame = 0
    }

    private let state = Guarded(State())
    private let host: ScriptedHost
    private let receiver: any CaptureReceiver
    private let request: CaptureRequest

    init(_ request: CaptureRequest, for receiver: any CaptureReceiver, on host: ScriptedHost) {
        self.host = host
        self.receiver = receiver
        self.request = request
    }

    deinit { host.reportRunning() }

    var isOpen: Bool { state.withLock { $0.isOpen } }
    var isRunning: Bool { state.withLock { $0.isRunning } }
    var seconds: Double { receiver.seconds(plus: 0, isRunning: isRunning) }

    /// Delivers what is heard in the last `frames` frames of the host's time.
    func advance(frames: Int) {
        let now = host.time
        let (isRunning, start) = state.withLock { ($0.isRunning, $0.startFrame) }
        guard isRunning, now > start else { return }
        let heard = ownFrame(max(start, now - frames))..<ownFrame(now)
        let sound = host.state.withLock { $0.answers.sound }
        let samples = heard.map { sound(Double($0) / Double(request.rate)) }
        switch request.format {
        case .int16: deliver(samples) { Int16(clamping: Int(($0 * 32_768).rounded())) }
        case .int32: deliver(samples) { Int32(clamping: Int(($0 * 0x1p31).rounded())) }
        case .float32: deliver(samples) { Float($0) }
        }
    }

    /// The frame of the capture's own rate at a frame of the host's time.
    private func ownFrame(_ frame: Int) -> Int { frame * request.rate / ScriptedHost.rate }

    /// Delivers samples, each of them in every channel.
    private func deliver<Sample>(_ samples: [Double], as stored: (Double) -> Sample) {
        var frames: [Sample] = []
        frames.reserveCapacity(samples.count * request.channels)
        for sample in samples.lazy.map(stored) {
            for _ in 0..<request.channels { frames.append(sample) }
        }
        frames.withUnsafeBytes { receiver.receive($0, count: $0.count) }
    }

    func stop(interrupting: Bool) {
        let wasRunning = state.withLock { state in
            defer { state.isRunning = false }
            return state.isRunning
        }
        if wasRunning || !interrupting { receiver.interrupted(wasRunning: wasRunning && interrupting) }
        if wasRunning { receiver.rested() }
    }

    /// Ends by itself, as a stream that is killed does.
    func fail() {
        let wasOpen = state.withLock { state in
            defer { (state.isOpen, state.isRunning) = (false, false) }
            return state.isOpen
        }
        if wasOpen { receiver.ended() }
    }

    func start(at time: Double?, forDuration duration: Double?) -> CaptureStart {
        host.lock.withLock {
            switch receiver.prepare(forDuration: duration, plus: 0) {
            case .ready: break
            case .nothingWanted: return .nothingWanted
            case .complete: return .complete
            }
            let permission = host.permission
            guard permission.acceptsSound, isOpen else { return .refused }
            guard !isRunning else { return .begun }
            guard !permission.isInterrupted else {
                receiver.interrupted(wasRunning: true)
                return .interrupted
            }
            // A time that is so far ahead by the machine's clock comes as much later by the host's.
            let wait = min(max(0, (time ?? 0) - MonotonicClock.seconds), 1e6)
            let start = host.time + Int(wait * Double(ScriptedHost.rate))
            state.withLock { ($0.isRunning, $0.startFrame) = (true, start) }
            host.reportRunning()
            return .begun
        }
    }

    func pause() {
        host.lock.withLock {
            state.withLock { $0.isRunning = false }
            receiver.rested()
            host.reportRunning()
        }
    }

    func setPace(_ pace: CaptureRequest.Pace) {}

    func close(finishing: Bool) -> CaptureEnd {
        host.lock.withLock {
            let end = state.withLock { state in
                defer { (state.isOpen, state.isRunning) = (false, false) }
                return CaptureEnd(wasOpen: state.isOpen, deliveredNothing: false)
            }
            host.reportRunning()
            return end
        }
    }
}
