import AVFAudio
import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

@Suite("practice and synth", .serialized, .limited) struct EngineExampleTests {
    @Test("practice writes a file at another speed and pitch, exactly as long as it says")
    func bounce() async throws {
        let folder = try Folder()
        let tone = try folder.tone(3, frequency: 440)
        let result = try await run(
            "practice", ["--json", "--rate", "1.5", "--pitch", "1200", "--bounce", folder.path("out.wav"), tone])
        #expect(result.exit.status == 0 && result.order == ["bounced"], "\(result.errors)")
        let before = try AVAudioFile(forReading: URL(fileURLWithPath: tone))
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: folder.path("out.wav")))
        #expect(file.length == Int64((Double(before.length) / 1.5).rounded()))
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length)))
        try file.read(into: buffer)
        let data = try #require(buffer.floatChannelData?[0])
        let samples = Array(UnsafeBufferPointer(start: data, count: Int(file.length)))
        let middle = samples[20_000..<60_000]
        let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
        let frequency = Double(crossings) * file.processingFormat.sampleRate / 40_000
        #expect(abs(frequency - 880) < 5, "\(frequency) Hz")
    }

    @Test("practice plays to the end, and keys change its speed", arguments: HeadlessServer.Kind.allCases)
    func plays(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let tone = try folder.tone(20, frequency: 500)
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let practice = try TerminalProcess("practice", [tone], on: server, columns: 120)
            try await practice.wait(for: "the status", timeout: hangLimit) { $0.line.contains("100% 0 ct") }
            try await waitUntil("the tone", timeout: hangLimit) {
                let first = monitor.frames
                try await monitor.wait(seconds: 0.1)
                return monitor.soFar(from: first).level(ofFrequency: 500) > -30
            }
            practice.type(String(repeating: ">", count: 20) + "]")
            try await practice.wait(for: "twice the speed", timeout: hangLimit) { $0.line.contains("200% 100 ct") }
            // The end: two jumps of 5 s, and what is left at twice the speed.
            practice.type("\u{1B}[C\u{1B}[C")
            #expect(try await practice.waitForExit(timeout: hangLimit) == 0)
            _ = try await monitor.stop()
        }
    }

    @Test("practice refuses what is no sound, and values beyond the range, in one line")
    func refusals() async throws {
        let folder = try Folder()
        let text = try folder.write(Data("no sound".utf8), "text.wav")
        expectFailure(try await run("practice", [text]), 66, of: "practice", saying: "cannot play")
        expectFailure(try await run("practice", ["--rate", "9", text]), 64, of: "practice", saying: "--rate")
        let tone = try folder.tone(0.1)
        let nowhere = try await run("practice", ["--bounce", "/no/such/folder/x.wav", tone])
        expectFailure(nowhere, 73, of: "practice", saying: "cannot write")
    }

    @Test("synth plays the notes of its keys, and typed ones", arguments: HeadlessServer.Kind.allCases)
    func synth(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let result = try await finish(try ChildProcess("synth", ["--json", "--play", "ahk"], on: server))
            #expect(result.exit.status == 0 && result.order.suffix(1) == ["inactive"], "\(result.errors)")
            #expect(result.events.compactMap { $0.string("note") } == ["C4", "A4", "C5"])
            let synth = try TerminalProcess("synth", [], on: server)
            try await synth.wait(for: "the status", timeout: hangLimit) { $0.line.contains("octave 4") }
            let first = monitor.frames
            synth.type("xh")
            try await synth.wait(for: "the note", timeout: hangLimit) { $0.line.contains("octave 5  A5") }
            try await waitUntil("880 Hz", timeout: hangLimit) {
                monitor.soFar(from: first).level(ofFrequency: 880) > -50
            }
            synth.type("q")
            #expect(try await synth.waitForExit(timeout: hangLimit) == 0)
            _ = try await monitor.stop()
        }
        expectFailure(try await run("synth", ["--play", "qq"]), 64, of: "synth", saying: "--play")
    }
}
