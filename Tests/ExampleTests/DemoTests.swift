import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The script behind `make demo`, with the programs that were built for the tests.
@Suite("scripts/demo", .serialized, .limited) struct DemoTests {
    /// A copy of what of this package the script needs, with programs that need not be built.
    private func copy(to folder: Folder) async throws -> URL {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let copy = folder.url.appendingPathComponent("a copy")
        let scripts = copy.appendingPathComponent("scripts")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        for name in ["Makefile", "scripts/demo"] {
            let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
            try await writeScript(text, to: copy.appendingPathComponent(name))
        }
        let programs = try ChildProcess.executable("player").deletingLastPathComponent().path
        for (name, text) in [("setup", "exit 0"), ("build-release", "echo '\(programs)'")] {
            try await writeScript("#!/bin/sh\n\(text)", to: scripts.appendingPathComponent(name))
        }
        return copy
    }

    /// Starts a program in a folder, with the server as the one that is running.
    private func start(_ words: [String], in folder: URL, on server: HeadlessServer) throws -> ChildProcess {
        guard let pactl = HeadlessServer.findBinary("pactl") else { throw SupportError("no pactl: run `make setup`") }
        let path = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin:/bin"]
        let variables = ["PATH": "\(pactl.deletingLastPathComponent().path):\(path)"]
        // Whoever runs the tests may ignore Ctrl-C, and a shell cannot trap what it was told to ignore.
        let script = #"cd "$1"; shift; exec env --default-signal=INT,TERM "$@""#
        return try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", folder.path] + words,
            environment: server.toolEnvironment.merging(variables) { $1 })
    }

    @Test("its helper says how it is used")
    func usage() async throws {
        let help = try await run("demo-report", ["--help"])
        #expect(help.exit.status == 0 && help.output.hasPrefix("usage: demo-report ") && help.errors.isEmpty)
        expectFailure(try await run("demo-report", []), 64, of: "demo-report", saying: "usage: ")
    }

    @Test("Ctrl-C ends it, and with it the music and the recording", arguments: [SIGINT, SIGTERM])
    func interrupted(number: Int32) async throws {
        let folder = try Folder()
        let copy = try await copy(to: folder)
        try await withServer(.pulseAudio) { server in
            let demo = try start(["bash", "scripts/demo"], in: copy, on: server)
            let pactl = Pactl(server)
            try await waitUntil("the music") { try await !pactl.sinkInputs().isEmpty }
            demo.send(number)
            // Its output is open until the last of its programs has ended.
            #expect(try await demo.wait().status == 128 + number, "\(demo.errorText)")
            #expect(try await pactl.sinkInputs().isEmpty)
            #expect(!demo.outputLines.contains { $0.contains("picture") })
        }
    }

    @Test("a file is named from where one stands, and may have blanks in its name", arguments: [true, false])
    func file(byMake: Bool) async throws {
        let folder = try Folder()
        let copy = try await copy(to: folder)
        let name = "my song's.wav"
        let own = byMake ? copy : folder.url
        try TestSignal.noise(seconds: 4).writeWAV(to: own.appendingPathComponent(name))
        try await withServer(.pulseAudio) { server in
            let words = byMake ? ["make", "demo", "FILE=\(name)"] : ["bash", "a copy/scripts/demo", name]
            let demo = try start(words, in: own, on: server)
            #expect(try await demo.wait().status == 0, "\(demo.outputLines) \(demo.errorText)")
            #expect(demo.outputLines.contains { $0.hasPrefix("picture") }, "\(demo.outputLines)")
        }
    }
}
