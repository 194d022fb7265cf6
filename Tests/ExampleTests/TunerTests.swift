import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("tuner", .serialized, .limited) struct TunerTests {
    @Test(
        "tuner shows the pitch and the level of what the microphone hears", .judges(.level(decibels: 1)),
        arguments: HeadlessServer.Kind.allCases)
    func pitch(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let tone = try folder.write(TestSignal.sine(frequency: 445, level: -12, seconds: 30).wavData, "tone.wav")
        try await withServer(kind) { server in
            try await Pactl(server).waitForDefaultSource { $0.contains(".monitor") }
            let sound = try await ForeignStream.start(on: server, playing: .file(URL(fileURLWithPath: tone)))
            let tuner = try ChildProcess("tuner", ["--json"], on: server)
            try await tuner.event("started", timeout: hangLimit)
            let line = try await tuner.event("pitch", timeout: hangLimit) {
                $0.number("level").map { $0 > -20 } == true
                    && $0.number("frequency").map { abs($0 - 445) < 0.5 } == true
            }
            #expect(line.string("note") == "A4")
            #expect(line.number("cents").map { abs($0 - 20) <= 2 } == true)
            #expect(line.number("level").map { abs($0 + 15) < 1 } == true)
            tuner.send(SIGINT)
            let result = try await finish(tuner)
            #expect(result.exit.status == 0 && result.order.suffix(1) == ["inactive"])
            try await sound.stop()
        }
    }

    @Test("tuner ends by itself after --duration, and --headless needs no server")
    func duration() async throws {
        let result = try await run("tuner", ["--headless", "--json", "--duration", "0.3"])
        #expect(result.exit.status == 0, "\(result.errors)")
        #expect(result.order.filter { $0 != "pitch" } == ["active", "started", "inactive"])
    }

    @Test("tuner says in one line that there is no server")
    func noServer() async throws {
        expectFailure(try await run("tuner", []), 69, of: "tuner", saying: "--headless")
    }
}
