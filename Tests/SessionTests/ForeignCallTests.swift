import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Rule 4: calls and alarms of programs outside the library.
@Suite("A call or an alarm of a program outside", .limited)
struct ForeignCallTests {
    @Test(
        "S21: a foreign call interrupts all, says who it is, and its end lets them resume",
        arguments: HeadlessServer.Kind.allCases)
    func call(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            let game = try await scene.peer("game", "ambient")
            try await music.send("play 440")
            try await game.send("play 1000")
            try await scene.wait(for: 440, at: -12)
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            for peer in [music, game] {
                let began = try await peer.waitForInterruption()
                #expect(began.number("originPID") == Double(call.process.processID))
            }
            try await scene.wait(for: 440, at: nil)
            try await call.stop()
            for peer in [music, game] { #expect(try await peer.waitForEnd().number("option") == 1) }
        }
    }

    @Test(
        "S21: a call that counts by what it does is never lowered nor silenced, as one with the role of a call",
        arguments: HeadlessServer.Kind.allCases)
    func duplex(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let environment = ["AVAUDIOSESSION_CALLS": "duplex", "AVAUDIOSESSION_FOREIGN": "silence"]
            let music = try await Peer.start(on: scene.server, name: "music", environment: environment)
            try await music.send("category playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await scene.pactl.addMicrophone(on: kind)
            let program = ["application.process.id": "4242", "application.process.binary": "meet"]
            let meeting = try await ForeignStream.start(
                on: scene.server, playing: .tone(frequency: 1500), properties: program)
            let microphone = try ChildProcess(
                tool: "parec", program.map { "--property=\($0)=\($1)" } + ["--device=mic", "--raw", "/dev/null"],
                on: scene.server)
            try await music.waitForInterruption()
            let prompt = try await Peer.start(on: scene.server, name: "prompt", environment: environment)
            let bystander = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 3000))
            try await scene.wait(for: 3000, at: -12)
            try await prompt.send("category playback default duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 3000, at: -32)
            try await scene.wait(for: 1500, at: -12)
            try await prompt.send("deactivate")
            try await scene.wait(for: 3000, at: -12)
            // The user wants music all the same, without what other programs play.
            try await music.send("resume")
            try await scene.wait(for: 3000, at: nil)
            try await scene.wait(for: 1500, at: -12)
            microphone.send(SIGTERM)
            try await meeting.stop()
            try await bystander.stop()
        }
    }

    @Test("S22: an alarm interrupts what records, too", arguments: HeadlessServer.Kind.allCases)
    func alarm(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let recorder = try await scene.peer("recorder", "record")
            try await recorder.send("record \(scene.file("take.wav").path)")
            let alarm = try await ForeignStream.start(on: scene.server, role: "alarm")
            #expect(try await recorder.waitForInterruption().bool("isRecording") == false)
            try await alarm.stop()
            #expect(try await recorder.waitForEnd().number("option") == 1)
        }
    }

    @Test(
        "S24: a call that only rings leaves an app alone that prefers so, until it is accepted",
        arguments: HeadlessServer.Kind.allCases)
    func ringing(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("prefer-no-alerts 1")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let declined = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.letPass()
            try await declined.stop()
            #expect(music.interruptions == [])
            try await scene.wait(for: 440, at: -12)
        }
    }

    @Test(
        "S24: a call that is accepted interrupts the app that was left alone while it rang, until it is over",
        arguments: HeadlessServer.Kind.allCases)
    func accepted(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            try await scene.pactl.addMicrophone(on: kind)
            let music = try await scene.peer("music", "playback")
            let other = try await scene.peer("other", "playback default mixWithOthers")
            try await music.send("prefer-no-alerts 1")
            try await music.send("play 440")
            try await other.send("activate")
            try await scene.wait(for: 440, at: -12)
            let program = ["application.process.id": "4242", "application.process.binary": "phone"]
            let call = try await ForeignStream.start(on: scene.server, role: "phone", properties: program)
            // Whoever has said nothing is interrupted as it rings.
            try await other.waitForInterruption()
            #expect(music.interruptions == [])
            try await scene.wait(for: 440, at: -12)
            let microphone = try ChildProcess(
                tool: "parec", program.map { "--property=\($0)=\($1)" } + ["--device=mic", "--raw", "/dev/null"],
                on: scene.server)
            #expect(try await music.waitForInterruption().number("originPID") == 4242)
            try await scene.wait(for: 440, at: nil)
            microphone.send(SIGTERM)
            try await call.stop()
            for peer in [music, other] { #expect(try await peer.waitForEnd().number("option") == 1) }
            #expect(try await music.send("resume").bool("value") == true)
            try await scene.wait(for: 440, at: -12)
            #expect(music.interruptions == ["began", "ended 1"])
        }
    }

    @Test(
        "Rule 4: what records asks for foreign calls first, fails with '!pri' during one, and waits for nothing else",
        arguments: HeadlessServer.Kind.allCases)
    func blocksInput(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let recorder = try await scene.peer("recorder", "record")
            var seconds: [Double] = []
            for _ in 0..<3 {
                try await seconds.append(#require(recorder.send("activate").number("seconds")))
                try await recorder.send("deactivate")
            }
            // An answer that is waited for in vain costs a second each time.
            #expect(try #require(seconds.min()) < 0.9)
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            // PipeWire lists it before it is linked.
            _ = try await scene.pactl.waitForSinkInput(of: call.process.processID) { !$0.isCorked }
            #expect(try await recorder.attempt("activate").string("fourCC") == "!pri")
            let music = try await scene.peer("music", "playback")
            #expect(try await music.send("play 440").bool("value") == true)
            try await scene.wait(for: 440, at: -12)
            try await call.stop()
            try await waitUntil("the end of the call", timeout: hangLimit) {
                try await recorder.attempt("activate").bool("ok") == true
            }
        }
    }
}
