import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A session of its own on a private server, and an ear at its sink.
struct PlayerLab: Sendable {
    let server: HeadlessServer
    let sink: HeadlessServer.NullSink
    let session: AVAudioSession
    let monitor: MonitorRecording

    /// The sink's rate in Hz, which is also the rate of the sounds made here.
    var rate: Int { sink.rate }
    var pactl: Pactl { Pactl(server) }

    /// Writes a sound into the server's folder, which goes with the server.
    func file(_ signal: TestSignal) throws -> URL {
        try signal.writeWAV(to: server.directory.appendingPathComponent("\(UUID().uuidString).wav"))
    }

    func player(_ signal: TestSignal) throws -> AVAudioPlayer {
        try AVAudioPlayer(contentsOf: file(signal), session: session)
    }

    func player(_ signal: TestSignal, events: PlayerEvents) throws -> AVAudioPlayer {
        let player = try player(signal)
        player.delegate = events
        return player
    }

    func counter(from first: Int = 1, seconds: Double) -> TestSignal {
        .counter(from: first, seconds: seconds, sampleRate: rate)
    }

    func sine(_ frequency: Double, level: Double = -12, seconds: Double) -> TestSignal {
        .sine(frequency: frequency, level: level, seconds: seconds, sampleRate: rate)
    }

    /// The streams that this process has on the server.
    func streams() async throws -> [Pactl.Object] {
        try await pactl.sinkInputs().filter { $0.processID == ProcessInfo.processInfo.processIdentifier }
    }

    /// Waits until what is on its way has been recorded too, and returns everything.
    func heard() async throws -> Recording {
        try await monitor.wait(seconds: 0.3)
        return monitor.soFar()
    }
}

extension HeadlessServer.Kind {
    /// A sink that each server mixes into without any conversion of rates.
    var sink: HeadlessServer.NullSink {
        self == .pipeWire ? .init(rate: 48_000, format: "float32le") : .init()
    }
}

func withPlayerLab(
    _ kind: HeadlessServer.Kind, sink: HeadlessServer.NullSink? = nil,
    category: AVAudioSession.Category = .playback, _ body: (PlayerLab) async throws -> Void
) async throws {
    let sink = sink ?? kind.sink
    try await withServer(kind, sinks: [sink]) { server in
        let session = AVAudioSession(server: server.address)
        try session.setCategory(category)
        let monitor = try await MonitorRecording.start(on: server, sink: sink)
        try await body(PlayerLab(server: server, sink: sink, session: session, monitor: monitor))
        _ = try await monitor.stop()
    }
}

extension Recording {
    /// Interleaved 16-bit samples, of a floating-point recording too.
    var samples16: [Int16] {
        if !pcm16.isEmpty { return pcm16 }
        return (0..<frames).flatMap { frame in
            channels.map { Int16(($0[frame] * 32_768).rounded().clamped(to: -32_768...32_767)) }
        }
    }

    /// The numbers of a counting signal, without the silence.
    var counted: [Int] {
        let samples = samples16
        return stride(from: 0, to: samples.count - 1, by: 2).compactMap { index in
            let number = TestSignal.position(left: samples[index], right: samples[index + 1])
            return number == 0 ? nil : number
        }
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}

/// Where a list of numbers does not count on by one: the two numbers and the index; empty is good.
func breaks(in numbers: [Int]) -> [String] {
    zip(numbers, numbers.dropFirst()).enumerated().filter { $0.element.1 != $0.element.0 + 1 }
        .prefix(5).map { "\($0.element.0) → \($0.element.1) at \($0.offset)" }
}

/// Expects a counting signal to have been heard whole, once, and in order.
func expectWhole(
    _ heard: [Int], from first: Int = 1, count: Int, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(breaks(in: heard) == [], sourceLocation: sourceLocation)
    #expect(
        heard.first == first && heard.count == count, "\(heard.first ?? 0), \(heard.count) frames",
        sourceLocation: sourceLocation)
}

/// For a player that a test hands to other threads, or lets go of on purpose.
// SAFETY: guarded by `lock`.
final class Keeper: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: AVAudioPlayer?

    init(_ player: AVAudioPlayer?) { kept = player }

    var player: AVAudioPlayer? { lock.withLock { kept } }
    func release() { lock.withLock { kept = nil } }
}
