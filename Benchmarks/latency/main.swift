import Foundation
import HeadlessServer

// latency-bench [SECONDS [PAIRS [BUSY]]]: the rates and buffers that servers grant for each preference, and their
// underflows, with the library and with a bare client. Each pair is two processes, one after the other, for SECONDS
// (60) each; BUSY (0) processes load the processors meanwhile.
//
// latency-bench ours|bare RATE BUFFER SECONDS: one of them, on the server of the environment.

func run(_ who: String, _ wish: Wish, _ seconds: Double, on server: HeadlessServer) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [who] + wish.arguments + ["\(seconds)"]
    process.environment = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let result = Result(text.trimmingCharacters(in: .newlines)) else { throw BenchError("\(who): \(text)") }
    return result
}

/// Starts a busy loop in a process.
func busyLoop() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "while :; do :; done"]
    try process.run()
    return process
}

func column(_ results: [Result], _ value: (Result) -> Double) -> String {
    let sorted = results.map(value).sorted()
    return String(format: "%.1f ms", sorted[sorted.count / 2] * 1000)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 4, let rate = Int(arguments[1]), let buffer = Double(arguments[2]),
    let seconds = Double(arguments[3])
{
    let wish = Wish(rate: rate, buffer: buffer)
    print(try arguments[0] == "ours" ? ours(wish, seconds: seconds).text : await bare(wish, seconds: seconds).text)
    exit(0)
}
let seconds = arguments.first.flatMap(Double.init) ?? 60
let pairs = arguments.dropFirst().first.flatMap { Int($0) } ?? 5
let busy = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
let loops = try (0..<busy).map { _ in try busyLoop() }
defer { for loop in loops { loop.terminate() } }
let wishes = [Wish(rate: 44_100, buffer: 0), Wish(rate: 44_100, buffer: 0.005), Wish(rate: 96_000, buffer: 0.005)]
for kind in HeadlessServer.Kind.allCases {
    let server = try HeadlessServer.start(kind)
    defer { server.stop() }
    print("\n\(kind) \(server.version), \(pairs) pairs of \(Int(seconds)) s beside \(busy) busy loops:")
    print("granted buffer, latency, underruns")
    for wish in wishes {
        var results: [String: [Result]] = [:]
        for _ in 0..<pairs {
            for who in ["ours", "bare"] { results[who, default: []].append(try run(who, wish, seconds, on: server)) }
        }
        for who in ["ours", "bare"] {
            let all = results[who] ?? []
            let underruns = all.reduce(0) { $0 + $1.underruns }
            let name = "\(wish), \(who)".padding(toLength: 26, withPad: " ", startingAt: 0)
            print(name, column(all) { $0.buffer }, column(all) { $0.latency }, underruns, separator: "  ")
            fflush(nil)
        }
    }
}
