import Foundation
import Glibc
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// A scene of real processes that a log writes down while the sink's monitor is recorded.
final class HeardScene {
    /// A silence of a tone, or a time in which it is lower, in seconds of CLOCK_MONOTONIC.
    struct Gap {
        let begin: Double
        let end: Double
    }

    /// A disturbance as a reader of the history tells it.
    struct Told {
        let begin: Double
        let end: Double
        let line: JSONLine
    }

    /// The seconds by which what is told may differ from what was heard and said.
    static let accuracy = 0.02

    let server: HeadlessServer
    let log: Logged
    let monitor: MonitorRecording
    /// The time of the recording's first frame, as it was before the disturbance; nil before the first sound.
    ///
    /// A sink whose streams change may lose frames: what was heard later has another one.
    private var origin: Double?

    /// Starts the log and the recording of a sink.
    init(
        on server: HeadlessServer, sink: HeadlessServer.NullSink = .init(), environment: [String: String] = [:],
        logging arguments: String...
    ) async throws {
        self.server = server
        if server.kind == .pipeWire {
            // What is queued is heard two cycles later: of 5 ms each here, and not of 21 ms.
            let block = ["-n", "settings", "0", "clock.force-quantum", "256"]
            _ = try await ChildProcess.run(tool: "pw-metadata", block, on: server)
        }
        monitor = try await MonitorRecording.start(on: server, sink: sink)
        let folder = server.directory.appendingPathComponent("history").path
        let process = try ChildProcess(
            "audiosession", ["log", "--folder", folder] + arguments, on: server, environment: environment)
        try await process.line { $0 == "writing to \(folder)" }
        log = Logged(server: server, process: process, folder: folder)
    }

    /// A player of a tone of 500 Hz, or of one that cannot be heard, that plays and is known to the log.
    func player(_ arguments: String..., level: Double = -12, environment: [String: String] = [:]) async throws
        -> ChildProcess
    {
        let file = server.directory.appendingPathComponent("tone\(Int(-level)).wav")
        try TestSignal.sine(frequency: 500, level: level, seconds: 1).writeWAV(to: file)
        let player = try ChildProcess(
            "player", ["--json", "--loops", "-1"] + arguments + [file.path], on: server, environment: environment)
        try await player.event("progress")
        try await log.event("started") { $0.integer("pid") == Int(player.processID) }
        return player
    }

    /// The stretches in which the sink was below a level, after its first sound.
    func gaps(threshold: Double = -30) async throws -> [Gap] {
        guard let before = origin else { throw SupportError("no sound was waited for") }
        let after = try await monitor.timeOfFirstFrame()
        let recording = monitor.soFar()
        let rate = Double(recording.sampleRate)
        return recording.gaps(threshold: threshold, minimumFrames: recording.sampleRate / 10).map {
            Gap(begin: before + Double($0.lowerBound) / rate, end: after + Double($0.upperBound) / rate)
        }
    }

    /// The time of the last sound that was louder than a level.
    func lastSound(threshold: Double = -30) async throws -> Double {
        guard let origin else { throw SupportError("no sound was waited for") }
        let recording = monitor.soFar()
        let sound = try #require(recording.soundRange(threshold: threshold))
        return origin + Double(sound.upperBound) / Double(recording.sampleRate)
    }

    /// Waits for sound after a frame, and for a third of a second of it.
    func waitForSound(after frame: Int) async throws {
        try await monitor.waitForSound(threshold: -30, from: frame)
        try await monitor.wait(seconds: 0.3)
        guard origin == nil else { return }
        origin = try await monitor.timeOfFirstFrame()
    }

    /// A disturbance that has ended, after a check that `history`, `timeline` and `explain --at` tell the same of it.
    ///
    /// - Parameters:
    ///   - word: What `explain --at` says of the middle: its state, or a part of a sentence.
    ///   - title: A part of its title there; nil for the process ID.
    func told(
        _ state: String, of process: ChildProcess, explained word: String, titled title: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Told {
        let line = try await log.incident(state) {
            $0.number("pid") == Double(process.processID) && $0.string("ending") != "open"
        }
        let begin = try #require(line.number("t")), seconds = try #require(line.number("seconds"))
        let wall = try #require(line.number("begin"))
        try await checkPicture(state, line, wall, seconds, sourceLocation)
        try await checkExplanation(
            of: title ?? "pid \(process.processID)", begin + seconds / 2, says: word, sourceLocation)
        return Told(begin: begin, end: begin + seconds, line: line)
    }

    /// A bar of the picture has the same state, cause, rule, beginning and length.
    private func checkPicture(
        _ state: String, _ line: JSONLine, _ wall: Double, _ seconds: Double, _ location: SourceLocation
    ) async throws {
        let file = log.folder + "/scene.svg"
        #expect(try await log.run("timeline", "-o", file).exit.status == 0, sourceLocation: location)
        let picture = try String(contentsOfFile: file, encoding: .utf8)
        let cause = line.string("by").map { " by \($0)" } ?? ""
        let rule = line.string("rule").map { " (\($0))" } ?? ""
        let hint =
            "\(state)\(cause)\(rule), \(TimeText.time(wall, milliseconds: true)), \(TimeText.length(seconds))</title>"
        #expect(picture.contains(hint), "\(hint)", sourceLocation: location)
    }

    /// What `explain --at` says of a moment, in seconds of CLOCK_MONOTONIC.
    func explained(at moment: Double, _ arguments: String...) async throws -> Run {
        let now = HistoryClocks.system.now
        let wall = now.wall - (now.monotonic - moment)
        let time = "\(TimeText.date(wall)) \(TimeText.time(wall, milliseconds: true))"
        return try await finish(
            try ChildProcess(
                "audiosession", ["explain", "--at", time, "--folder", log.folder] + arguments, on: server))
    }

    private func checkExplanation(
        of title: String, _ moment: Double, says word: String, _ location: SourceLocation
    ) async throws {
        let past = try await explained(at: moment, "--json")
        let texts = past.events.filter { $0.string("title")?.contains(title) == true }
        let words = texts.flatMap { [$0.string("state") ?? ""] + ($0.strings("sentences") ?? []) }
        #expect(words.contains { $0.contains(word) }, "\(past.output)", sourceLocation: location)
    }

    /// The present time, in seconds of CLOCK_MONOTONIC.
    var now: Double { HistoryClocks.system.now.monotonic }

    /// The time since a moment, in which what was ordered then was done, give or take the accuracy.
    func span(since begin: Double) -> ClosedRange<Double> { begin - Self.accuracy...now + Self.accuracy }

    /// Compares two moments.
    func expect(
        _ told: Double, near heard: Double?, within seconds: Double = accuracy, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let heard = try #require(heard, sourceLocation: sourceLocation)
        #expect(
            abs(told - heard) < seconds, "\(what): told \((told - heard) * 1e3) ms after it was",
            sourceLocation: sourceLocation)
    }
}
