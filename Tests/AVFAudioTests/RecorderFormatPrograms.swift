import Foundation
import TestSupport

/// `ffprobe` and `soxi`, where they are installed, as others who look at our files.
enum OtherPrograms {
    private static func location(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private static let ffprobe = location("ffprobe")
    private static let soxi = location("soxi")

    private static func run(_ program: URL, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw SupportError("\(program.lastPathComponent) \(arguments): \(problem)")
        }
        return text
    }

    /// What `ffprobe` says of the sound in a file; nil where it is not installed.
    static func ffprobe(_ path: String) throws -> [String: String]? {
        guard let ffprobe else { return nil }
        let entries = "stream=codec_name,sample_rate,channels,bits_per_sample,bits_per_raw_sample,duration"
        let text = try run(
            ffprobe, ["-v", "error", "-show_entries", entries, "-of", "default=noprint_wrappers=1", path])
        let pairs = text.split(whereSeparator: \.isNewline).map { line in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            return (parts.first ?? "", parts.last ?? "")
        }
        return Dictionary(pairs) { $1 }
    }

    /// Rate, channels, frames and bits as `soxi` says them; nil where it is not installed.
    static func soxi(_ path: String) throws -> (rate: Int, channels: Int, frames: Int, bits: Int)? {
        guard let soxi else { return nil }
        let numbers = try ["-r", "-c", "-s", "-b"].map {
            Int(try run(soxi, [$0, path]).trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
        }
        return (numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
