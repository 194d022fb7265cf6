import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// A folder that goes away with its owner.
final class TemporaryFolder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "audio-files-" + UUID().uuidString
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

/// Interleaved 16-bit noise; every value of the range can occur.
func noise16(_ count: Int, seed: UInt64 = 3) -> [Int16] {
    var noise = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Int16.random(in: .min ... .max, using: &noise) }
}

/// Interleaved tones that change all the time, so that no two places sound alike: what a codec can follow.
func sweep(frames: Int, channels: Int, rate: Double = 44100, amplitude: Float = 0.5) -> [Float] {
    var samples = [Float](repeating: 0, count: frames * channels)
    for frame in 0..<frames {
        let time = Double(frame) / rate
        let level = amplitude * Float(0.6 + 0.4 * sin(2 * .pi * 0.7 * time))
        for channel in 0..<channels {
            let phase = 2 * .pi * (200 * Double(channel + 1) * time + 150 * time * time)
            samples[frame * channels + channel] = level * Float(sin(phase))
        }
    }
    return samples
}

extension AudioFileReader {
    /// Reads everything from here, in pieces of an odd size.
    func readAll(limit: Int = .max) throws -> [Float] {
        var result: [Float] = []
        var buffer = [Float](repeating: .nan, count: 3001 * format.channels)
        while result.count / format.channels < limit {
            let count = try read(into: &buffer, frames: 3001)
            if count == 0 { break }
            result += buffer[..<(count * format.channels)]
        }
        return result
    }
}

extension ResamplingReader {
    func readAll() throws -> [Float] {
        var result: [Float] = []
        var buffer = [Float](repeating: .nan, count: 3001 * channels)
        while true {
            let count = try read(into: &buffer, frames: 3001)
            if count == 0 { return result }
            result += buffer[..<(count * channels)]
        }
    }
}

/// A kind of file the writer can make.
struct Kind: Sendable, CustomTestStringConvertible {
    let container: AudioContainer
    let encoding: AudioEncoding
    var rate = 44100.0

    var testDescription: String { "\(encoding) in \(container)" }

    static let integer: [Kind] =
        [AudioContainer.wav, .w64, .rf64].flatMap { container in
            [AudioEncoding.pcmU8, .pcm16, .pcm24, .pcm32].map { Kind(container: container, encoding: $0) }
        }
        + [AudioContainer.aiff, .caf, .au].flatMap { container in
            [AudioEncoding.pcmS8, .pcm16, .pcm24, .pcm32].map { Kind(container: container, encoding: $0) }
        } + [Kind(container: .flac, encoding: .pcm16), Kind(container: .flac, encoding: .pcm24)]
        + [Kind(container: .caf, encoding: .alac16)]
    static let float: [Kind] = [AudioContainer.wav, .aiff, .caf, .w64, .rf64, .au].flatMap { container in
        [AudioEncoding.float32, .float64].map { Kind(container: container, encoding: $0) }
    }
    static let law: [Kind] = [AudioContainer.wav, .aiff, .caf, .w64].flatMap { container in
        [AudioEncoding.ulaw, .alaw].map { Kind(container: container, encoding: $0) }
    }
    static let lossy = [
        Kind(container: .ogg, encoding: .vorbis), Kind(container: .ogg, encoding: .opus, rate: 48000),
        Kind(container: .mpeg, encoding: .mp3),
    ]
    static let all = integer + float + law + lossy

    /// What needs FFmpeg to be written.
    static let alac =
        [AudioContainer.mpeg4, .caf].flatMap { container in
            [AudioEncoding.alac16, .alac24].map { Kind(container: container, encoding: $0) }
        }
    static let aac = [AudioContainer.mpeg4, .caf, .adts].map { Kind(container: $0, encoding: .aac) }
    static let packets = alac + aac + [Kind(container: .caf, encoding: .imaADPCM)]

    /// Whether the writer's libraries are here: FFmpeg's may be missing at building and at running.
    static let hasFFmpeg: Bool = {
        let request = Kind(container: .mpeg4, encoding: .aac)
        let path = NSTemporaryDirectory() + "audio-files-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        return (try? request.writer(path, channels: 1)) != nil
    }()

    func writer(_ path: String, channels: Int) throws -> AudioFileWriter {
        try AudioFileWriter(path: path, container: container, encoding: encoding, sampleRate: rate, channels: channels)
    }

    /// A file with these samples.
    func write(_ samples: [Float], channels: Int, to path: String) throws {
        let writer = try writer(path, channels: channels)
        try writer.write(float: samples, frames: samples.count / channels)
        try writer.close()
    }
}

/// An MP3 file of libsndfile's without the index that it begins with.
func withoutIndex(_ file: [UInt8]) throws -> [UInt8] {
    let header = try #require(MPEGFrameHeader(file))
    _ = try #require(MPEGStreamIndex(Array(file.prefix(header.length)), header)?.frames)
    return Array(file[header.length...])
}

func bytes(_ path: String) -> [UInt8] { [UInt8](FileManager.default.contents(atPath: path) ?? Data()) }

/// The largest difference; infinite if the lengths differ.
func difference(_ first: some Collection<Float>, _ second: some Collection<Float>) -> Float {
    first.count == second.count ? zip(first, second).reduce(0) { max($0, abs($1.0 - $1.1)) } : .infinity
}

/// Calls `body` and gives the error's kind; nil if it threw nothing.
func failure<T>(_ body: () throws -> T) -> AudioFileError.Kind? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? AudioFileError)?.kind
    }
}
