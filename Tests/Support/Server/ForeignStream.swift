package import Foundation
package import HeadlessServer

/// A playback stream of another program, which knows nothing of this library.
package final class ForeignStream: Sendable {
    /// What it plays.
    package enum Content: Sendable {
        /// Zeros, without end.
        case silence
        /// A sine of a minute, in whole Hz and dBFS (peak): longer than a test needs on a busy machine.
        case tone(frequency: Double, level: Double = -12)
        /// A sound file, once.
        case file(URL)
    }

    /// The player's process.
    package let process: ChildProcess
    /// The server's index of its stream.
    package let index: Int

    /// Starts it and returns when the server lists its stream.
    /// - Parameters:
    ///   - role: its `media.role`, such as `phone`; nil for none.
    ///   - sink: the sink's name; nil for the default.
    ///   - properties: further properties of the stream.
    package static func start(
        on server: HeadlessServer, playing content: Content = .silence, role: String? = nil, sink: String? = nil,
        properties: [String: String] = [:]
    ) async throws -> ForeignStream {
        let name = UUID().uuidString
        var arguments = properties.map { "--property=\($0)=\($1)" } + ["--property=tests.stream=\(name)"]
        if let role { arguments.append("--property=media.role=\(role)") }
        if let sink { arguments.append("--device=\(sink)") }
        let raw = ["--raw", "--format=s16le", "--rate=44100", "--channels=2", "--latency-msec=50"]
        switch content {
        case .silence: arguments += raw + ["/dev/zero"]
        case .tone(let frequency, let level):
            let file = server.directory.appendingPathComponent("tone-\(UUID().uuidString).raw")
            // A second of a whole number of periods, sixty times: quicker than as many sines.
            let second = TestSignal.sine(frequency: frequency, level: level, seconds: 1).rawData
            var minute = Data(capacity: 60 * second.count)
            for _ in 0..<60 { minute.append(second) }
            try minute.write(to: file)
            arguments += raw + [file.path]
        case .file(let file): arguments.append(file.path)
        }
        var tool = "pacat"
        if case .file = content { tool = "paplay" }
        let process = try ChildProcess(tool: tool, arguments, on: server)
        let pactl = Pactl(server)
        var index: Int?
        try await waitUntil("a stream of \(tool)") {
            index = try await pactl.sinkInputs().first { $0.properties["tests.stream"] == name }?.index
            if index == nil, let ended = OtherProgramEnded(process) { throw ended }
            return index != nil
        }
        guard let index else { throw SupportError("no stream of \(tool)") }
        return ForeignStream(process, index)
    }

    private init(_ process: ChildProcess, _ index: Int) {
        self.process = process
        self.index = index
    }

    /// Throws if its process is gone, ``OtherProgramEnded`` if that failed.
    package func requirePlaying() throws {
        if process.exit != nil {
            throw OtherProgramEnded(process) ?? SupportError("the player is gone: \(process.errorText)")
        }
    }

    /// Ends it as a user would, and returns when its process is gone.
    package func stop() async throws {
        process.send(SIGTERM)
        try await process.wait()
    }

    /// Kills it, and returns when its process is gone.
    package func kill() async throws {
        process.send(SIGKILL)
        try await process.wait()
    }
}
