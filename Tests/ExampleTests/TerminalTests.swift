import Foundation
import HeadlessServer
import TestSupport
import Testing

private let (left, right, up, down) = ("\u{1B}[D", "\u{1B}[C", "\u{1B}[A", "\u{1B}[B")
/// Ctrl-Q.
private let letGo = "\u{11}"

@Suite("On a terminal", .serialized, .limited) struct TerminalTests {
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
            // A window that breaks the line in two: both are drawn over, at once.
            player.resize(columns: 50)
            try await player.wait(for: "a shorter line") {
                $0.screen.contains("\u{1B}[1A\r\u{1B}[J=") && $0.line.count < 50
            }
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

    @Test("names of files are no commands to the terminal")
    func names() async throws {
        let folder = try Folder()
        let file = try folder.tone(60, name: "evil\u{1B}]0;title\u{7}\u{9B}2J.wav")
        try await withServer(.pulseAudio) { server in
            let player = try TerminalProcess("player", [file], on: server)
            try await player.wait(for: "the title") { $0.screen.contains("evil]0;title2J.wav") }
            player.type("q")
            #expect(try await player.waitForExit() == 0)
            #expect(!player.screen.contains("\u{7}") && !player.screen.contains("\u{1B}]"))
            #expect(!player.screen.unicodeScalars.contains("\u{9B}"))
        }
        for arguments in [[folder.path("no\u{1B}[2J.wav")], ["--no\u{1B}[2J", file]] {
            let errors = try await run("player", arguments).errors
            #expect(errors.count == 1 && errors.first?.contains("no[2J") == true, "\(errors)")
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
            let shell = try JobShell(on: server)
            let player = try await shell.start("player", [file])
            try await monitor.waitForSound()
            try await shell.stop(player)
            try await shell.terminal.wait(for: "the cursor") { $0.showsCursor }
            let silence = try await monitor.waitForSilence(from: monitor.frames)
            let before = shell.terminal.screen.count
            try await shell.bringBack(player)
            try await monitor.waitForSound(from: silence)
            try await shell.terminal.wait(for: "the line") {
                $0.screen.dropFirst(before).contains("vol ") && !$0.showsCursor && !$0.isCooked
            }
            shell.terminal.type("q")
            #expect(try await shell.waitForEnd() == 0)
        }
    }

