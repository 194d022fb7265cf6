import Foundation
import TestSupport

/// The `ffmpeg` program, as the reference that files are compared with.
enum FFmpegProgram {
    private static let program = ReferenceProgram("ffmpeg")

    static var isInstalled: Bool { program != nil }

    private static func run(_ arguments: [String], tells: String = "error") throws -> Data {
        guard let program else { throw SupportError("no ffmpeg") }
        return try program.output(["-nostdin", "-v", tells, "-y"] + arguments)
    }

    /// Makes a file of these interleaved samples.
    static func encode(
        _ samples: [Float], channels: Int, rate: Int, _ arguments: [String], to path: String
    ) throws {
        let raw = path + ".f32"
        try samples.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: raw)) }
        let input = ["-f", "f32le", "-ar", "\(rate)", "-ac", "\(channels)", "-i", raw]
        _ = try run(input + arguments + ["-bitexact", path])
    }

    /// Decodes a file to interleaved samples.
    static func decode(_ path: String) throws -> [Float] {
        try run(["-i", path, "-f", "f32le", "-"]).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Frames that it decodes before the end, or before what is damaged.
    static func frames(_ path: String, channels: Int) throws -> Int {
        try run(["-i", path, "-f", "s16le", "-"], tells: "fatal").count / 2 / channels
    }
}
