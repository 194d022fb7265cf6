import AudioFiles
import Foundation
import SoundAnalysis

/// The played and the recorded file, measured in the same way.
struct DemoReport {
    private let played: Row
    private let recorded: Row

    /// Reads both files, in any format that libsndfile knows.
    init(played: String, recorded: String) throws {
        self.played = try Row(name: "played", path: played)
        self.recorded = try Row(name: "recorded", path: recorded)
    }

    /// Whether the recording contains sound.
    var isHeard: Bool { recorded.sound != nil }

    /// A line for each file; levels are of the sound's peak, gaps are silences of 5 ms or more within it.
    var table: String {
        let head = ["", "file", "seconds", "sound", "rate", "level", "frequency", "gaps"]
        let rows = [head, played.cells, recorded.cells]
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// The played file above the recorded one: levels on the left, the waveform of the first 10 ms on the right.
    func picture() -> Data {
        var canvas = Canvas(width: 1_100, height: 510)
        let sounds = [played, recorded].map { row in row.sound.map { row.recording[$0] } ?? row.recording }
        let colors: [Color] = [(43, 108, 176), (192, 86, 33)]
        let seconds = max(sounds.map(\.duration).max() ?? 0, 0.01)
        let step = max(1, Int(seconds / 10))
        for (index, row) in [played, recorded].enumerated() {
            let rows = index == 0 ? 70..<210 : 310..<450
            let (sound, color, isLast) = (sounds[index], colors[index], index == 1)
            guard let samples = sound.channels.first else { continue }
            let levels = Chart(columns: 90..<640, rows: rows, seconds: seconds)
            canvas.write(row.name, column: 102, top: rows.lowerBound - 32, color: color)
            levels.drawDecibels(on: &canvas)
            levels.drawLevel(samples[...], rate: sound.sampleRate, start: 0, color: color, on: &canvas)
            levels.drawTime(unit: isLast ? "seconds" : "", step: step, on: &canvas)

            let wave = Chart(columns: 700..<1_070, rows: rows, seconds: 0.01)
            let first = samples.prefix(sound.sampleRate / 100)
            let peak = first.reduce(Float(0)) { max($0, abs($1)) }
            let loudness = peak > 0 ? String(format: ", %.1f dBFS", 20 * log10(peak)) : ""
            canvas.write("the first 10 ms" + loudness, column: 700, top: rows.lowerBound - 32, color: color)
            wave.drawWave(first, rate: sound.sampleRate, fullScale: peak / 0.9, color: color, on: &canvas)
            wave.drawTime(unit: isLast ? "milliseconds" : "", seconds: 0.001, step: 2, on: &canvas)
        }
        return canvas.png
    }
}

/// One sound file and its measures.
private struct Row {
    let name: String
    let path: String
    let recording: Recording
    let sound: Range<Int>?

    init(name: String, path: String) throws {
        self.name = name
        self.path = path
        recording = try Recording(file: path)
        sound = recording.soundRange()
    }

    var cells: [String] {
        let file = [name, path, String(format: "%.3f", recording.duration)]
        let rate = "\(recording.sampleRate) Hz"
        guard let sound else { return file + ["none", rate, "-", "-", "-"] }
        let seconds = Double(sound.count) / Double(recording.sampleRate)
        let gaps = recording.gaps(minimumFrames: recording.sampleRate / 200)
        let first = gaps.first.map { gap in
            let start = Double(gap.lowerBound - sound.lowerBound) / Double(recording.sampleRate)
            let length = 1_000 * Double(gap.count) / Double(recording.sampleRate)
            return String(format: " (%.0f ms at %.2f s)", length, start)
        }
        // Only a tone has one frequency.
        let tone = recording.frequency(sound).flatMap { frequency in
            abs(recording.level(ofFrequency: frequency, sound) - recording.peakLevel(sound)) < 1 ? frequency : nil
        }
        return file + [
            String(format: "%.3f s", seconds), rate, String(format: "%.2f dBFS", recording.peakLevel(sound)),
            tone.map { String(format: "%.1f Hz", $0) } ?? "no single one",
            "\(gaps.count)\(first ?? "")",
        ]
    }
}

extension Recording {
    /// Everything in a file of any format that libsndfile knows.
    init(file path: String) throws {
        let reader = try AudioFileReader(path: path)
        let channels = reader.format.channels
        var samples: [Float] = []
        var buffer = [Float](repeating: 0, count: 4_096 * channels)
        while true {
            let frames = try buffer.withUnsafeMutableBufferPointer { try reader.frames(into: $0, channels) }
            if frames == 0 { break }
            samples += buffer[..<(frames * channels)]
        }
        self.init(float: samples, sampleRate: Int(reader.format.sampleRate), channels: channels)
    }
}

extension AudioFileReader {
    fileprivate func frames(into buffer: UnsafeMutableBufferPointer<Float>, _ channels: Int) throws -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        return try read(into: start, frames: buffer.count / channels)
    }
}