    @Test(
        "Ctrl-Z where no shell could continue it: it goes on, with its line and its keys",
        arguments: ["player", "recorder"])
    func withoutShell(program: String) async throws {
        let folder = try Folder()
        let file = program == "player" ? try folder.tone(60) : folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let process = try TerminalProcess(program, [file], on: server)
            try await process.wait(for: "the line") { $0.line.contains("0:0") && !$0.isCooked }
            let before = process.screen.count
            process.type("\u{1A}")
            try await process.wait(for: "the terminal, given back and taken again") {
                $0.screen.dropFirst(before).contains("\u{1B}[?25h") && !$0.showsCursor && !$0.isCooked
            }
            #expect(process.state != "T")
            process.type("q")
            #expect(try await process.waitForExit() == 0)
        }
    }

    @Test("Ctrl-Z and bg: it goes on and leaves the terminal alone, and fg brings its line and its keys back")
    func playerInBackground() async throws {
        let folder = try Folder()
        let file = try folder.tone(60)
        try await withServer(.pulseAudio, sinks: [.init(), .init(name: "second")]) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let shell = try JobShell(on: server)
            let player = try await shell.start("player", [file])
            try await monitor.waitForSound()
            try await shell.stop(player)
            let silence = try await monitor.waitForSilence(from: monitor.frames)
            shell.terminal.type("bg\n")
            try await monitor.waitForSound(from: silence)
            let before = shell.terminal.screen.count
            // What is typed is the shell's.
            shell.terminal.type("echo $((6 * 7))\n")
            try await shell.terminal.wait(for: "the shell") { $0.screen.dropFirst(before).contains("42") }
            let stream = try await Pactl(server).waitForSinkInput(of: player)
            try await Pactl(server).move(sinkInput: stream.index, to: "second")
            // Several status lines' time.
            try await monitor.wait(seconds: 0.5)
            #expect(!shell.terminal.screen.dropFirst(before).contains("now on"))
            #expect(!shell.terminal.screen.dropFirst(before).contains("vol "))
            #expect(shell.terminal.showsCursor)
            #expect(TerminalProcess.state(of: player) != "T")
            try await shell.bringBack(player)
            try await shell.terminal.wait(for: "the line") {
                $0.screen.dropFirst(before).contains("vol ") && !$0.showsCursor && !$0.isCooked
            }
            #expect(shell.terminal.screen.dropFirst(before).contains("now on"), "what happened meanwhile")
            shell.terminal.type("q")
            #expect(try await shell.waitForEnd() == 0)
            #expect(shell.terminal.showsCursor)
        }
    }

    @Test("Ctrl-Z and bg: recorder goes on in the same file")
    func recorderInBackground() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let shell = try JobShell(on: server)
            let recorder = try await shell.start("recorder", [out])
            try await shell.terminal.wait(for: "a second") { $0.screen.contains("o 0:01") }
            try await shell.stop(recorder)
            let length = try seconds(ofFile: out)
            shell.terminal.type("bg\n")
            try await waitUntil("more sound in the file") { (try? seconds(ofFile: out)) ?? 0 > length + 0.5 }
            #expect(TerminalProcess.state(of: recorder) != "T")
            try await shell.bringBack(recorder)
            try await shell.terminal.wait(for: "the line") { $0.line.hasPrefix("o") && !$0.isCooked }
            shell.terminal.type("q")
            #expect(try await shell.waitForEnd() == 0)
            #expect(try seconds(ofFile: out) > length + 0.5)
        }
    }

    @Test("a key pressed while recorder stops does not begin the file anew", arguments: ["q", "SIGINT"])
    func keyWhileStopping(cause: String) async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let recorder = try TerminalProcess("recorder", [out], on: server)
            try await recorder.wait(for: "the line") { $0.line.hasPrefix("o 0:00") }
            try await hold(recorder, recordingInto: out)
            if cause == "q" {
                recorder.type("q")
            } else {
                // As Ctrl-C does, but that lets go what Ctrl-S holds.
                kill(recorder.processID, SIGINT)
                try await waitUntil("the signal's arrival") {
                    try String(contentsOfFile: "/proc/\(recorder.processID)/status", encoding: .utf8)
                        .contains("ShdPnd:\t0000000000000000")
                }
            }
            recorder.type(" ")
            recorder.type(letGo)
            #expect(try await recorder.waitForExit() == 0)
            #expect(try seconds(ofFile: out) >= 1)
        }
    }

    @Test("a pause that is pressed twice just as the duration ends does not begin the file anew")
    func pauseAtTheEnd() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let recorder = try TerminalProcess("recorder", ["--duration", "3", out], on: server)
            try await recorder.wait(for: "the line") { $0.line.hasPrefix("o 0:00") }
            try await hold(recorder, recordingInto: out)
            recorder.type("  ")
            let descriptors = "/proc/\(recorder.processID)/fd"
            try await waitUntil("the end of the file") {
                let open = try FileManager.default.contentsOfDirectory(atPath: descriptors)
                return !open.contains { name in
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")) == out
                }
            }
            recorder.type(letGo)
            #expect(try await recorder.waitForExit() == 0)
            #expect(abs(try seconds(ofFile: out) - 3) < 0.03)
        }
    }

    /// Types Ctrl-S, so that the next status line waits, and with it all that would be done after it but the recording.
    private func hold(_ recorder: TerminalProcess, recordingInto out: String) async throws {
        recorder.type("\u{13}")
        // The header tells of each second; there are ten lines in one.
        let length = (try? seconds(ofFile: out)) ?? 0
        try await waitUntil("two seconds more") { (try? seconds(ofFile: out)) ?? 0 > length + 1.5 }
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
