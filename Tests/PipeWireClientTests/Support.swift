import Foundation
import HeadlessServer
import PipeWireClient
import TestSupport
import Testing

/// The tests with servers, one at a time: some count this process's threads.
@Suite(.serialized, .limited) struct ServerTests {}

/// Levels of the tone that foreign programs play here, in Hz and dBFS.
enum Tone {
    static let frequency = 1_000.0
    static let level = -12.0
    static let content = ForeignStream.Content.tone(frequency: frequency, level: level)
}

extension HeadlessServer {
    /// The socket of the PipeWire daemon.
    var pipeWireRemote: String { PipeWireConnection.remote(inRuntimeDirectory: directory.path) }
}

extension MonitorRecording {
    /// The tone's level in the last tenth of a second.
    var lastLevel: Double {
        let first = max(0, frames - 4_410)
        return soFar(from: first).level(ofFrequency: Tone.frequency)
    }

    /// Waits until the tone has a level, to a decibel or as stated, and has had it for a tenth of a second.
    func wait(forLevel level: Double, tolerance: Double = 1, _ location: SourceLocation = #_sourceLocation) async throws
    {
        do {
            try await waitUntil { abs(lastLevel - level) <= tolerance }
        } catch {
            Issue.record("\(lastLevel) dBFS instead of \(level)", sourceLocation: location)
            throw error
        }
    }
}

extension Recording {
    /// The tone's level in each hundredth of a second.
    var levels: [Double] {
        let step = sampleRate / 100
        return (0..<frames / step).map { level(ofFrequency: Tone.frequency, $0 * step..<($0 + 1) * step) }
    }
}

/// The threads of this process that libpipewire has started.
func pipeWireThreads() throws -> [String] {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    let names = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    return names.map { $0.trimmingCharacters(in: .newlines) }.filter {
        $0.hasPrefix("pipewire") || $0.hasPrefix("data-loop")
    }
}
