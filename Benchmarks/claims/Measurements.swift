import Foundation
import HeadlessServer
import PulseClient

/// One line of the table, in milliseconds.
struct Row {
    static let heading = line("", "what", "median", "p99", "most", "of", "target p99")

    static func print(_ kind: HeadlessServer.Kind, _ what: String, _ times: [UInt64], target: String = "") {
        let sorted = times.sorted().map { Double($0) / 1e6 }
        guard let most = sorted.last else { return }
        func percentile(_ part: Double) -> String {
            String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
        }
        let name = kind == .pulseAudio ? "PulseAudio" : "PipeWire"
        let worst = String(format: "%.2f", most)
        Swift.print(line(name, what, percentile(0.5), percentile(0.99), worst, "\(times.count)", target))
        fflush(nil)
    }

    private static func line(_ kind: String, _ what: String, _ numbers: String...) -> String {
        let padded = numbers.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
        return kind.padding(toLength: 11, withPad: " ", startingAt: 0)
            + what.padding(toLength: 56, withPad: " ", startingAt: 0) + padded
    }
}

/// A run in which sessions interrupt one another in turn, beside idle ones.
struct Rounds {
    let kind: HeadlessServer.Kind
    /// The number of connected sessions.
    let sessions: Int
    /// The number of sessions that take turns.
    let active: Int
    let count: Int

    func run() throws {
        let target = Double(sessions == 5 ? 5 : 15) * (kind == .pulseAudio ? 1 : 2)
        let stopped = try measure("host")
        let told = try measure("app")
        let who = active == sessions ? "\(sessions) sessions" : "\(sessions) sessions, \(sessions - active) idle"
        Row.print(kind, "setActive(true), \(who)", told.calls, target: "10")
        Row.print(kind, "claim -> the other's sound stopped, \(who)", stopped.reached, target: "\(Int(target))")
        Row.print(kind, "claim -> the other's app is told, \(who)", told.reached)
    }

    private func measure(_ role: String) throws -> (calls: [UInt64], reached: [UInt64]) {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        let crowd = try Crowd(sessions, as: role, on: server)
        try crowd.order("activate", of: active - 1)
        var (calls, reached): ([UInt64], [UInt64]) = ([], [])
        for round in 0..<count {
            // People do not start apps faster than that, and a session that changes more than twenty times a second is
            // asked about less often.
            usleep(100_000)
            let before = crowd.processes[(round + active - 1) % active].processIdentifier
            let (start, end) = try crowd.order("activate", of: round % active)
            let began = try crowd.next { $0.process == before && $0.event == "began" }
            calls.append(end - start)
            reached.append(began.times[0] - min(start, began.times[0]))
        }
        return (calls, reached)
    }
}

/// The time of a process's first setActive beside a number of connected sessions: it connects and fetches their claims.
struct First {
    let kind: HeadlessServer.Kind
    let sessions: Int
    let count: Int

    func run() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        let crowd = try Crowd(sessions - 1, as: "app", on: server)
        var times: [UInt64] = []
        for _ in 0..<count {
            usleep(100_000)
            let (start, end) = try Crowd(1, as: "fresh", on: server).order("activate", of: 0)
            times.append(end - start)
        }
        withExtendedLifetime(crowd) {}
        Row.print(kind, "the first setActive(true) of the \(sessions)th", times)
    }
}

/// The cost to an active session of four programs that change 4 KB of a claim a thousand times a second.
struct Flood {
    let kind: HeadlessServer.Kind

    init(on kind: HeadlessServer.Kind) { self.kind = kind }

    func run() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        let crowd = try Crowd(1, as: "app", on: server)
        try crowd.order("activate", of: 0)
        let flooders = try (0..<4).map { _ in
            let connection = try PulseConnection(name: "flooder")
            try connection.sync { connection throws(PulseError) in try connection.connectAndWait(to: server.address) }
            return connection
        }
        let (before, start) = (crowd.processorTime(of: 0), now())
        let padding = String(repeating: "x", count: 4096)
        for count in 0..<3000 {
            for flooder in flooders {
                flooder.sync { $0.updateProperties(["avaudiosession.claim": "\(count);\(padding)"]) }
            }
            usleep(1000)
        }
        let seconds = Double(now() - start) / 1e9
        let share = (crowd.processorTime(of: 0) - before) / seconds * 100
        let name = kind == .pulseAudio ? "PulseAudio" : "PipeWire"
        print(
            "\(name) four peers change 4 KB \(Int(3000 / seconds)) times a second: the session takes",
            String(format: "%.1f %% of a processor", share))
    }
}
