import Foundation
import TestSupport

/// The `ffmpeg` program, as the reference that files are compared with.
enum FFmpegProgram {
    private static let location: URL? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return folders.map { URL(fileURLWithPath: "\($0)/ffmpeg") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    static var isInstalled: Bool { location != nil }

    /// Runs it to its end and expects success.
    private static func run(_ arguments: [String]) throws {
        guard let location else { throw SupportError("no ffmpeg") }
        let process = Process()
        process.executableURL = location
        process.arguments = ["-nostdin", "-v", "error", "-y"] + arguments
        let problems = Pipe()
        process.standardError = problems
        try process.run()
        let text = String(decoding: problems.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SupportError("ffmpeg \(arguments): \(text)") }
    }

    /// Makes a file of these interleaved samples.
    static func encode(
        _ samples: [Float], channels: Int, rate: Int, _ arguments: [String], to path: String
    ) throws {
        let raw = path + ".f32"
        try samples.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: raw)) }
        try run(["-f", "f32le", "-ar", "\(rate)", "-ac", "\(channels)", "-i", raw] + arguments + ["-bitexact", path])
    }

    /// Decodes a file to interleaved samples.
    static func decode(_ path: String, _ folder: TemporaryFolder) throws -> [Float] {
        let raw = folder.file("decoded.f32")
        try run(["-i", path, "-f", "f32le", raw])
        let data = try Data(contentsOf: URL(fileURLWithPath: raw))
        return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Frames that it decodes before the end, or before what is damaged.
    static func frames(_ path: String, channels: Int) throws -> Int {
        guard let location else { throw SupportError("no ffmpeg") }
        let process = Process()
        process.executableURL = location
        process.arguments = ["-nostdin", "-v", "fatal", "-i", path, "-f", "s16le", "-"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let count = output.fileHandleForReading.readDataToEndOfFile().count
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SupportError("ffmpeg cannot read \(path)") }
        return count / 2 / channels
    }
}
