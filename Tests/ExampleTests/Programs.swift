import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A folder that goes with the test.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in it.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file and returns its path.
    func write(_ data: Data, _ name: String) throws -> String {
        try data.write(to: url.appendingPathComponent(name))
        return path(name)
    }

    /// Writes a sine of that length, in seconds, and returns its path.
    func tone(_ seconds: Double, frequency: Double = 1_000, name: String = "tone.wav") throws -> String {
        try write(TestSignal.sine(frequency: frequency, seconds: seconds).wavData, name)
    }
}

/// What a program did from start to end.
struct Run {
    let exit: ChildProcess.Exit
    let events: [JSONLine]
    let output: String
    let errors: [String]

    /// The events' names, in order, without those that come by the clock.
    var order: [String] {
        events.compactMap { $0.string("event") }.filter { $0 != "progress" && $0 != "routeChange" }
    }
}

/// An address where no server answers, so that nothing of the person's own is ever touched.
let nowhere = ["PULSE_SERVER": "unix:/nonexistent/pulse"]

/// Runs a program of the package to its end.
func run(
    _ program: String, _ arguments: [String], on server: HeadlessServer? = nil, environment: [String: String] = [:],
    timeout: Duration = .seconds(30)
) async throws -> Run {
    let surroundings = server == nil ? nowhere.merging(environment) { $1 } : environment
    let process = try ChildProcess(program, arguments, on: server, environment: surroundings)
    return try await finish(process, timeout: timeout)
}

/// Waits for a program's end and collects what it said.
func finish(_ process: ChildProcess, timeout: Duration = .seconds(30)) async throws -> Run {
    let exit = try await process.wait(timeout: timeout)
    let lines = process.outputLines
    return Run(
        exit: exit, events: lines.enumerated().compactMap { JSONLine($1, number: $0) },
        output: lines.joined(separator: "\n"),
        errors: process.errorText.split(whereSeparator: \.isNewline).map(String.init))
}

/// A failure as the contract has it: this status, one line on stderr that names the program, soon.
func expectFailure(
    _ run: Run, _ status: Int32, of program: String, saying text: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(run.exit.status == status, "\(run.errors)", sourceLocation: sourceLocation)
    #expect(run.errors.count == 1, "\(run.errors)", sourceLocation: sourceLocation)
    let line = run.errors.first ?? ""
    #expect(line.hasPrefix("\(program): "), sourceLocation: sourceLocation)
    #expect(text.isEmpty || line.contains(text), "\(line)", sourceLocation: sourceLocation)
    // By the processor's clock: other tests run at the same time. `FailureTimeTests` looks at the wall's.
    #expect(run.exit.processorTime < atOnce, sourceLocation: sourceLocation)
}

/// The sound in a file, read with the library's own reader.
func contents(ofFile path: String) throws -> Recording {
    let reader = try AudioFileReader(path: path)
    var samples = [Float](repeating: 0, count: Int(reader.format.frames) * reader.format.channels)
    var done = 0
    while done < Int(reader.format.frames) {
        let count = try samples.withUnsafeMutableBufferPointer { buffer in
            try reader.read(
                into: try #require(buffer.baseAddress) + done * reader.format.channels,
                frames: Int(reader.format.frames) - done)
        }
        if count == 0 { break }
        done += count
    }
    return Recording(float: samples, sampleRate: Int(reader.format.sampleRate), channels: reader.format.channels)
}

/// The length of a sound file, in seconds.
func seconds(ofFile path: String) throws -> Double {
    let format = try AudioFileReader(path: path).format
    return Double(format.frames) / format.sampleRate
}
