import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("Recorders that are killed, and many of them", .limited)
struct RecorderKillTests {
    private static let types = ["wav", "aiff", "caf", "flac", "m4a", "ogg"]

    private static let kills = ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"].flatMap(Int.init) ?? 18

    @Test(
        "D10: killed at random moments, every file opens and lacks no more than a second",
        .judges(.time(seconds: 1)), arguments: HeadlessServer.Kind.allCases)
    func kills(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            withExtendedLifetime(session) {}
            var killed = 0
            for round in 0..<(Self.kills + Self.types.count - 1) / Self.types.count {
                let tone = try await server.tone(1_000)
                let programs = try Self.types.map { type in
                    try ChildProcess(
                        "recorder", ["--json", "--option", "mixWithOthers", server.file("\(round).\(type)").path],
                        on: server)
                }
                for program in programs { try await program.event("progress") }
                for (type, program) in zip(Self.types, programs) {
                    let moment = now + .random(in: 0.1..<1.2)
                    try await waitUntil("the moment") { now >= moment }
                    let end = now
                    program.send(SIGKILL)
                    try await program.wait()
                    let last = try #require(
                        program.outputLines.compactMap { JSONLine($0) }.last { $0.string("event") == "progress" })
                    let time = try #require(last.number("t"))
                    let recorded = try #require(last.number("position")) + max(0, end - time)
                    let file = server.file("\(round).\(type)")
                    let seconds = try DecodedFile(file).seconds
                    #expect(seconds > recorded - 1, "\(file.lastPathComponent): \(seconds) of \(recorded) s")
                    try FileManager.default.removeItem(at: file)
                    killed += 1
                }
                try await tone.stop()
            }
            #expect(killed >= Self.kills)
        }
    }

    @Test(
        "Eight programs record at once, in sessions that mix: each file is whole",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func eight(kind: HeadlessServer.Kind) async throws {
        let sink = kind.usualSink
        try await withServer(kind, sinks: [sink]) { server in
            let session = try await server.recordingSession()
            withExtendedLifetime(session) {}
            let tone = try await server.tone(1_000)
            let programs = try (0..<8).map { number in
                try ChildProcess(
                    "recorder",
                    [
                        "--json", "--option", "mixWithOthers", "--duration", "1.5", "--sample-rate", "\(sink.rate)",
                        server.file("\(number).wav").path,
                    ], on: server)
            }
            for (number, program) in programs.enumerated() {
                let exit = try await program.wait()
                #expect(exit.status == 0, "\(program.errorText)")
                let file = try DecodedFile(server.file("\(number).wav"))
                #expect(file.frames == sink.rate * 3 / 2)
                let sound = file.recording
                let range = try #require(sound.soundRange())
                #expect(
                    sound.discontinuities(frequency: 1_000, in: range.lowerBound + 441..<range.upperBound - 441) == [])
            }
            try await tone.stop()
        }
    }

    private var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
