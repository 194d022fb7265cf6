import Foundation
import Glibc
import Locks
import SessionHistory

/// Clocks that a test sets.
final class TestClocks: Sendable {
    private let times: Guarded<(wall: Double, boot: Double)>

    init(wall: Double = 1_790_000_000, boot: Double = 1_000) { times = Guarded((wall, boot)) }

    var clocks: HistoryClocks {
        HistoryClocks(
            wall: { self.times.withLock { $0.wall } }, monotonic: { self.times.withLock { $0.boot } },
            sinceBoot: { self.times.withLock { $0.boot } }, boot: "boot")
    }

    var now: Moment { clocks.now }

    /// Lets time pass on all clocks.
    func pass(_ seconds: Double) { times.withLock { $0 = ($0.wall + seconds, $0.boot + seconds) } }

    /// Sets the wall clock forward or back.
    func jump(_ seconds: Double) { times.withLock { $0.wall += seconds } }
}

/// A folder of its own for a history, deleted at the end.
func withFolder(_ body: (HistoryFolder) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(HistoryFolder(path))
}

extension HistoryFolder {
    /// The sizes of the files of events, by name.
    var sizes: [String: Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let files = names.filter { $0.hasSuffix(".jsonl") }
        return Dictionary(
            uniqueKeysWithValues: files.map { name in
                let size = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int
                return (name, size ?? 0)
            })
    }

    /// The permission bits of the folder or of a file in it.
    func mode(of name: String = "") -> mode_t {
        var status = stat()
        stat(path + "/" + name, &status)
        return status.st_mode & 0o777
    }
}

/// Events of a story at some seconds of one boot.
struct Script {
    private(set) var events: [HistoryEvent] = []

    mutating func at(_ seconds: Double, _ name: String, _ fields: [String: HistoryValue] = [:]) {
        events.append(HistoryEvent(name, at: Self.moment(seconds), fields))
    }

    /// An event of a session, whose process and client have the same number.
    mutating func at(
        _ seconds: Double, _ name: String, _ app: String, _ number: Double, _ fields: [String: HistoryValue] = [:]
    ) {
        let identity: [String: HistoryValue] = [
            "app": .text(app), "pid": .number(number), "client": .number(number), "host": .text("stue"),
        ]
        at(seconds, name, identity.merging(fields) { $1 })
    }

    static func moment(_ seconds: Double) -> Moment {
        Moment(wall: 1_790_000_000 + seconds, monotonic: 1_000 + seconds, boot: "boot")
    }

    var story: Story { StoryFold.story(of: events) }
}

extension Story {
    func track(_ name: String) -> Track? { tracks.first { $0.name == name } }
}

extension Track {
    /// The spans in short: state, beginning, end and ending.
    var summary: [String] {
        spans.map { span in
            let start = span.begin.monotonic - 1_000
            let end = span.end.map { "\($0.monotonic - 1_000)" } ?? "…"
            return "\(span.state.rawValue) \(start)-\(end) \(span.ending.rawValue)"
        }
    }
}
