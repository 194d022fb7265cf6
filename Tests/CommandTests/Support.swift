import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What a command did from start to end.
struct Run {
    let exit: ChildProcess.Exit
    let output: String
    let errors: [String]

    /// The lines of `--json`.
    var events: [JSONLine] {
        output.split(separator: "\n").enumerated().compactMap { JSONLine(String($1), number: $0) }
    }

    /// The first event of a name that names an app.
    func event(_ name: String, app: String) -> JSONLine? {
        events.first { $0.string("event") == name && $0.string("app") == app }
    }
}

/// An address where no server answers, so that nothing of the person's own is ever touched.
let nowhere = ["PULSE_SERVER": "unix:/nonexistent/pulse"]

/// Runs `audiosession` to its end.
func audiosession(
    _ arguments: String..., on server: HeadlessServer? = nil, environment: [String: String] = [:]
) async throws -> Run {
    let surroundings = server == nil ? nowhere.merging(environment) { $1 } : environment
    return try await finish(try ChildProcess("audiosession", arguments, on: server, environment: surroundings))
}

/// Waits for a process's end and collects what it said.
func finish(_ process: ChildProcess) async throws -> Run {
    let exit = try await process.wait()
    return Run(
        exit: exit, output: String(decoding: process.output(), as: UTF8.self),
        errors: process.errorText.split(whereSeparator: \.isNewline).map(String.init))
}

/// A failure as the contract has it: this status, and one line on stderr.
func expectFailure(
    _ run: Run, _ status: Int32, saying text: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(run.exit.status == status, "\(run.errors)", sourceLocation: sourceLocation)
    #expect(run.errors.count == 1, "\(run.errors)", sourceLocation: sourceLocation)
    #expect(run.errors.first?.hasPrefix("audiosession: ") == true, sourceLocation: sourceLocation)
    #expect(
        text.isEmpty || run.errors.first?.contains(text) == true, "\(run.errors)", sourceLocation: sourceLocation)
}

/// A session that is held until its process is sent SIGTERM, or killed.
func session(
    _ arguments: String..., named name: String, on server: HeadlessServer, environment: [String: String] = [:],
    playing command: [String] = ["sleep", "60"]
) async throws -> ChildProcess {
    let process = try ChildProcess(
        "audiosession", ["run"] + arguments + ["--"] + command, on: server,
        environment: environment.merging(["PULSE_PROP_application.name": name]) { $1 })
    try await waitUntil("the session of \(name)") {
        if let exit = process.exit { throw SupportError("\(name) ended: \(exit) \(process.errorText)") }
        return try await audiosession("status", "--json", on: server).event("session", app: name) != nil
    }
    return process
}

/// A command that plays half a minute of a sine, or so many seconds, with the servers' own tool.
func tone(_ frequency: Double, seconds: Double = 30, on server: HeadlessServer) throws -> [String] {
    let file = server.directory.appendingPathComponent("tone-\(Int(frequency)).raw")
    try TestSignal.sine(frequency: frequency, level: -12, seconds: seconds).rawData.write(to: file)
    guard let program = HeadlessServer.findBinary("pacat") else { throw SupportError("no pacat: run `make setup`") }
    // The tool may need libraries that were unpacked with it, which are nothing to `audiosession`.
    return ["env"] + server.toolEnvironment.map { "\($0)=\($1)" } + [
        program.path, "--raw", "--format=s16le", "--rate=44100", "--channels=2", "--latency-msec=50", file.path,
    ]
}
