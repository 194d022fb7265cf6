import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The Python module over the C library: that of the package, or of a release (``CProgram``).
@Suite(
    "Programs in Python", .limited, .enabled(if: Python.isThere, "needs python3 of 3.11 or later"),
    .enabled(if: !Sanitizer.isPresent, "a sanitizer's runtime cannot be loaded into python3"))
struct PythonTests {
    @Test(
        "An app is interrupted and told by whom, resumes, interrupts others, and leaves by Ctrl-C",
        arguments: ["plain", "asyncio"], HeadlessServer.Kind.allCases)
    func story(loop: String, kind: HeadlessServer.Kind) async throws { try await tellStory(loop, kind) }

    @Test(
        "So is an app with a main loop of GLib", .enabled(if: Python.hasGLib, "needs PyGObject"),
        arguments: HeadlessServer.Kind.allCases)
    func glib(kind: HeadlessServer.Kind) async throws { try await tellStory("glib", kind) }

    private func tellStory(_ loop: String, _ kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let other = try await Peer.start(on: server, name: "other")
            try await other.send("category playback")
            let app = try Python.start("Tests/Python/story.py", [loop], on: server)
            var line = try await app.event("active", timeout: hangLimit)
            #expect(line.string("loop") == loop)

            try await other.send("activate")
            line = try await app.event("began", timeout: hangLimit)
            #expect(line.string("application") == "other" && line.number("reason") == 0)
            #expect(line.number("pid") == Double(other.processID))
            try await other.send("deactivate notify")
            line = try await app.event("ended", from: line.number, timeout: hangLimit)
            #expect(line.bool("resume") == true)
            line = try await app.event("active", from: line.number, timeout: hangLimit)

            // This time its user goes on at once, and the other one is interrupted.
            try await other.send("activate")
            try await app.event("active", from: line.number + 1, timeout: hangLimit)
            let began = try await other.waitForInterruption()
            #expect(began.string("originName") == "Reader" && began.number("originPID") == Double(app.processID))
            app.send(SIGINT)
            #expect(try await other.waitForEnd().number("option") == 1)
            let exit = try await app.wait(timeout: hangLimit)
            #expect(exit.status == 130 && app.errorText.isEmpty, "\(exit) \(app.outputLines) \(app.errorText)")
        }
    }

    @Test(
        "Wrong arguments are exceptions, and everything else is as documented",
        arguments: HeadlessServer.Kind.allCases)
    func checks(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let checks = try Python.start("Tests/Python/checks.py", on: server)
            let exit = try await checks.wait(timeout: hangLimit)
            #expect(exit.status == 0, "\(exit) \(checks.outputLines) \(checks.errorText)")
        }
    }

    @Test("Without a server and without the library it is said")
    func missing() async throws {
        let script = "import avaudiosession\navaudiosession.Session().activate()"
        let nowhere = try Python.run(code: script, environment: ["PULSE_SERVER": "unix:/nonexistent"])
        #expect(try await nowhere.wait(timeout: hangLimit).status == 1)
        #expect(nowhere.errorText.contains("NoServerError: "), "\(nowhere.errorText)")
        let bare = try Python.run(code: script, environment: ["LD_LIBRARY_PATH": "/nonexistent"])
        #expect(try await bare.wait(timeout: hangLimit).status == 1)
        #expect(bare.errorText.contains("ImportError: libavaudiosession.so.1"), "\(bare.errorText)")
    }

    @Test("The prompt of the documents lowers the music while it speaks", arguments: HeadlessServer.Kind.allCases)
    func prompt(kind: HeadlessServer.Kind) async throws {
        let example = Python.root.appendingPathComponent("examples/python-prompt/prompt.py")
        let code = try String(contentsOf: example, encoding: .utf8).split(separator: "\n").filter { !$0.isEmpty }
        let page = try String(contentsOf: Python.root.appendingPathComponent("docs/python.md"), encoding: .utf8)
        for line in code.dropFirst() { #expect(page.contains("\n\(line)\n"), "\(line) is not in docs/python.md") }
        try await withScene(kind) { scene in
            // A voice that says its words and what its streams would bear, and has finished when it reads a line.
            let voices = scene.server.directory.appendingPathComponent("voices")
            try FileManager.default.createDirectory(at: voices, withIntermediateDirectories: true)
            let voice = voices.appendingPathComponent("espeak-ng")
            try await writeScript("#!/bin/sh\necho \"$1 $PULSE_PROP\"\nread line", to: voice)

            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let prompt = try Python.start(
                "examples/python-prompt/prompt.py", ["Turn left."], on: scene.server,
                environment: ["PATH": "\(voices.path):/usr/bin:/bin"])
            try await prompt.line(timeout: hangLimit) {
                $0.hasPrefix("Turn left. avaudiosession.owner=") && $0.hasSuffix("media.role=music")
            }
            try await scene.wait(for: 440, at: -32)
            let names = try await scene.pactl.clients().filter { $0.processID == prompt.processID }
                .map { $0.properties["application.name"] }
            #expect(names.contains("prompt"), "the script's name, and not python3: \(names)")
            try prompt.write(line: "")
            try await scene.wait(for: 440, at: -12)
            #expect(try await prompt.wait(timeout: hangLimit).status == 0)
            #expect(prompt.errorText.isEmpty && music.interruptions == [], "\(prompt.errorText)")
        }
    }
}

/// Python, with the module of this package and the C library of ``CProgram``.
private enum Python {
    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    /// The system's python3, or the first in PATH, of 3.11 or later; nil without one.
    private static let program: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = ["/usr/bin"] + path.split(separator: ":").map(String.init)
        return folders.lazy.map { URL(fileURLWithPath: $0).appendingPathComponent("python3") }
            .first { runs("import sys; sys.exit(sys.version_info < (3, 11))", with: $0) }
    }()

    /// Whether there is one.
    static var isThere: Bool { program != nil }

    /// Whether it has PyGObject.
    static let hasGLib = program.map { runs("from gi.repository import GLib", with: $0) } ?? false

    private static func runs(_ code: String, with program: URL) -> Bool {
        let process = Process()
        process.executableURL = program
        process.arguments = ["-c", code]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Where libavaudiosession.so.1 is: that of a release beside its programs, else a link to the package's.
    private static let library: Result<String, any Error> = Result {
        if let folder = CProgram.releaseFolder { return folder }
        let library = try ChildProcess.executable("libavaudiosession.so")
        let name = library.lastPathComponent
        let link = library.deletingLastPathComponent().appendingPathComponent("c-library/\(name).1")
        if !FileManager.default.fileExists(atPath: link.path) {
            let folder = link.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: "../\(name)")
        }
        return link.deletingLastPathComponent().path
    }

    /// Starts a script of this package, which can be written to.
    static func start(
        _ script: String, _ arguments: [String] = [], on server: HeadlessServer, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try run(
            [root.appendingPathComponent(script).path] + arguments,
            environment: server.environment.merging(environment) { $1 })
    }

    /// Runs a script that is given as text.
    static func run(code: String, environment: [String: String]) throws -> ChildProcess {
        try run(["-c", code], environment: environment)
    }

    private static func run(_ arguments: [String], environment: [String: String]) throws -> ChildProcess {
        guard let program else { throw SupportError("there is no python3") }
        let paths = [
            "PYTHONPATH": root.appendingPathComponent("python").path, "PYTHONDONTWRITEBYTECODE": "1",
            "LD_LIBRARY_PATH": try library.get(),
        ]
        return try ChildProcess(program, arguments, environment: paths.merging(environment) { $1 }, input: true)
    }
}
