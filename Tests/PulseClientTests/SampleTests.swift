import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("The sample cache", .limited) struct SampleTests {
    private static let spec = SampleSpec(format: .int16, rate: 44_100, channels: 2)

    private static func bytes(_ signal: TestSignal) -> [UInt8] { signal.samples.withUnsafeBytes { [UInt8]($0) } }

    @Test("A sample is uploaded, listed, heard, and removed", arguments: HeadlessServer.Kind.allCases)
    func life(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            let monitor = try await MonitorRecording.start(on: server)
            try await connection.uploadSample(
                named: "a.b-c_1", spec: Self.spec, properties: ["media.name": "A sound", "media.role": "event"],
                frames: Self.bytes(.sine(seconds: 0.2)))
            let samples = try await connection.samples()
            #expect(samples.map(\.name) == ["a.b-c_1"])
            #expect(samples.first?.spec == Self.spec)
            #expect(samples.first.map { abs($0.duration - 0.2) < 0.001 } == true)
            #expect(samples.first?.properties["media.role"] == "event")
            try await connection.playSample(named: "a.b-c_1")
            try await monitor.waitForSound(timeout: hangLimit)
            try await connection.removeSample(named: "a.b-c_1")
            #expect(try await connection.samples().isEmpty)
            await #expect(throws: PulseError(.noSuchEntity, in: "pa_context_play_sample_with_proplist")) {
                try await connection.playSample(named: "a.b-c_1")
            }
        }
    }

    @Test("What cannot be a sample fails, once, with a reason", arguments: HeadlessServer.Kind.allCases)
    func failures(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            func code(_ name: String, _ frames: [UInt8]) async -> PulseError.Code? {
                do throws(PulseError) {
                    try await connection.uploadSample(named: name, spec: Self.spec, frames: frames)
                    return nil
                } catch { return error.code }
            }
            #expect(await code("empty", []) == .invalidArgument)
            #expect(await code("half", [0, 0, 0]) == .invalidArgument)
            #expect(await code("huge", [UInt8](repeating: 0, count: 16 * 1024 * 1024)) == .tooLarge)
            #expect(await code("large", [UInt8](repeating: 0, count: 16 * 1024 * 1024 - 4)) == nil)
            #expect(await code("", [0, 0, 0, 0]) != nil)
            let closing = try await connected(to: server)
            let answers = Journal<Bool>()
            closing.sync { closing in
                for number in 0..<5 {
                    closing.uploadSample(
                        named: "n\(number)", spec: Self.spec, frames: [UInt8](repeating: 0, count: 400_000)
                    ) { answers.add((try? $0.get()) != nil) }
                }
                closing.close()
            }
            #expect(answers.all == Array(repeating: false, count: 5))
        }
    }
}
