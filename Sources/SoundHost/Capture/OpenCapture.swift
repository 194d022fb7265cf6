internal import AudioHost

/// A capture of a host, for a receiver.
final class OpenCapture: HostCapture {
    private let host: PulseHost
    private let capture: Capture
    private let receiver: any CaptureReceiver

    init(_ capture: Capture, for receiver: any CaptureReceiver, on host: PulseHost) {
        self.host = host
        self.capture = capture
        self.receiver = receiver
    }

    deinit { host.withLock { capture.close() } }

    var isOpen: Bool { host.withLock { capture.isOpen } }

    var isRunning: Bool { host.withLock { capture.isRunning } }

    var seconds: Double {
        host.withLock { receiver.seconds(plus: capture.undelivered, isRunning: capture.isUnderWay) }
    }

    func start(at time: Double?, forDuration duration: Double?) -> CaptureStart {
        host.withLock {
            // First: others may have the lock meanwhile.
            capture.awaitDrain()
            switch receiver.prepare(forDuration: duration, plus: capture.undelivered) {
            case .ready: break
            case .nothingWanted: return .nothingWanted
            case .complete: return .complete
            }
            // Asked with the lock held: what ends the session from now on stops the capture too.
            guard host.acceptsSound else { return .refused }
            capture.resume(at: time)
            if duration != nil { capture.shortenFragments() }
            return capture.isRunning ? .begun : capture.isOpen ? .interrupted : .refused
        }
    }

    func pause() {
        host.withLock {
            capture.finish()
            receiver.rested()
        }
    }

    func setPace(_ pace: CaptureRequest.Pace) { host.withLock { capture.setPace(pace) } }

    func close(finishing: Bool) -> CaptureEnd {
        host.withLock {
            if finishing { capture.finish() }
            let end = CaptureEnd(wasOpen: capture.isOpen, deliveredNothing: capture.deliveredNothing)
            capture.close()
            return end
        }
    }
}

extension Capture.Handlers {
    /// Handlers that hand everything on to a receiver.
    init(_ receiver: any CaptureReceiver) {
        self.init(
            data: { receiver.receive($0, count: $1) }, interrupted: { receiver.interrupted(wasRunning: $0) },
            rested: { receiver.rested() }, isUrgent: { receiver.isUrgent },
            news: { receiver.inputChanged($0) }, ended: { receiver.ended() })
    }
}
