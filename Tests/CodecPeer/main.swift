import AudioFiles
import Foundation

// A program that encodes and decodes, for tests that run it with the libraries of another release. Each call prints one
// line: the FFmpeg that was loaded, and what was found.
//
//   codec-peer encode FILE ENCODING      writes a second of a tone, 440 Hz at half of full scale, in stereo
//   codec-peer decode FILE               reads it

let rate = 44_100

/// The libavcodec in the process, with its major version; "none" without one.
func loadedLibrary() -> String {
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps").flatMap { try? $0.readToEnd() } ?? Data()
    let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
    let names = lines.compactMap { $0.split(separator: "/").last }
    guard let name = names.first(where: { $0.hasPrefix("libavcodec.so.") }) else { return "none" }
    return name.split(separator: ".").prefix(3).joined(separator: ".")
}

func encode(_ path: String, _ encoding: AudioEncoding) throws {
    let container: AudioContainer = path.hasSuffix(".aac") ? .adts : path.hasSuffix(".caf") ? .caf : .mpeg4
    let writer = try AudioFileWriter(
        path: path, container: container, encoding: encoding, sampleRate: Double(rate), channels: 2)
    let samples = (0..<rate).flatMap { frame in
        let sample = Float(0.5 * sin(2 * .pi * 440 * Double(frame) / Double(rate)))
        return [sample, sample]
    }
    try writer.write(float: samples, frames: rate)
    try writer.finish()
    print("\(loadedLibrary()) wrote \(writer.framesWritten)")
}

func decode(_ path: String) throws {
    let reader = try AudioFileReader(path: path)
    var left: [Double] = []
    var buffer = [Float](repeating: 0, count: 4096 * reader.format.channels)
    while true {
        let count = try reader.read(into: &buffer, frames: 4096)
        if count == 0 { break }
        left += (0..<count).map { Double(buffer[$0 * reader.format.channels]) }
    }
    // The encoder's run-in is not judged.
    let sound = left.enumerated().dropFirst(4096)
    let power = sound.reduce(0) { $0 + $1.1 * $1.1 } / Double(max(sound.count, 1))
    let format = reader.format
    print(
        "\(loadedLibrary()) read \(left.count) of \(format.encoding) in \(format.container), \(format.channels) channels,"
            + " power \(String(format: "%.4f", power))")
}

let arguments = CommandLine.arguments
let encodings: [String: AudioEncoding] = ["aac": .aac, "alac16": .alac16, "alac24": .alac24, "imaADPCM": .imaADPCM]
do {
    switch arguments.dropFirst().first {
    case "encode" where arguments.count == 4:
        guard let encoding = encodings[arguments[3]] else { exit(64) }
        try encode(arguments[2], encoding)
    case "decode" where arguments.count == 3: try decode(arguments[2])
    default: exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("codec-peer: \(error)\n".utf8))
    exit(1)
}
