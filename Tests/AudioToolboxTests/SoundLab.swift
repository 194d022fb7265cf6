import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import SoundHost
import TestSupport
import Testing

@testable import SystemSounds

/// The system sounds of a session of its own on a private server, and an ear at its sink.
struct SoundLab: Sendable {
    /// The player of short sounds, for looks inside.
    func systemSounds() throws -> SystemSounds { try #require(try session.systemSounds() as? SystemSounds) }

    let server: HeadlessServer
    let session: AVAudioSession
    let service: SystemSoundService
    let monitor: MonitorRecording
    let rate: Int
    let pactl: Pactl
    /// Looks at the server from outside.
    let witness: PulseConnection

    /// Writes a sound into the server's folder, which goes with the server.
    func file(_ signal: TestSignal) throws -> URL {
        try signal.writeWAV(to: server.directory.appendingPathComponent("\(UUID().uuidString).wav"))
    }

    func sine(_ frequency: Double, seconds: Double) -> TestSignal {
        .sine(frequency: frequency, level: -12, seconds: seconds, sampleRate: rate)
    }

    /// A sound that the server has.
    func sound(_ signal: TestSignal, isUploaded: Bool = true) async throws -> SystemSoundID {
        let before = try await samples().count
        let (status, id) = service.create(try file(signal), accepting: .systemSounds)
        #expect(status == kAudioServicesNoError)
        if isUploaded { try await waitUntil("the upload") { try await samples().count > before } }
        return id
    }

    /// The names of our samples on the server.
    func samples() async throws -> [String] {
        try await witness.samples().map(\.name).filter { $0.hasPrefix("avaudiosession.") }
    }

    /// The streams of system sounds, but what stands by for the next one.
    func streams() async throws -> [SinkInput] {
        let all = try await witness.sinkInputs()
        return all.filter {
            $0.properties["media.name"] == "System Sound"
                || $0.properties["media.name"] == Self.standbyName && !$0.isCorked
        }
    }

    /// What stands by for the next sound.
    func standby() async throws -> SinkInput? {
        try await witness.sinkInputs().first { $0.properties["media.name"] == Self.standbyName }
    }

    private static let standbyName = "System Sounds"

    func waitForNoStream() async throws {
        do {
            try await waitUntil("the end of all streams", timeout: hangLimit) { try await streams().isEmpty }
        } catch {
            Issue.record("\(try await streams().map { "\($0.index) of \($0.client ?? 0): \($0.properties)" })")
            throw error
        }
    }

    /// The level of a frequency in the last tenth of a second, in dBFS.
    func levelNow(_ frequency: Double) -> Double {
        let heard = monitor.soFar(from: max(0, monitor.frames - rate / 10))
        return heard.level(ofFrequency: frequency, 0..<heard.frames)
    }

    func waitUntilHeard(_ frequency: Double) async throws {
        try await waitUntil("\(frequency) Hz", timeout: hangLimit) { levelNow(frequency) > -14 }
    }

    func waitForSilence() async throws {
        try await waitUntil("silence", timeout: hangLimit) {
            let heard = monitor.soFar(from: max(0, monitor.frames - rate / 10))
            return heard.frames >= rate / 10 && heard.soundRange() == nil
        }
    }
}

func withSoundLab(
    _ kind: HeadlessServer.Kind, playsUISounds: Bool = true, _ body: (SoundLab) async throws -> Void
) async throws {
    let sink: HeadlessServer.NullSink = kind == .pipeWire ? .init(rate: 48_000, format: "float32le") : .init()
    try await withServer(kind, sinks: [sink]) { server in
        let session = AVAudioSession(server: server.address)
        let witness = try PulseConnection(name: "witness")
        try await witness.connect(to: server.address, timeout: .seconds(5))
        let monitor = try await MonitorRecording.start(on: server, sink: sink)
        try await body(
            SoundLab(
                server: server, session: session,
                service: SystemSoundService(session: session, playsUISounds: playsUISounds), monitor: monitor,
                rate: sink.rate, pactl: Pactl(server), witness: witness))
        _ = try await monitor.stop()
    }
}

/// What was told, in order, from any thread.
// SAFETY: `entries` is guarded by `lock`.
final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [String] = []

    var all: [String] { lock.withLock { entries } }
    func add(_ entry: String) { lock.withLock { entries.append(entry) } }

    func wait(for count: Int) async throws {
        try await waitUntil("\(count) notes", timeout: hangLimit) { all.count >= count }
    }
}

/// An app with system sounds, in a process of its own.
// SAFETY: `answers` is touched by one task at a time.
final class SoundPeer: @unchecked Sendable {
    let process: ChildProcess
    private var answers = 0

    init(on server: HeadlessServer?, environment: [String: String] = [:]) async throws {
        process = try ChildProcess("session-peer", ["sounds"], on: server, environment: environment, input: true)
        try await process.event("ready", timeout: hangLimit)
    }

    @discardableResult
    func send(_ command: String) async throws -> Int {
        try process.write(line: command)
        let answer = try await process.event("answer", from: answers, timeout: hangLimit)
        answers = answer.number + 1
        return answer.number("status").map { Int($0) } ?? Int.min
    }

    func create(_ file: URL) async throws -> Int {
        #expect(try await send("create \(file.path)") == 0)
        let lines = process.outputLines.enumerated().compactMap { JSONLine($1, number: $0) }
        return try #require(lines.last { $0.string("event") == "created" }?.number("id").map { Int($0) })
    }

    func events(_ name: String) -> [JSONLine] {
        process.outputLines.enumerated().compactMap { JSONLine($1, number: $0) }.filter { $0.string("event") == name }
    }
}
