import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite(.limited) struct RecordStreamTests {
    /// What a record stream has delivered.
    // SAFETY: `samples` is guarded by `lock`.
    private final class Capture: @unchecked Sendable {
        private let lock = NSLock()
        private var samples: [Int16] = []

        var all: [Int16] { lock.withLock { samples } }
        var count: Int { lock.withLock { samples.count } }

        func add(_ bytes: UnsafeRawBufferPointer?, _ size: Int) {
            lock.withLock {
                if let bytes {
                    samples.append(contentsOf: bytes.bindMemory(to: Int16.self))
                } else {
                    samples.append(contentsOf: repeatElement(0, count: size / 2))
                }
            }
        }
    }

    private func recording(
        from source: String?, of sinkInput: UInt32? = nil, on connection: PulseConnection, into capture: Capture,
        journal: Journal<StreamEvent> = Journal()
    ) async throws -> RecordStream {
        let stream = RecordStream(connection: connection, name: "test recording", spec: .disc)
        await stream.setHandlers(data: { capture.add($1, $2) }, event: { journal.add($1) })
        let attributes = BufferAttributes(fragmentSize: UInt32(SampleSpec.disc.bytes(0.01)))
        try await stream.connect(
            to: source, monitoring: sinkInput, attributes: attributes, flags: [.adjustLatency])
        try await journal.wait(for: "a stream that is ready") { $0 == .stateChanged(.ready) }
        return stream
    }

    @Test(.judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func recordsWhatIsPlayed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            let capture = Capture()
            let events = Journal<StreamEvent>()
            let stream = try await recording(from: "test_out.monitor", on: connection, into: capture, journal: events)
            #expect(await stream.device?.name == "test_out.monitor")
            try await waitUntil("sound or silence") { capture.count > 0 }
            let noise = TestSignal.noise(seconds: 0.5)
            let player = try await playing(noise, on: connection, thenSilence: true)
            try await waitUntil("all of the noise") {
                Recording(pcm16: capture.all, sampleRate: 44_100, channels: 2).firstFrame(of: noise.samples) != nil
            }
            await player.close()

            try await stream.cork(true)
            let paused = capture.count
            _ = try await connection.serverInfo()
            #expect(capture.count == paused, "nothing comes while corked")
            try await stream.cork(false)
            try await waitUntil("more") { capture.count > paused }
            await stream.close()
            #expect(events.all.last == .stateChanged(.closed))
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func oneStreamAmongOthers(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            // Longer than a busy machine needs until it records.
            let noise = TestSignal.noise(seconds: 9)
            let other = try await playing(.noise(seed: 7, seconds: 9), on: connection, thenSilence: true)
            let stream = try await playing(noise, on: connection, thenSilence: true)
            let capture = Capture()
            let tap = try await recording(from: nil, of: stream.index, on: connection, into: capture)
            // A mix with the other's sound would have none of these samples.
            let pieces = stride(from: 0, to: noise.samples.count, by: 22_050).map { noise.samples[$0..<$0 + 22_050] }
            try await waitUntil("a quarter of a second of the stream") {
                let recording = Recording(pcm16: capture.all, sampleRate: 44_100, channels: 2)
                return pieces.contains { recording.firstFrame(of: Array($0)) != nil }
            }
            for stream in [stream, other] { await stream.close() }
            await tap.close()
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func killedStreamFails(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            let events = Journal<StreamEvent>()
            let stream = try await recording(from: nil, on: connection, into: Capture(), journal: events)
            try await connection.killSourceOutput(at: try #require(await stream.index))
            try await events.wait(for: "the end") {
                if case .stateChanged(.failed(let error)) = $0 { error.code == .killed } else { false }
            }
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func moveIsTold(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second")]
        try await withServer(kind, sinks: sinks) { server in
            let connection = try await connected(to: server)
            let events = Journal<StreamEvent>()
            let stream = try await recording(from: "first.monitor", on: connection, into: Capture(), journal: events)
            try await connection.moveSourceOutput(at: try #require(await stream.index), to: "second.monitor")
            try await events.wait(for: "the move") { $0 == .moved }
            try await waitUntil("the new source") { await stream.device?.name == "second.monitor" }
        }
    }
}
