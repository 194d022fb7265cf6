import AudioFiles
import Foundation
import SoundAnalysis

/// The same sound in each format, in a folder that goes with ``remove()``.
struct BenchFiles {
    /// Name of the format and path.
    private(set) var all: [(format: String, path: String)] = []
    /// A second of WAV.
    let short: String
    private let folder: URL

    init(seconds: Double) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("playback-bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        short = folder.appendingPathComponent("short.wav").path
        try TestSignal.sine(level: -20, seconds: 1).writeWAV(to: URL(fileURLWithPath: short))
        let music = TestSignal.sine(frequency: 440, level: -20, seconds: seconds)
        let formats: [(String, AudioContainer, AudioEncoding)] = [
            ("wav", .wav, .pcm16), ("flac", .flac, .pcm16), ("mp3", .mpeg, .mp3), ("m4a", .mpeg4, .aac),
        ]
        for (name, container, encoding) in formats {
            let path = folder.appendingPathComponent("long.\(name)").path
            do {
                let writer = try AudioFileWriter(
                    path: path, container: container, encoding: encoding, sampleRate: Double(music.sampleRate),
                    channels: music.channels)
                try music.samples.withUnsafeBufferPointer { samples in
                    if let start = samples.baseAddress { try writer.write(int16: start, frames: music.frames) }
                }
                try writer.close()
                all.append((name, path))
            } catch {
                say("no \(name): \(error)")
            }
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
