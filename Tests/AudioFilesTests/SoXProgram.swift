import Foundation
import TestSupport

@testable import AudioFiles

/// The `sox` program, as a second opinion on files.
enum SoXProgram {
    private static let sox = ReferenceProgram("sox")

    static var isInstalled: Bool { sox != nil }

    /// The types of file that it was built for.
    private static let types: Set<String> = {
        guard let help = try? sox?.output(["-h"]) else { return [] }
        let text = String(decoding: help, as: UTF8.self)
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

    /// Makes a file of one of its types from 16-bit samples; nil where it was not built for that type.
    static func encode(_ samples: [Int16], channels: Int, rate: Int, type: String, to path: String) throws -> Bool {
        guard let sox, types.contains(type) else { return false }
        let raw = path + ".s16"
        try samples.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: raw)) }
        let input = ["-V1", "-D", "-t", "s16", "-r", "\(rate)", "-c", "\(channels)", raw]
        _ = try sox.output(input + ["-t", type, path])
        return true
    }

    /// Decodes a file of one of its types to 16-bit samples.
    static func decode(_ path: String, type: String) throws -> [Int16] {
        guard let sox else { throw SupportError("no sox") }
        return try sox.output(["-V1", "-D", "-t", type, path, "-t", "s16", "-"])
            .withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    /// Frames that it decodes.
    static func frames(_ path: String, _ container: AudioContainer, channels: Int) throws -> Int {
        guard let sox else { throw SupportError("no sox") }
        let arguments = ["-V1", "-t", type(container, path), path, "-t", "s16", "-"]
        return try sox.output(arguments).count / 2 / channels
    }
}
