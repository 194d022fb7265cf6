import AudioHost
import Locks

/// A capture of a scripted host: ``ScriptedHost/advance(frames:)`` delivers frames that hold their own bytes' numbers.
final class ScriptedCapture: HostCapture {
    private struct State {
        var isOpen = true
        var isRunning = false
        var delivered = 0
    }

    private let state = Guarded(State())
    private let host: ScriptedHost
    private let receiver: any CaptureReceiver
    private let bytesPerFrame: Int

    init(_ request: CaptureRequest, for receiver: any CaptureReceiver, on host: ScriptedHost) {
        self.host = host
        self.receiver = receiver
        bytesPerFrame = (request.format == .int16 ? 2 : 4) * request.channels
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }
    var isRunning: Bool { state.withLock { $0.isRunning } }
    var seconds: Double { receiver.seconds(plus: 0, isRunning: isRunning) }

    func advance(frames: Int) {
        guard isRunning else { return }
        let bytes = (0..<frames * bytesPerFrame).map { UInt8(truncatingIfNeeded: $0) }
        bytes.withUnsafeBytes { receiver.receive($0, count: $0.count) }
        state.withLock { $0.delivered += frames }
    }

    func stop(interrupting: Bool) {
        let wasRunning = state.withLock { state in
            defer { state.isRunning = false }
            return state.isRunning
        }
        if wasRunning || !interrupting { receiver.interrupted(wasRunning: wasRunning && interrupting) }
        if wasRunning { receiver.rested() }
    }

    func start(at time: Double?, forDuration duration: Double?) -> CaptureStart {
        switch receiver.prepare(forDuration: duration, plus: 0) {
        case .ready: break
        case .nothingWanted: return .nothingWanted
        case .complete: return .complete
        }
        let permission = host.permission
        guard permission.acceptsSound, isOpen else { return .refused }
        guard !permission.isInterrupted else {
            receiver.interrupted(wasRunning: true)
            return .interrupted
        }
        state.withLock { $0.isRunning = true }
        host.reportRunning()
        return .begun
    }

    func pause() {
        state.withLock { $0.isRunning = false }
        receiver.rested()
        host.reportRunning()
    }

    func setPace(_ pace: CaptureRequest.Pace) {}

    func close(finishing: Bool) -> CaptureEnd {
        let end = state.withLock { state in
            defer { (state.isOpen, state.isRunning) = (false, false) }
            return CaptureEnd(wasOpen: state.isOpen, deliveredNothing: false)
        }
        host.reportRunning()
        return end
    }
}
