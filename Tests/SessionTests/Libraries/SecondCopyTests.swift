import HeadlessServer
import TestSupport
import Testing

/// A wheel and the system may each bring the library into one process.
@Suite("Two copies of the library in one app", .limited)
struct SecondCopyTests {
    @Test(
        "let each other be, and others interrupt or lower them as one app", arguments: HeadlessServer.Kind.allCases)
    func letEachOtherBe(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let app = try await scene.peer("app", "playback")
            try await app.send("play 440")
            try await app.send("copy 700 playback")
            try await app.send("copy 1100 playback default duckOthers")
            for frequency in [440.0, 700, 1100] { try await scene.wait(for: frequency, at: -12) }
            // By the end of this time a session that is interrupted or lowered is silent or low, and stays so.
            try await scene.letPass()
            for frequency in [440.0, 700, 1100] { try await scene.wait(for: frequency, at: -12) }
            #expect(try await app.send("hint").bool("value") == false)
            #expect(try await app.send("other").bool("value") == false)
            let second = try await scene.peer("second", "playback")
            try await second.send("activate")
            let began = try await app.waitForInterruption()
            #expect(began.number("originPID") == Double(second.processID), "\(app.interruptions)")
            try await scene.wait(for: 440, at: nil)
            try await second.send("deactivate notify")
            #expect(try await app.waitForEnd().number("option") == 1)
        }
    }
}
