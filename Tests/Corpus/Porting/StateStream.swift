import AVFoundation

// docs/porting.md: a model without Combine, whose changes are a stream.
@MainActor
final class StateStream {
    enum State: String, Sendable { case stopped, playing, interrupted }

    let states: AsyncStream<State>
    private let changes: AsyncStream<State>.Continuation
    private var tasks: [Task<Void, Never>] = []

    var state = State.stopped {
        didSet { changes.yield(state) }
    }

    init() {
        (states, changes) = AsyncStream.makeStream(of: State.self)
        tasks.append(
            Task { [weak self] in
                let center = NotificationCenter.default
                for await notification in center.notifications(named: AVAudioSession.interruptionNotification) {
                    let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                    self?.state = type == AVAudioSession.InterruptionType.began.rawValue ? .interrupted : .stopped
                }
            })
    }

    deinit { tasks.forEach { $0.cancel() } }
}

extension StateStream: Story {
    static func run(_ stage: Stage) async throws {
        let app = StateStream()
        app.state = .playing
        // Once the loop of the initializer listens.
        try await stage.until("the loop") {
            NotificationCenter.default.post(
                name: AVAudioSession.interruptionNotification, object: nil,
                userInfo: [AVAudioSessionInterruptionTypeKey: NSNumber(value: 1)])
            return app.state == .interrupted
        }
        var seen: [String] = []
        for await state in app.states {
            seen.append(state.rawValue)
            if state == .interrupted { break }
        }
        stage.say(seen.joined(separator: ", "))
    }
}
