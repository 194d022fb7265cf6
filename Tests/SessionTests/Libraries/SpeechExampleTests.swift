import Foundation
import HeadlessServer
import TestSupport
import Testing

/// examples/c-speak: a child speaks, and what others play is lower meanwhile.
@Suite("A speech prompt whose speaker is a child", .limited)
struct SpeechExampleTests {
    /// A speaker that "says" a tone of 1500 Hz: `paplay`, which knows nothing of sessions.
    private func speaker(in scene: Scene, seconds: Double) async throws -> URL {
        guard let paplay = HeadlessServer.findBinary("paplay") else { throw SupportError("no paplay") }
        let tone = scene.file("words.wav")
        try TestSignal.sine(frequency: 1500, level: -12, seconds: seconds).writeWAV(to: tone)
        let libraries = scene.server.toolEnvironment["LD_LIBRARY_PATH"].map { "LD_LIBRARY_PATH='\($0)' " } ?? ""
        let script = scene.file("speaker")
        try await writeScript("#!/bin/sh\n\(libraries)exec '\(paplay.path)' '\(tone.path)'", to: script)
        return script
    }

    /// Music that plays at -12 dBFS, of a program outside of the library.
    private func music(in scene: Scene) async throws -> ForeignStream {
        let music = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 440))
        try await scene.wait(for: 440, at: -12)
        return music
    }

    @Test(
        "Music is lower while it speaks, and as loud as before when it has spoken",
        arguments: HeadlessServer.Kind.allCases)
    func spoken(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await music(in: scene)
            let speaker = try await speaker(in: scene, seconds: 3)
            let program = try CProgram.start(
                "c-speak", ["Turn left."], on: scene.server, environment: ["SPEAKER": speaker.path])
            try await scene.wait(for: 440, at: -32)
            try await scene.wait(for: 1500, at: -12)
            #expect(try await program.wait(timeout: hangLimit).status == 0, "\(program.errorText)")
            try await scene.wait(for: 440, at: -12)
            try await music.stop()
        }
    }

    @Test("A signal ends the speaker, and gives the music back", arguments: HeadlessServer.Kind.allCases)
    func ended(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await music(in: scene)
            let speaker = try await speaker(in: scene, seconds: 60)
            let program = try CProgram.start(
                "c-speak", ["Turn left."], on: scene.server, environment: ["SPEAKER": speaker.path])
            try await scene.wait(for: 440, at: -32)
            try await scene.wait(for: 1500, at: -12)
            program.send(SIGTERM)
            #expect(try await program.wait(timeout: hangLimit).status == 128 + SIGTERM, "\(program.errorText)")
            try await scene.wait(for: 1500, at: nil)
            try await scene.wait(for: 440, at: -12)
            try await music.stop()
        }
    }

    @Test(
        "A speaker that is not there is an error, and leaves nothing lowered",
        arguments: HeadlessServer.Kind.allCases)
    func missing(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await music(in: scene)
            let program = try CProgram.start(
                "c-speak", ["Turn left."], on: scene.server, environment: ["SPEAKER": "/nonexistent/speaker"])
            #expect(try await program.wait(timeout: hangLimit).status == 1)
            #expect(program.errorText.contains("/nonexistent/speaker cannot be started"), "\(program.errorText)")
            try await scene.wait(for: 440, at: -12)
            try await music.stop()
        }
    }
}
