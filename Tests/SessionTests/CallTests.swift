import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Rule 3: a call comes before everything else.
@Suite("A call between apps", .limited)
struct CallTests {
    private static let callCategory = "playAndRecord voiceChat"

    @Test(
        "Rule 3, S21: a call interrupts what mixes, too, is not lowered, and its end lets all go on",
        arguments: HeadlessServer.Kind.allCases)
    func beatsAll(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let categories = ["ambient", "playback default mixWithOthers", "playback", "playback default duckOthers"]
            var others: [Peer] = []
            for (number, category) in categories.enumerated() {
                let other = try await scene.peer("other \(number)", category)
                try await other.send("play \(1000 + 400 * number)")
                others.append(other)
            }
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            for other in others { try await other.waitForInterruption() }
            for number in categories.indices { try await scene.wait(for: Double(1000 + 400 * number), at: nil) }
            try await scene.wait(for: 440, at: -12)
            try await call.attempt("deactivate notify")
            for other in others { #expect(try await other.waitForEnd().number("option") == 1) }
            #expect(call.interruptions == [])
        }
    }

    @Test(
        "Rule 3, S27: what records fails with '!pri' while a call lives, and never interrupts it",
        arguments: HeadlessServer.Kind.allCases)
    func doomed(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            let other = try await scene.peer("other")
            for category in ["record", "playAndRecord", "playAndRecord default mixWithOthers", "multiRoute"] {
                try await other.send("category \(category)")
                let answer = try await other.attempt("activate")
                #expect(answer.bool("ok") == false && answer.string("fourCC") == "!pri", "\(category)")
                #expect(answer.string("domain") == "NSOSStatusErrorDomain")
                // Decided before the claim is published: nobody ever saw more than an idle one.
                #expect(try await scene.claim(of: other)["state"] == "idle")
            }
            try await other.send("category record")
            #expect(try await other.send("record \(scene.file("take.wav").path)").bool("value") == false)
            try await scene.wait(for: 440, at: -12)
            #expect(call.interruptions == [])
            try await call.attempt("deactivate notify")
            #expect(try await other.attempt("activate").bool("ok") == true, "the call is over")
        }
    }

    @Test(
        "Rule 3: playback may start during a call, beside it and beside others that do so",
        arguments: HeadlessServer.Kind.allCases)
    func playbackDuringCall(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            var others: [Peer] = []
            for (number, category) in ["playback", "soloAmbient", "ambient"].enumerated() {
                let other = try await scene.peer("other \(number)", category)
                #expect(try await other.send("play \(1000 + 400 * number)").bool("value") == true)
                others.append(other)
            }
            try await scene.wait(for: 440, at: -12)
            for number in others.indices { try await scene.wait(for: Double(1000 + 400 * number), at: -12) }
            #expect(call.interruptions == [])
            for other in others { #expect(other.interruptions == []) }
            // Without the call, the newer of the two that do not mix is alone.
            try await call.attempt("deactivate notify")
            try await others[0].waitForInterruption()
            #expect(others[1].interruptions == [] && others[2].interruptions == [])
        }
    }

    @Test(
        "What the user mutes beside a call stays muted, and what the server mutes does not",
        arguments: HeadlessServer.Kind.allCases)
    func mutedByUser(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind, modules: kind == .pulseAudio ? ["module-role-cork"] : []) { scene in
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            let own = try await scene.pactl.waitForSinkInput(of: music.processID).index
            // What another library of the same program plays; PulseAudio mutes it at birth. That it corks itself when it
            // is asked to is its own affair.
            let other = try await ForeignStream.start(
                on: scene.server, playing: .tone(frequency: 1400), role: "music",
                properties: ["application.process.id": "\(music.processID)"])
            func mutes() async throws -> [Bool] {
                try await scene.pactl.sinkInputs().filter { [own, other.index].contains($0.index) }.map(\.isMuted)
            }
            func waitForMutes(_ expected: Bool) async throws {
                try await waitUntil("muted: \(expected)", timeout: hangLimit) {
                    // They may change once more.
                    try await scene.letPass()
                    return try await mutes() == [expected, expected]
                }
            }
            try await waitForMutes(false)
            // On PulseAudio a stream that comes or goes has all others muted anew.
            try await ForeignStream.start(on: scene.server, role: "music").stop()
            try await waitForMutes(false)
            let home = try #require(try await scene.pactl.sinks().first)
            _ = try await scene.pactl.loadModule("module-null-sink", ["sink_name=aside", "norewinds=1"])
            // It may have become the default.
            try await scene.pactl.setDefault(sink: home.name)
            // So has one that moves, on the sink that it leaves.
            let third = try await ForeignStream.start(on: scene.server, role: "music", sink: home.name)
            try await scene.pactl.move(sinkInput: third.index, to: "aside")
            try await waitForMutes(false)
            try await third.stop()
            try await scene.wait(for: 1000, at: -12)
            for index in [own, other.index] { try await scene.pactl.setMute(true, sinkInput: index) }
            try await scene.wait(for: 1000, at: nil)
            try await ForeignStream.start(on: scene.server, role: "music").stop()
            for sink in ["aside", home.name] { try await scene.pactl.move(sinkInput: own, to: sink) }
            try await scene.letPass()
            #expect(try await mutes() == [true, true])
            #expect(music.interruptions == [])
            try await other.stop()
        }
    }

    @Test("What the server mutes and then forgets, as it moves away from the call, is heard again after it")
    func forgottenByServer() async throws {
        try await withScene(.pulseAudio, modules: ["module-role-cork"]) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            let other = try await ForeignStream.start(
                on: scene.server, playing: .tone(frequency: 1400), role: "music",
                properties: ["application.process.id": "\(music.processID)"])
            let home = try #require(try await scene.pactl.sinks().first)
            _ = try await scene.pactl.loadModule("module-null-sink", ["sink_name=aside", "norewinds=1"])
            try await scene.pactl.setDefault(sink: home.name)
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await music.waitForInterruption()
            func isMuted() async throws -> Bool? {
                try await scene.pactl.sinkInputs().first { $0.index == other.index }?.isMuted
            }
            try await waitUntil("the server's mute", timeout: hangLimit) { try await isMuted() == true }
            try await scene.pactl.move(sinkInput: other.index, to: "aside")
            try await scene.letPass()
            try await call.stop()
            try await waitUntil("the end of it", timeout: hangLimit) { try await isMuted() == false }
            try await other.stop()
        }
    }

    @Test("Rule 3: an output that the server muted before its session was active is heard once it plays beside a call")
    func warmedUp() async throws {
        try await withScene(.pulseAudio, modules: ["module-role-cork"]) { scene in
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let music = try await scene.peer("music", "playback")
            try await music.send("warm-up")
            let own = try await scene.pactl.waitForSinkInput(of: music.processID).index
            try await waitForMute(of: own, in: scene)
            // The app has seen it, too.
            try await scene.letPass()
            #expect(try await music.send("play 1000").bool("value") == true)
            try await scene.wait(for: 1000, at: -12)
            try await scene.letPass()
            try await scene.wait(for: 1000, at: -12)
            #expect(music.interruptions == [] && call.interruptions == [])
        }
    }

    @Test("Rule 3: music that a call interrupted plays beside it if its user wants that, whatever the server asks")
    func resumedBesideCall() async throws {
        try await withScene(.pulseAudio, modules: ["module-role-cork"]) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            let own = try await scene.pactl.waitForSinkInput(of: music.processID).index
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            try await music.waitForInterruption()
            try await scene.wait(for: 1000, at: nil)
            // A stream that comes has all others muted and asked anew, the corked ones too.
            try await ForeignStream.start(on: scene.server, role: "music").stop()
            try await waitForMute(of: own, in: scene)
            try await scene.letPass()
            #expect(try await music.send("resume").bool("value") == true)
            try await scene.wait(for: 1000, at: -12)
            try await scene.letPass()
            try await scene.wait(for: 1000, at: -12)
            #expect(music.interruptions == ["began"] && call.interruptions == [])
        }
    }

    @Test("A call of a program outside, beside that of a session, keeps what starts silent")
    func foreignBesideSession() async throws {
        try await withScene(.pulseAudio, modules: ["module-role-cork"]) { scene in
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let music = try await scene.peer("music", "playback")
            try await music.send("warm-up")
            let own = try await scene.pactl.waitForSinkInput(of: music.processID).index
            try await waitForMute(of: own, in: scene)
            let foreign = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.letPass()
            try await music.send("play 1000")
            try await music.waitForInterruption()
            try await scene.wait(for: 1000, at: nil)
            try await foreign.stop()
            try await music.waitForEnd()
        }
    }

    private func waitForMute(of stream: Int, in scene: Scene) async throws {
        try await waitUntil("the server's mute", timeout: hangLimit) {
            try await scene.pactl.sinkInputs().first { $0.index == stream }?.isMuted == true
        }
    }

    @Test(
        "Rule 3: of two calls at the same moment one lives; the other fails with '!pri', or is interrupted at once",
        arguments: HeadlessServer.Kind.allCases)
    func twoCalls(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let one = try await scene.peer("one", Self.callCategory)
            let other = try await scene.peer("other", "playAndRecord videoChat")
            for _ in 0..<20 {
                let interruptions = one.interruptions.count + other.interruptions.count
                async let first = one.attempt("activate")
                async let second = other.attempt("activate")
                let refused = try await [first, second].filter { $0.bool("ok") == false }
                #expect(refused.count < 2 && refused.allSatisfy { $0.string("fourCC") == "!pri" })
                // One that had been told yes before the other one's older claim was there gives way to it.
                try await waitUntil("one call", timeout: hangLimit) {
                    one.interruptions.count + other.interruptions.count + refused.count > interruptions
                }
                #expect(try await one.state().bool("active") != other.state().bool("active"))
                // Told to go on or not, nobody does.
                try await one.send("deactivate")
                try await other.send("deactivate")
                for peer in [one, other] {
                    try await waitUntil("the end", timeout: hangLimit) {
                        try await scene.claim(of: peer)["state"] == "idle"
                    }
                }
            }
        }
    }

    @Test(
        "A refused call hurts nobody: whom it interrupted for a moment goes on", arguments: HeadlessServer.Kind.allCases
    )
    func refusedCallIsHarmless(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let game = try await scene.peer("game", "ambient")
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("activate")
            try await game.send("play 1000")
            let other = try await scene.peer("other", Self.callCategory)
            #expect(try await other.attempt("activate").string("fourCC") == "!pri")
            try await scene.letPass()
            #expect(game.interruptions == [] && call.interruptions == [])
            try await scene.wait(for: 1000, at: -12)
        }
    }

    @Test(
        "Rule 3: an active session cannot become one that records while a call lives",
        arguments: HeadlessServer.Kind.allCases)
    func changeDuringCall(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let call = try await scene.peer("call", Self.callCategory)
            try await call.send("activate")
            let other = try await scene.peer("other", "playback")
            try await other.send("play 1000")
            #expect(try await other.attempt("category playAndRecord").string("fourCC") == "!pri")
            #expect(try await other.state().string("category") == "playback")
            try await scene.wait(for: 1000, at: -12)
            #expect(call.interruptions == [])
        }
    }

    @Test(
        "A radio that a call interrupted plays again when the user taps play, however the call ends",
        arguments: HeadlessServer.Kind.allCases)
    func radio(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let radio = try await scene.peer("radio", "playback")
            let call = try await scene.peer("call", Self.callCategory)
            for end in ["deactivate", "deactivate notify"] {
                try await radio.send("play 1000")
                try await scene.wait(for: 1000, at: -12)
                try await call.send("activate")
                try await radio.waitForInterruption()
                try await scene.wait(for: 1000, at: nil)
                try await call.send(end)
                try await radio.waitForEnd()
                try await scene.letPass()
                #expect(try await radio.state().bool("isPlaying") == false, "S36: the app decides")
                #expect(try await radio.send("resume").bool("value") == true)
                try await scene.wait(for: 1000, at: -12)
            }
        }
    }
}
