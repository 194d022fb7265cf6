import Foundation
import TestSupport

@testable import AudioFiles

/// The `sox` program, as a second opinion on files.
enum SoXProgram {
    private static func location(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private static let sox = location("sox")

    static var isInstalled: Bool { sox != nil }

    /// The types of file that it was built for.
    private static let types: Set<String> = {
        guard let sox else { return [] }
        let process = Process()
        process.executableURL = sox
        process.arguments = ["-h"]
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return [] }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.hasPrefix("AUDIO FILE FORMATS:") } ?? ""
        return Set(line.split(separator: " ").map(String.init))
    }()

    /// Whether it reads such files: it knows no MPEG-4, no packets in CAF, no RF64, and little of what AIFC can hold.
    static func knows(_ container: AudioContainer, _ encoding: AudioEncoding) -> Bool {
        let type = container == .ogg ? encoding.rawValue : container.rawValue
        guard types.contains(type) else { return false }
        return switch container {
        case .aiff, .aifc: encoding.isIntegerPCM || encoding == .float32
        case .caf: encoding != .imaADPCM && !needFFmpeg.contains(encoding)
        default: true
        }
    }

    private static let needFFmpeg: Set<AudioEncoding> = [.alac16, .alac20, .alac24, .alac32, .aac]

    /// How it calls the type of file, where the name does not tell.
    private static func type(_ container: AudioContainer, _ path: String) -> String {
        guard container == .ogg else { return container.rawValue }
        let head = FileManager.default.contents(atPath: path)?.prefix(64) ?? Data()
        return head.range(of: Data("OpusHead".utf8)) == nil ? "vorbis" : "opus"
    }

    /// Frames that it decodes.
    static func frames(_ path: String, _ container: AudioContainer, channels: Int) throws -> Int {
        guard let sox else { throw SupportError("no sox") }
        let process = Process()
        process.executableURL = sox
        process.arguments = ["-V1", "-t", type(container, path), path, "-t", "s16", "-"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let count = output.fileHandleForReading.readDataToEndOfFile().count
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SupportError("sox cannot read \(path)") }
        return count / 2 / channels
    }
}
