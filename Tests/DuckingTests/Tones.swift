import Foundation
import SoundAnalysis
import TestSupport

/// Every program of these tests plays a sine of a frequency of its own, so that one recording tells all of their
/// levels.
///
/// Frequencies are whole hundreds of Hz: a window of 10 ms holds whole periods of each, so that none is heard in
/// another's.
enum Tone {
    /// The peak level that everybody plays at, in dBFS; five of them together stay below full scale.
    static let level = -18.0
    /// The level when lowered by the default 20 dB, in dBFS.
    static let lowered = -38.0
    /// Hertz: who plays what.
    static let player = 500.0
    static let music = 1_000.0
    static let native = 1_500.0
    static let prompt = 2_000.0
    static let reader = 3_000.0

    /// A WAV file of a tone in a folder, written once; it can be repeated without a seam.
    static func file(_ frequency: Double, seconds: Int, in folder: URL) throws -> URL {
        let file = folder.appendingPathComponent("tone-\(Int(frequency))-\(seconds).wav")
        if FileManager.default.fileExists(atPath: file.path) { return file }
        let second = TestSignal.sine(frequency: frequency, level: level, seconds: 1)
        // A second at a time: `joined()` takes a sanitizer minutes.
        var samples: [Int16] = []
        for _ in 0..<seconds { samples += second.samples }
        return try TestSignal(samples: samples).writeWAV(to: file)
    }
}

extension Recording {
    /// The peak level of a frequency in each 10 ms, in dBFS.
    func envelope(_ frequency: Double) -> [Double] {
        let window = sampleRate / 100
        return (0..<frames / window).map { level(ofFrequency: frequency, $0 * window..<($0 + 1) * window) }
    }

    /// The level of a frequency that half of the windows of 10 ms exceed: a hole that a busy machine tears is left out.
    func steadyLevel(_ frequency: Double) -> Double { envelope(frequency).median }
}

extension [Double] {
    /// The one in the middle; -infinity of none.
    var median: Double { isEmpty ? -.infinity : sorted()[count / 2] }
}
