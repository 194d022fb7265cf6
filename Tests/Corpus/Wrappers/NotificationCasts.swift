import AVFAudio

// Every way in which apps read a number from a notification.
final class NotificationCasts {
    // SAFETY: guarded by `lock`.
    private final class Log: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        func add(_ line: String) { lock.withLock { lines.append(line) } }
        var all: [String] { lock.withLock { lines } }
    }

    private let log = Log()
    private var observer: NSObjectProtocol?

    func observe() {
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: nil, queue: nil
        ) { [log] note in
            let value = note.userInfo![AVAudioSessionRouteChangeReasonKey]
            let forced = AVAudioSession.RouteChangeReason(rawValue: value as! UInt)!
            let direct = value as! AVAudioSession.RouteChangeReason
            let number = (value as? NSNumber)?.uintValue
            let signed = value as? Int
            let agree = forced == direct && number == forced.rawValue && signed == Int(forced.rawValue)
            log.add("\(forced == .categoryChange ? "category" : "other") \(agree)")
        }
    }

    deinit { observer.map { NotificationCenter.default.removeObserver($0) } }

    var lines: [String] { log.all }
}

extension NotificationCasts: Story {
    static func run(_ stage: Stage) async throws {
        let session = AVAudioSession.sharedInstance()
        let app = NotificationCasts()
        app.observe()
        try session.setCategory(.playback)
        try session.setActive(true)
        try session.setCategory(.playAndRecord)
        try await stage.until("the route change") { app.lines.contains { $0.hasPrefix("category") } }
        stage.say("all alike \(app.lines.allSatisfy { $0.hasSuffix("true") })")
    }
}
