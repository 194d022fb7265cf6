import Foundation
import TestSupport
import Testing

/// Sessions on two machines that use one sound server over the network.
@Suite(
    "Two hosts, one PulseAudio over TCP",
    .enabled(if: TwoHosts.isPossible, "this kernel lets no user make namespaces"), .limited)
struct TwoHostsTests {
    @Test("They interrupt and resume each other, with equal process numbers too")
    func interruption() async throws {
        let network = try await TwoHosts()
        let (a, b) = (try await network.peer("a", on: 0), try await network.peer("b", on: 1))
        for app in [a, b] { try await app.send("category playback") }
        let ids = [a, b].map { $0.events("ready").first?.number("pid") }
        #expect(ids[0] == ids[1], "the machines number their processes alike")
        try await a.send("activate")
        try await b.send("activate")
        #expect(try await a.waitForInterruption().string("originName") == "b")
        try await b.send("deactivate notify")
        #expect(try await a.waitForEnd().number("option") == 1)
        try await a.send("activate")
        try await b.send("activate")
        // A session that ends before anybody has looked has interrupted nobody.
        try await a.waitForInterruption()
        try await b.send("deactivate")
        #expect(try await a.waitForEnd().number("option") == 0)
    }

    @Test("A machine that dies releases those whom its sessions interrupted")
    func death() async throws {
        let network = try await TwoHosts()
        let (a, b) = (try await network.peer("a", on: 0), try await network.peer("b", on: 1))
        for app in [a, b] {
            try await app.send("category playback")
            try await app.send("activate")
        }
        try await a.waitForInterruption()
        network.hosts[1].holder.send(SIGKILL)
        #expect(try await a.waitForEnd().number("option") == 1)
    }

    @Test("A stopped process here is not mistaken for the one with the same number there")
    func equalNumbers() async throws {
        #expect(try await Self.endedWhileForeignNumberIsStopped(names: ["one", "two"]) == false)
    }

    /// Whether an interruption by a session of the second machine ends while a process of the first one that has the
    /// same number is stopped, and the interrupter plays on for two seconds.
    private static func endedWhileForeignNumberIsStopped(names: [String]) async throws -> Bool {
        let network = try await TwoHosts(names: names)
        let a = try await network.peer("a", on: 0)
        for _ in 0..<10 { try await network.hosts[1].run("true") }
        let b = try await network.peer("b", on: 1)
        let number = Int(try #require(b.events("ready").first?.number("pid")))
        var double: ChildProcess?
        while double == nil {
            let process = try network.hosts[0].start(["sh", "-c", "echo $$; exec cat"], input: true)
            let own = try #require(Int(try await process.line { !$0.isEmpty }.text))
            try #require(own <= number)
            if own == number { double = process }
        }
        try await network.hosts[0].run("sh", "-c", "kill -STOP \(number)")
        for app in [a, b] { try await app.send("category playback") }
        try await a.send("activate")
        try await b.send("play 440 20")
        try await a.waitForInterruption()
        try await waitUntil("two seconds of sound", timeout: hangLimit) {
            let position = try await b.send("position").number("value") ?? 0
            return position > 2 || a.interruptions.count > 1
        }
        _ = double
        return a.interruptions.count > 1
    }
}
