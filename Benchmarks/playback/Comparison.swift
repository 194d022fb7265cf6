import Foundation
import HeadlessServer

/// A comparison of all players, one after the other, on one server.
struct Comparison {
    let kind: HeadlessServer.Kind
    let programs: [Program]
    let files: BenchFiles
    let runs: Int

    func run() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        say("\n\(kind) \(server.version)")
        say(row("", ["CPU", "server's CPU", "wake-ups", "server's", "peak", "anonymous"]))
        for (format, path) in files.all {
            for program in programs where !program.unreadable.contains(format) {
                try cost(of: program, format: format, path: path, on: server)
            }
        }
        try starts(on: server)
    }

    /// Measures start times only.
    func starts() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        say("\n\(kind) \(server.version)")
        try starts(on: server)
    }

    private func starts(on server: HeadlessServer) throws {
        try server.allowShortCycles()
        let ear = try Ear(server: server.address)
        try starts(ear: ear, on: server)
        try PlayerStart(server: server, ear: ear, file: files.short, runs: runs).run()
    }

    private func cost(of program: Program, format: String, path: String, on server: HeadlessServer) throws {
        let before = Load(of: server.processIDs)
        let child = try Child(program.arguments(for: path), environment: server.environment)
        // Memory is looked at when all that plays is there.
        Thread.sleep(forTimeInterval: 1.5)
        let (peak, anonymous) = (child.peakMemory, child.anonymousMemory)
        let usage = child.wait()
        let load = Load(of: server.processIDs) - before
        let elapsed = (ContinuousClock.now - child.started) / .seconds(1)
        say(
            row(
                "\(format)  \(program.name)",
                [
                    String(format: "%.0f ms", usage.processor * 1000), String(format: "%.0f ms", load.processor * 1000),
                    String(format: "%.1f/s", Double(usage.sleeps) / elapsed),
                    String(format: "%.1f/s", Double(load.sleeps) / elapsed),
                    String(format: "%.1f MB", peak), String(format: "%.1f MB", anonymous),
                ]))
    }

    /// In turns, so that whatever else the machine does hits all.
    private func starts(ear: Ear, on server: HeadlessServer) throws {
        var times = [[Double]](repeating: [], count: programs.count)
        for _ in 0..<runs {
            for (index, program) in programs.enumerated() {
                ear.clear()
                let child = try Child(program.arguments(for: files.short), environment: server.environment)
                if let heard = ear.firstSound(within: 5) {
                    times[index].append((heard - child.started) / .milliseconds(1))
                }
                child.kill()
                _ = child.wait()
            }
        }
        say(row("\nprocess start to first sample", ["median", "least", "most"]))
        for (program, times) in zip(programs, times) { say(row(program.name, milliseconds(times))) }
    }
}

extension HeadlessServer {
    /// Lets PipeWire compute as little at a time as it does on a desktop; private servers keep to the 1024 frames that
    /// it uses in virtual machines, and all that is heard comes at multiples of 21 ms then.
    func allowShortCycles() throws {
        guard kind == .pipeWire, let tool = HeadlessServer.findBinary("pw-metadata") else { return }
        let words = [tool.path, "-n", "settings", "0", "clock.min-quantum", "32"]
        _ = try Child(words, environment: toolEnvironment).wait()
    }
}

/// Prints a line at once, into a file too.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Median, least and most, as text.
func milliseconds(_ times: [Double]) -> [String] {
    let sorted = times.sorted()
    guard let least = sorted.first, let most = sorted.last else { return ["-", "-", "-"] }
    return [sorted[sorted.count / 2], least, most].map { String(format: "%.1f ms", $0) }
}

func row(_ name: String, _ columns: [String]) -> String {
    func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return name + String(repeating: " ", count: max(0, 30 - name.count)) + columns.map { padded($0, 14) }.joined()
}
