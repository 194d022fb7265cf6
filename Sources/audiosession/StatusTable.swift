import CommandLineSupport
import PulseClient
import SessionPolicy
import SoundHost

/// The table of a server's route, sessions and streams, for people.
struct StatusTable {
    private let snapshot: ServerSnapshot
    private var state: ServerState { snapshot.state }

    init(_ snapshot: ServerSnapshot) { self.snapshot = snapshot }

    /// The lines of the table.
    func lines(on paper: Paper) -> [String] {
        // A line that is longer than the terminal is wide would be two, and what is drawn over it out of place.
        let room = paper.size?.columns ?? .max
        var lines = [
            paper.tinted(snapshot.serverTitle.withoutControls.cut(toColumns: room), .faint),
            ("output  " + (snapshot.defaultSink.map { title($0.description, $0.name) } ?? "none")).cut(toColumns: room),
            ("input   " + (snapshot.defaultSource.map { title($0.description, $0.name) } ?? "none")).cut(
                toColumns: room),
            "",
        ]
        let longest = paper.longestName
        lines += state.participants.isEmpty ? ["No sessions."] : sessions(longest).lines(on: paper)
        if !state.foreignStreams.isEmpty { lines += [""] + streams(longest, paper.longestDevice).lines(on: paper) }
        return lines
    }

    private func title(_ description: String, _ name: String) -> String {
        (description.isEmpty || description == name ? name : "\(description) (\(name))").withoutControls
    }

    // MARK: Sessions

    private func sessions(_ longest: Int) -> TextTable {
        let isSpread = state.participants.contains { !$0.claim.host.isEmpty && $0.claim.host != state.host }
        var table = TextTable("SESSION", isSpread ? "PROCESS" : "PID", "AGE", "CATEGORY", "MODE", "STATE", "OPTIONS")
        for participant in state.participants {
            let claim = participant.claim
            let process =
                (claim.pid > 0 ? "\(claim.pid)" : "-") + (isSpread ? "@\(claim.host.cut(toColumns: longest))" : "")
            table.add([
                .init(state.name(of: participant.id).cut(toColumns: longest), .bold), .init(process),
                .init(age(of: claim)), .init(claim.settings.category.name), .init(claim.settings.mode.name),
                state(of: participant, longest),
                .init(claim.settings.optionNames.joined(separator: " "), .faint),
            ])
        }
        return table
    }

    private func age(of claim: Claim) -> String {
        guard claim.host == state.host, claim.pid > 0, let process = ProcessGlance(claim.pid) else { return "-" }
        let seconds = Int(process.age)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m"
        case ..<86_400: return "\(seconds / 3600)h"
        default: return "\(seconds / 86_400)d"
        }
    }

    private func state(of participant: Participant, _ longest: Int) -> TextTable.Cell {
        let condition = state.condition(of: participant)
        let reasons = state.hindrances(of: participant).map { words($0, longest) }
        let text = ([condition.rawValue] + reasons).joined(separator: ", ")
        switch condition {
        case .active where reasons.isEmpty: return .init(text, .green)
        case .active, .interrupted: return .init(text, .yellow)
        case .idle, .stopped: return .init(text, .faint)
        }
    }

    private func words(_ hindrance: ServerState.Hindrance, _ longest: Int) -> String {
        func name(_ id: UInt32) -> String { state.name(of: id).cut(toColumns: longest) }
        return switch hindrance {
        case .session(let id, _): "by \(name(id))"
        case .foreignCall(let stream):
            "by \(state.name(of: stream).cut(toColumns: longest)) (\(stream.role?.cut(toColumns: longest) ?? "call"))"
        case .unseen: "may resume"
        case .ducking(let id): "ducked by \(name(id))"
        case .recording(let id): "muted by \(name(id))"
        }
    }

    // MARK: Streams

    private func streams(_ longest: Int, _ longestDevice: Int) -> TextTable {
        var table = TextTable("STREAM", "PROGRAM", "PID", "ROLE", "STATE", "DEVICE", "TITLE")
        for stream in state.foreignStreams {
            table.add([
                .init("\(stream.direction == .playback ? "out" : "in") \(stream.index)"),
                .init(state.name(of: stream).cut(toColumns: longest), .bold),
                .init(stream.pid.map { "\($0)" } ?? "-"), .init(stream.role?.cut(toColumns: longest) ?? "-"),
                .init(stream.condition, stream.soundsLikeCall ? .yellow : stream.isCorked ? .faint : .green),
                .init(snapshot.deviceName(of: stream)?.cut(toColumns: longestDevice) ?? "-"),
                .init(stream.title ?? "", .faint),
            ])
        }
        return table
    }
}

extension SessionSettings {
    /// The options in force, as spelled in Swift.
    var optionNames: [String] { CategoryOptions.names.filter { options.contains($0.option) }.map(\.name) }
}

extension ServerSnapshot {
    /// The server's name and version, for people.
    var serverTitle: String { server.isPipeWire ? server.name : "PulseAudio \(server.version)" }

    /// The name of the device that a stream is connected to.
    func deviceName(of stream: ServerStream) -> String? {
        switch stream.direction {
        case .playback: sinks.first { $0.index == stream.device }?.name
        case .capture: sources.first { $0.index == stream.device }?.name
        }
    }
}
