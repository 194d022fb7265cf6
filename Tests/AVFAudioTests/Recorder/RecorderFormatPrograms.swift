import Foundation
import TestSupport

/// `ffprobe` and `soxi`, where they are installed, as others who look at our files.
enum OtherPrograms {
    private static let ffprobe = ReferenceProgram("ffprobe")
    private static let soxi = ReferenceProgram("soxi")

    private static func run(_ program: ReferenceProgram, _ arguments: [String]) throws -> String {
        String(decoding: try program.output(arguments), as: UTF8.self)
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
