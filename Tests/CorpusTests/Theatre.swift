import AudioFiles
import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

/// The corpus in one language mode, and the server that it is judged on: two of them try both modes and both servers.
struct Edition: Sendable, CustomTestStringConvertible {
    let program: String
    let kind: HeadlessServer.Kind
    var testDescription: String { "\(program) on \(kind.rawValue)" }

    static let all = [Edition(program: "corpus-5", kind: .pulseAudio), Edition(program: "corpus-6", kind: .pipeWire)]
}

/// A private server with an ear at its sink, and apps of the corpus one after the other, or side by side.
struct Theatre {
    let edition: Edition
    let server: HeadlessServer
    let monitor: MonitorRecording

    var pactl: Pactl { Pactl(server) }
    /// The folder with the apps' sounds, which goes with the server.
    var folder: URL { server.directory }

    /// Raises the curtain before an app.
    func start(_ app: String, environment: [String: String] = [:]) throws -> Show {
        var variables = environment
        variables["PULSE_PROP_application.name"] = app
        // Foundation's own word for where the documents folder is; `HOME` does not count there.
        variables["CFFIXED_USER_HOME"] = folder.path
        let process = try ChildProcess(
            edition.program, [app, folder.path], on: server, environment: variables, input: true)
        return Show(app: app, process: process, theatre: self, firstFrame: monitor.frames)
    }
}

/// Runs apps of the corpus on a private server of their own.
func withTheatre(_ edition: Edition, _ body: (Theatre) async throws -> Void) async throws {
    try await withServer(edition.kind) { server in
        try writeSounds(in: server.directory)
        try await waitForDevices(of: server)
        let monitor = try await MonitorRecording.start(on: server)
        try await body(Theatre(edition: edition, server: server, monitor: monitor))
        _ = try await monitor.stop()
    }
}

/// Waits for the sink and its monitor, the microphone of these apps: WirePlumber refuses streams until it knows both.
func waitForDevices(of server: HeadlessServer) async throws {
    try await Pactl(server).waitForDefaultSource { $0.contains(".monitor") }
}

/// An app that runs.
struct Show {
    let app: String
    let process: ChildProcess
    let theatre: Theatre
    /// What was recorded when it began.
    let firstFrame: Int

    /// Waits until it has said a line.
    @discardableResult
    func says(_ line: String) async throws -> Show {
        try await process.line(timeout: hangLimit) { $0 == line }
        return self
    }

    /// Waits until it asks for a tap, and taps.
    func tap(_ word: String) async throws {
        try await says("\(word)?")
        try process.write(line: word)
    }

    /// Waits for its end, and returns what it said, the last "done" left out.
    func end() async throws -> [String] {
        try await process.wait(timeout: hangLimit)
        guard process.outputLines.last == "done" else {
            throw SupportError("\(app) ended: \(process.outputLines) \(process.errorText)")
        }
        return process.outputLines.dropLast()
    }

    /// What was heard since its beginning, with what is on its way.
    func heard() async throws -> Recording {
        try await theatre.monitor.wait(seconds: 0.15)
        return theatre.monitor.soFar(from: firstFrame)
    }
}

/// The sounds that apps of the corpus play: each tone is a sound's own.
private func writeSounds(in folder: URL) throws {
    func write(_ name: String, _ signal: TestSignal) throws {
        try signal.writeWAV(to: folder.appendingPathComponent(name + ".wav"))
    }
    try write("song", .sine(frequency: 440, seconds: 0.6))
    try write("album", .sine(frequency: 440, seconds: 30))
    try write("second", .sine(frequency: 660, seconds: 0.4))
    try write("voice", .sine(frequency: 1000, seconds: 0.4))
    try write("prompt", .sine(frequency: 1000, seconds: 1))
    try write("effect", .sine(frequency: 1760, seconds: 0.2))
    try write("tick", .sine(frequency: 2000, seconds: 0.02))
    let tone = TestSignal.sine(frequency: 440, seconds: 0.3)
    for (name, silent) in [("left", 1), ("right", 0)] {
        let samples = tone.samples.enumerated().map { $0.offset % 2 == silent ? 0 : $0.element }
        try write(name, TestSignal(samples: samples))
    }
    var tagged = TaggedSound()
    tagged.add("TIT2", "Prélude")
    tagged.add("TPE1", "A. Tester")
    tagged.add("TDRC", "2019")
    tagged.add(cover: TaggedSound.picture, type: "image/png")
    try tagged.data.write(to: folder.appendingPathComponent("tagged.mp3"))
}

extension Recording {
    /// For how long a tone is heard, in seconds, in steps of 20 ms.
    func seconds(of frequency: Double, channel: Int = 0) -> Double {
        let step = sampleRate / 50
        let loud = stride(from: 0, to: frames - step, by: step).filter {
            level(ofFrequency: frequency, $0..<$0 + step, channel: channel) > -35
        }
        return Double(loud.count) / 50
    }

    /// The first frame of sound on each channel that has some.
    var firsts: [Int] { channels.compactMap { samples in samples.firstIndex { abs($0) > 0.001 } } }

    /// The frames at which sound begins after a silence of at least 20 ms.
    var onsets: [Int] {
        guard let range = soundRange(threshold: -50) else { return [] }
        return [range.lowerBound] + gaps(threshold: -50, minimumFrames: sampleRate / 50).map(\.upperBound)
    }
}

extension Recording {
    /// All that is in a sound file.
    init(contentsOf file: URL) throws {
        let reader = try AudioFileReader(path: file.path)
        let channels = reader.format.channels
        var samples: [Float] = []
        var part = [Float](repeating: 0, count: 4096 * channels)
        while case let count = try reader.read(into: &part, frames: 4096), count > 0 {
            samples += part[..<(count * channels)]
        }
        self.init(float: samples, sampleRate: Int(reader.format.sampleRate), channels: channels)
    }
}
