import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

/// Rule 7: what the server itself, or its user at a mixer, does to a session's sound interrupts it.
@Suite("What the server does to a session", .limited)
struct ServerRuleTests {
    /// PipeWire wakes a sink that is in use by itself.
    @Test("Rule 7: a sink that is suspended is an interruption, and its end says that the app should resume")
    func suspended() async throws {
        try await withScene(.pulseAudio) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await scene.pactl.suspend(true, sink: "test_out")
            try await music.waitForInterruption()
            try await scene.pactl.suspend(false, sink: "test_out")
            #expect(try await music.waitForEnd().number("option") == 1)
            #expect(try await music.send("resume").bool("value") == true)
            try await scene.wait(for: 440, at: -12)
            #expect(music.interruptions == ["began", "ended 1"])
        }
    }

    @Test(
        "Rule 7: a stream that is ended from a mixer is an interruption without an end, and the app may come back",
        arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let book = try await scene.peer("book", "playback")
            try await book.send("activate")
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await book.waitForInterruption()
            try await scene.wait(for: 440, at: -12)
            let mixer = try PulseConnection(name: "a mixer")
            try await mixer.connect(to: scene.server.address, timeout: .seconds(5))
            let stream = try await scene.pactl.waitForSinkInput(of: music.processID)
            try await mixer.killSinkInput(at: UInt32(stream.index))
            try await music.waitForInterruption()
            // Nothing ends it, so whom it had interrupted is released after the time in which it could come back.
            #expect(try await book.waitForEnd().number("option") == 1)
            #expect(music.interruptions == ["began"])
            #expect(try await music.send("resume").bool("value") == true)
            try await scene.wait(for: 440, at: -12)
            #expect(music.interruptions == ["began"])
            await mixer.close()
        }
    }

    @Test(
        "Rule 7: the microphone that the user mutes interrupts record with its reason, and is silence to playAndRecord",
        arguments: HeadlessServer.Kind.allCases)
    func mutedInput(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            try await scene.pactl.addMicrophone(on: kind)
            try await scene.pactl.setDefault(source: "mic")
            let memo = try await scene.peer("memo", "record")
            let chat = try await scene.peer("chat", "playAndRecord default mixWithOthers")
            for peer in [memo, chat] {
                #expect(try await peer.send("record \(scene.file("\(peer.name).wav").path)").bool("value") == true)
            }
            try await scene.pactl.run("set-source-mute", "mic", "1")
            let began = try await memo.waitForInterruption()
            #expect(began.number("reason") == 2, "builtInMicMuted")
            #expect(try await memo.state().bool("isRecording") == false)
            let before = try #require(try await chat.state().number("recorded"))
            try await waitUntil("more of the recording", timeout: hangLimit) {
                try await chat.state().number("recorded") ?? 0 > before + 0.5
            }
            _ = try await chat.send("level")
            #expect(try await chat.send("level").number("value") ?? 0 <= -120)
            try await scene.pactl.run("set-source-mute", "mic", "0")
            #expect(try await memo.waitForEnd().number("option") == 1)
            #expect(chat.interruptions == [])
        }
    }

    @Test("Rule 7: what the server's own policy corks or mutes for a call is an interruption, until the call is over")
    func corked() async throws {
        try await withScene(.pulseAudio, modules: ["module-role-cork"]) { scene in
            // The library itself does not count such a stream: what is left is the server's.
            let music = try await Peer.start(
                on: scene.server, name: "music", environment: ["AVAUDIOSESSION_PHONE": "ignore"])
            try await music.send("category playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await music.waitForInterruption()
            try await scene.wait(for: 440, at: nil)
            try await call.stop()
            #expect(try await music.waitForEnd().number("option") == 1)
            #expect(try await music.send("resume").bool("value") == true)
            try await scene.wait(for: 440, at: -12)
        }
    }
}
