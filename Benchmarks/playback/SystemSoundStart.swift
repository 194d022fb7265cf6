import AVFAudio
import AudioToolbox
import Foundation
import HeadlessServer

/// The time from a button press to the first sample of a system sound, beside starting `paplay` for the same sound, as
/// programs do without a library.
struct SystemSoundStart {
    let kind: HeadlessServer.Kind
    let runs: Int

    func run() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        try server.allowShortCycles()
        let ear = try Ear(server: server.address)
        let file = server.directory.appendingPathComponent("sound.wav")
        try Self.tenthOfASecond.write(to: file)
        say("\n\(kind) \(server.version)")
        say(row("press to first sample", ["median", "least", "most"]))
        let service = SystemSoundService(session: AVAudioSession(server: server.address))
        let (status, id) = service.create(file, accepting: .systemSounds)
        guard status == kAudioServicesNoError else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
        defer { _ = service.dispose(id) }
        // The first one waits for the upload.
        _ = press(id, of: service, ear)
        var (ours, again, theirs): ([Double], [Double], [Double]) = ([], [], [])
        // In turns, so that whatever else the machine does hits both.
        for _ in 0..<runs {
            // On PipeWire a stream runs on for a moment after each sound.
            Thread.sleep(forTimeInterval: 0.5)
            if let time = press(id, of: service, ear) { ours.append(time) }
            if let time = press(id, of: service, ear) { again.append(time) }
            if let paplay = HeadlessServer.findBinary("paplay"), let time = try start(paplay, file, ear, server) {
                theirs.append(time)
            }
        }
        say(row("system sound", milliseconds(ours)))
        say(row("another soon after", milliseconds(again)))
        say(row("paplay", milliseconds(theirs)))
        guard let fast = Self.median(ours), let slow = Self.median(theirs) else { return }
        say(String(format: "paplay takes %.1f times as long", slow / fast))
    }

    private func press(_ id: SystemSoundID, of service: SystemSoundService, _ ear: Ear) -> Double? {
        let over = DispatchSemaphore(value: 0)
        ear.clear()
        let start = ContinuousClock.now
        service.play(id) { over.signal() }
        let heard = ear.firstSound(within: 5)
        over.wait()
        return heard.map { ($0 - start) / .milliseconds(1) }
    }

    private func start(_ paplay: URL, _ file: URL, _ ear: Ear, _ server: HeadlessServer) throws -> Double? {
        ear.clear()
        let child = try Child([paplay.path, file.path], environment: server.environment)
        let heard = ear.firstSound(within: 5)
        _ = child.wait()
        return heard.map { ($0 - child.started) / .milliseconds(1) }
    }

    private static func median(_ times: [Double]) -> Double? { times.isEmpty ? nil : times.sorted()[times.count / 2] }

    /// A tenth of a second of a tone, 44.1 kHz stereo, as a WAV file.
    private static var tenthOfASecond: Data {
        let samples = (0..<4410).flatMap { frame in
            let sample = Int16(8_000 * cos(Double(frame) * 2 * .pi * 440 / 44_100))
            return [sample, sample]
        }
        func bytes<Value: FixedWidthInteger>(_ value: Value) -> Data {
            withUnsafeBytes(of: value.littleEndian) { Data($0) }
        }
        let body = samples.reduce(into: Data()) { $0 += bytes($1) }
        var file = Data("RIFF".utf8) + bytes(UInt32(36 + body.count)) + Data("WAVEfmt ".utf8)
        file += bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(2)) + bytes(UInt32(44_100))
        file += bytes(UInt32(176_400)) + bytes(UInt16(4)) + bytes(UInt16(16))
        return file + Data("data".utf8) + bytes(UInt32(body.count)) + body
    }
}
