import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Interrupters that crash, exit, or are stopped: nobody may stay interrupted by somebody who is gone.
@Suite("An interrupter that is gone", .limited)
struct GoneTests {
    @Test(
        "An interrupter that is killed lets others resume: a crash must not silence them for good",
        arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            try await first.send("play 440")
            for command in ["activate", "play 1000"] {
                let second = try await scene.peer("second", "playback")
                try await second.send(command)
                try await first.waitForInterruption()
                try await second.kill()
                #expect(try await first.waitForEnd().number("option") == 1)
                try await first.send("resume")
                try await scene.wait(for: 440, at: -12)
            }
            let vanishing = try await scene.peer("vanishing", "playback")
            try await vanishing.send("activate")
            try await first.waitForInterruption()
            _ = try? await vanishing.attempt("vanish")
            #expect(try await first.waitForEnd().number("option") == 1)
        }
    }

    @Test(
        "An interrupter that is killed while it is interrupted itself frees nobody too early, and nobody is forgotten",
        arguments: HeadlessServer.Kind.allCases)
    func killedInTheMiddle(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let a = try await scene.peer("A", "playback")
            let b = try await scene.peer("B", "playback")
            let c = try await scene.peer("C", "playback")
            try await a.send("activate")
            try await b.send("activate")
            try await a.waitForInterruption()
            try await c.send("activate")
            try await b.waitForInterruption()
            try await b.kill()
            try await scene.letPass()
            #expect(a.interruptions == ["began"], "C interrupts it still")
            try await c.kill()
            #expect(try await a.waitForEnd().number("option") == 1)
        }
    }

    @Test(
        "What an app says at its end is heard even if it exits at once: with notify, and without",
        arguments: HeadlessServer.Kind.allCases)
    func lingers(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            for round in 0..<10 {
                let option = round % 2
                try await first.send("activate")
                let second = try await scene.peer("second", "playback")
                try await second.send("activate")
                try await first.waitForInterruption()
                // Both commands at once: nothing lies between the last word and the exit.
                try second.process.write(line: "100 deactivate\(option == 1 ? " notify" : "")\n101 exit")
                #expect(try await first.waitForEnd().number("option") == Double(option))
                try await second.process.wait()
            }
        }
    }

    @Test(
        "S14: a stopped interrupter counts as inactive after a second; when it goes on it finds itself interrupted",
        arguments: HeadlessServer.Kind.allCases)
    func stopped(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await second.send("activate")
            try await first.waitForInterruption()
            second.stop()
            #expect(try await first.waitForEnd().number("option") == 1)
            try await first.send("resume")
            try await scene.wait(for: 440, at: -12)
            second.continue()
            try await second.waitForInterruption()
            try await scene.letPass()
            #expect(first.interruptions == ["began", "ended 1"])
            try await scene.wait(for: 440, at: -12)
        }
    }

    @Test(
        "A stopped interrupter that goes on before anybody came back is active again, and interrupts",
        arguments: HeadlessServer.Kind.allCases)
    func stoppedAndBack(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("activate")
            try await second.send("activate")
            try await first.waitForInterruption()
            second.stop()
            try await first.waitForEnd()
            second.continue()
            #expect(try await second.state().bool("active") == true)
            #expect(second.interruptions == [])
            try await first.send("activate")
            try await second.waitForInterruption()
        }
    }

    @Test("A stopped app that was interrupted hears of it when it goes on", arguments: HeadlessServer.Kind.allCases)
    func stoppedVictim(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("activate")
            first.stop()
            try await second.send("activate")
            #expect(try await second.state().bool("active") == true, "nobody waits for the victim")
            first.continue()
            try await first.waitForInterruption()
        }
    }
}
