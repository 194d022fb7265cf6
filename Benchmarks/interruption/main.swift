// Measures on PulseAudio how soon a call interrupts a player, and how soon its end is notified.
//
// The process plays through AVAudioPlayer; a second connection acts as a telephone program and opens a stream with the
// role `phone`. Times count from its request for that stream.
import AVFAudio
import HeadlessServer
import PulseClient

/// The time of the last notification, for a thread that waits for it.
// SAFETY: `time` is guarded by `condition`.
final class Mark: @unchecked Sendable {
    private let condition = NSCondition()
    private var time: ContinuousClock.Instant?

    func set() {
        condition.withLock {
            time = .now
            condition.signal()
        }
    }

    /// Waits for a notification and returns its time; nil if none comes within two seconds.
    func take() -> ContinuousClock.Instant? {
        condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 2)
            while time == nil, condition.wait(until: deadline) {}
            defer { time = nil }
            return time
        }
    }
}

func run(cycles: Int) throws {
    let server = try HeadlessServer.start(.pulseAudio, modules: ["module-role-cork"])
    defer { server.stop() }
    let session = AVAudioSession(server: server.address)
    try session.setCategory(.playback)
    let player = try AVAudioPlayer(data: silentWave(seconds: 10), session: session)
    player.numberOfLoops = -1
    let (began, ended) = (Mark(), Mark())
    let observer = NotificationCenter.default.addObserver(
        forName: AVAudioSession.interruptionNotification, object: session, queue: nil
    ) { note in
        let isBegan = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt == 1
        (isBegan ? began : ended).set()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let stranger = try PulseConnection(name: "stranger")
    try stranger.sync { connection throws(PulseError) in try connection.connectAndWait(to: server.address) }
    player.play()
    var (beginnings, ends): ([Duration], [Duration]) = ([], [])
    for _ in 0..<cycles {
        let call = PlaybackStream(
            connection: stranger, name: "call", spec: SampleSpec(format: .int16, rate: 44100, channels: 1),
            properties: ["media.role": "phone"])
        var start = ContinuousClock.now
        try call.sync { stream throws(PulseError) in try stream.connect() }
        guard let time = began.take() else { fatalError("the call interrupted nobody") }
        beginnings.append(time - start)
        start = .now
        call.sync { $0.close() }
        guard let time = ended.take() else { fatalError("the end of the call was told to nobody") }
        ends.append(time - start)
        player.play()
    }
    report("call asked for -> interruption began told on the main queue", beginnings)
    report("call over      -> interruption ended told on the main queue", ends)
}

func silentWave(seconds: Int) -> Data {
    let bytes = seconds * 44100 * 2
    func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
    var wave = Array("RIFF".utf8) + little(36 + bytes, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
    wave += little(1, 2) + little(44100, 4) + little(88200, 4) + little(2, 2) + little(16, 2)
    wave += Array("data".utf8) + little(bytes, 4) + [UInt8](repeating: 0, count: bytes)
    return Data(wave)
}

func report(_ what: String, _ times: [Duration]) {
    let sorted = times.map { $0 / .milliseconds(1) }.sorted()
    func percentile(_ part: Double) -> String {
        String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
    }
    print("\(what): median \(percentile(0.5)) ms, p95 \(percentile(0.95)) ms, of \(sorted.count)")
}

let cycles = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100
Thread.detachNewThread {
    do { try run(cycles: cycles) } catch {
        FileHandle.standardError.write(Data("interruption-bench: \(error)\n".utf8))
        exit(1)
    }
    exit(0)
}
dispatchMain()
