import Foundation
import HeadlessServer
import TestSupport
import Testing

private let (left, right, up, down) = ("\u{1B}[D", "\u{1B}[C", "\u{1B}[A", "\u{1B}[B")

@Suite("On a terminal", .serialized, .timeLimit(.minutes(60))) struct TerminalTests {
    @Test("player shows title, time, meter and volume, and obeys its keys")
    func playerKeys() async throws {
        let folder = try Folder()
        let file = try folder.tone(60, name: "long.wav")
        try await withServer(.pulseAudio) { server in
            let player = try TerminalProcess("player", [file], on: server)
            try await player.wait(for: "the title") { $0.screen.contains("long.wav") }
            try await player.wait(for: "the line") { $0.line.contains("1:00") && $0.line.contains("vol 100%") }
            try await player.wait(for: "a level") { $0.line.contains("#") }
            #expect(player.isCooked == false)
            player.type(down)
            try await player.wait(for: "less volume") { $0.line.contains("vol 95%") }
            player.type(up)
            try await player.wait(for: "more volume") { $0.line.contains("vol 100%") }
            player.type(right + right)
            try await player.wait(for: "10 s") { $0.line.contains("> 0:1") }
            player.type(" ")
            try await player.wait(for: "the pause") { $0.line.hasPrefix("=") }
            player.type(left + left + left)
            try await player.wait(for: "the start") { $0.line.contains("= 0:00") }
            player.type(" ")
            try await player.wait(for: "sound again") { $0.line.hasPrefix(">") }
            player.type("q")
            #expect(try await player.waitForExit() == 0)
            #expect(player.isCooked == true)
            #expect(player.screen.hasSuffix("\u{1B}[?25h"))
        }
    }

    @Test("colours, unless NO_COLOR is set; lines fit the width", arguments: [UInt16(80), 30, 12])
    func widths(columns: UInt16) async throws {
        let folder = try Folder()
        let file = try folder.tone(60)
        try await withServer(.pulseAudio) { server in
            for plain in [false, true] {
                let player = try TerminalProcess(
                    "player", [file], on: server, columns: columns, environment: plain ? ["NO_COLOR": "1"] : [:])
                try await player.wait(for: "the line") { $0.line.contains("0:0") }
                if columns == 80 {
                    try await player.wait(for: "a level") { $0.line.contains("#") }
                    #expect(player.screen.contains("\u{1B}[32m") != plain)
                }
                player.type("q")
                _ = try await player.waitForExit()
                let lines = player.screen.components(separatedBy: "\r").map {
                    $0.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").trimmingCharacters(in: .newlines)
                }
                #expect(lines.allSatisfy { $0.count <= Int(columns) })
            }
        }
    }

    @Test("Ctrl-C leaves the terminal as it was", arguments: ["player", "recorder"])
    func interrupt(program: String) async throws {
        let folder = try Folder()
        let file = program == "player" ? try folder.tone(60) : folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let process = try TerminalProcess(program, [file], on: server)
            try await process.wait(for: "the line") { $0.line.contains("0:0") }
            process.type("\u{3}")
            #expect(try await process.waitForExit() == 0)
            #expect(process.isCooked == true)
        }
    }

    @Test("Ctrl-Z gives the terminal and the speakers back, fg takes them again")
    func suspend() async throws {
        let folder = try Folder()
        let file = try folder.tone(60)
        try await withServer(.pulseAudio) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let player = try TerminalProcess("player", [file], on: server)
            try await monitor.waitForSound()
            player.type("\u{1A}")
            try await player.wait(for: "the stop") { $0.state == "T" }
            #expect(player.isCooked == true)
            let silence = try await monitor.waitForSilence(from: monitor.frames)
            kill(player.processID, SIGCONT)
            try await monitor.waitForSound(from: silence)
            try await player.wait(for: "the line") { $0.line.hasPrefix(">") && !$0.isCooked }
            player.type("q")
            #expect(try await player.waitForExit() == 0)
        }
    }

    @Test("recorder shows the time, pauses at space and stops at q")
    func recorderKeys() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let recorder = try TerminalProcess("recorder", [out], on: server)
            try await recorder.wait(for: "a second") { $0.line.contains("o 0:01") }
            recorder.type(" ")
            try await recorder.wait(for: "the pause") { $0.line.hasPrefix("=") }
            recorder.type(" ")
            try await recorder.wait(for: "more sound") { $0.line.hasPrefix("o") }
            recorder.type("q")
            #expect(try await recorder.waitForExit() == 0)
            #expect(recorder.isCooked == true)
            #expect(try seconds(ofFile: out) >= 1)
        }
    }

    @Test("recorder marks what is too loud")
    func clipping() async throws {
        let folder = try Folder()
        let loud = try folder.write(TestSignal.sine(level: 0, seconds: 20).wavData, "loud.wav")
        try await withServer(.pulseAudio) { server in
            let player = try ChildProcess("player", ["--option", "mixWithOthers", loud], on: server)
            let recorder = try TerminalProcess(
                "recorder", ["--option", "mixWithOthers", folder.path("out.wav")], on: server)
            try await recorder.wait(for: "the mark") { $0.line.contains("CLIP") }
            recorder.type("q")
            #expect(try await recorder.waitForExit() == 0)
            player.send(SIGTERM)
            #expect(try await finish(player).exit.status == 0)
        }
    }
}
