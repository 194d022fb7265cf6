import Foundation
import SoundAnalysis
import TestSupport
import Testing

@testable import TimeStretch

@Suite(.limited) struct TimeStretchTests {
    private let rate = 48_000

    /// All of the output, written and read in pieces of the given sizes.
    private func stretched(
        _ samples: [Float], channels: Int = 1, by factor: Double, writing: Int = 2048, reading: Int = 777
    ) -> [Float] {
        let stretch = TimeStretch(sampleRate: Double(rate), channels: channels, rate: factor)
        var output: [Float] = []
        var buffer = [Float](repeating: .nan, count: reading * channels)
        func drain() {
            while case let count = stretch.read(into: &buffer, frames: reading), count > 0 {
                output += buffer[..<(count * channels)]
            }
        }
        for start in stride(from: 0, to: samples.count, by: writing * channels) {
            let part = Array(samples[start..<min(start + writing * channels, samples.count)])
            stretch.write(part, frames: part.count / channels)
            drain()
        }
        stretch.finish()
        drain()
        return output
    }

    private func tone(_ frequencies: Double..., seconds: Double, level: Double = 0.25) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { frame -> Float in
            let angle = 2 * Double.pi * Double(frame) / Double(rate)
            return Float(frequencies.map { level * sin($0 * angle) }.reduce(0, +))
        }
    }

    @Test(
        "A tone keeps its frequency, is as long as the rate says, and has no click",
        arguments: [0.5, 0.7, 0.99, 1.25, 1.5, 2], [110, 440, 1000, 5000.5])
    func pitch(factor: Double, frequency: Double) throws {
        let sound = stretched(tone(frequency, seconds: 4), by: factor)
        #expect(sound.count == Int((4 * Double(rate) / factor).rounded()))
        let heard = Recording(float: sound, sampleRate: rate, channels: 1)
        let range = 0..<heard.frames - rate / 10
        let found = try #require(heard.frequency(range))
        #expect(abs(found - frequency) < (frequency > 1000 ? 1 : 0.2), "\(found)")
        // A sample between two samples cannot be aligned to: the higher the tone, the more a seam shows.
        #expect(heard.discontinuities(frequency: frequency, tolerance: 0.01, in: range).isEmpty)
        #expect(abs(heard.peakLevel(range) - -12.04) < 0.5 && abs(heard.rmsLevel(range) - -15.05) < 0.3)
    }

    @Test("What is written behind the end is left out", arguments: [0.5, 1.5, 2])
    func writtenTooLate(factor: Double) {
        let sound = tone(440, seconds: 1)
        let stretch = TimeStretch(sampleRate: Double(rate), channels: 1, rate: factor)
        let length = Int((Double(rate) / factor).rounded())
        var buffer = [Float](repeating: 0, count: length + rate)
        stretch.write(sound, frames: sound.count)
        var count = stretch.read(into: &buffer, frames: length)
        stretch.finish()
        stretch.write(sound, frames: sound.count)
        count += stretch.read(into: &buffer, frames: buffer.count)
        #expect(count == length)
    }

    @Test("Every note of a chord is kept, and the chord's loudness", arguments: [0.5, 0.8, 1.25, 2])
    func chord(factor: Double) {
        let notes = [220.0, 277.18, 329.63, 440, 1318.5]
        let samples = (0..<6 * rate).map { frame -> Float in
            let angle = 2 * Double.pi * Double(frame) / Double(rate)
            return Float(notes.reduce(0.0) { (sum: Double, note: Double) in sum + 0.1 * sin(note * angle + note) })
        }
        let heard = Recording(float: stretched(samples, by: factor), sampleRate: rate, channels: 1)
        for note in notes {
            // A second at a time: the phase of each tone wanders.
            let levels = (0..<heard.frames / rate - 1).map { second -> Double in
                let first = second * rate
                return heard.level(ofFrequency: note, first..<first + rate / 4)
            }
            let mean = levels.reduce(0, +) / Double(levels.count)
            // The joins cannot suit all notes: the more is left out, the more they waver.
            #expect(abs(mean - -20) < (factor > 1.5 ? 8 : 3), "\(note) Hz: \(levels)")
        }
        #expect(abs(heard.rmsLevel() - -16.02) < 1)
    }

    @Test(
        "However long the sound, it is never more than 35 ms from where the rate says", arguments: [0.5, 0.9, 1.3, 2])
    func places(factor: Double) throws {
        // The frequency tells the place: 200 Hz more with every second.
        let frames = 20 * rate
        let samples = (0..<frames).map { frame -> Float in
            let time = Double(frame) / Double(rate)
            let periods = 300 * time + 100 * time * time
            return Float(0.5 * sin(2 * Double.pi * periods))
        }
        let heard = Recording(float: stretched(samples, by: factor), sampleRate: rate, channels: 1)
        for second in stride(from: 0.5, to: Double(heard.frames) / Double(rate) - 0.5, by: 1.3) {
            let middle = heard.frame(at: second)
            let frequency = try #require(heard.frequency(middle - rate / 50..<middle + rate / 50))
            let place = (frequency - 300) / 200
            let error = abs(place - second * factor)
            // Within a piece of 50 ms it goes at its own pace; 3 ms are what the frequency of 40 ms tells.
            #expect(error < 0.013 + 0.025 * abs(factor - 1), "at \(second) s: \(place) s")
        }
    }

    @Test("The sizes of what is written and read change nothing", arguments: [0.5, 1.25, 2])
    func pieces(factor: Double) {
        let samples = tone(440, 660, seconds: 1)
        let whole = stretched(samples, by: factor, writing: samples.count, reading: 2 * samples.count)
        #expect(stretched(samples, by: factor, writing: 100, reading: 1) == whole)
        #expect(stretched(samples, by: factor, writing: 5000, reading: 4096) == whole)
    }

    @Test("Channels stay together", arguments: [0.5, 1.7])
    func channels(factor: Double) {
        let mono = tone(440, 1234, seconds: 1)
        let both = stretched(mono.flatMap { [$0, -$0, 0.5 * $0] }, channels: 3, by: factor)
        #expect(stride(from: 0, to: both.count, by: 3).allSatisfy { both[$0] == -both[$0 + 1] })
        #expect(stride(from: 0, to: both.count, by: 3).allSatisfy { 0.5 * both[$0] == both[$0 + 2] })
    }

    @Test("Sounds of a few frames have the length that the rate gives them", arguments: [0.5, 1.5, 2])
    func short(factor: Double) {
        for count in [0, 1, 2, 100, 3000] {
            let samples = [Float](repeating: 0.5, count: count)
            let sound = stretched(samples, by: factor)
            #expect(sound.count == Int((Double(count) / factor).rounded()))
            #expect(sound.first ?? 0.5 == 0.5)
        }
    }

    @Test("Silence stays silence, and noise keeps its loudness", arguments: [0.5, 1.5])
    func noise(factor: Double) {
        #expect(stretched([Float](repeating: 0, count: rate), by: factor).allSatisfy { $0 == 0 })
        let noise = TestSignal.noise(seconds: 2, sampleRate: rate, channels: 1).samples.map { Float($0) / 65_536 }
        let heard = Recording(float: stretched(noise, by: factor), sampleRate: rate, channels: 1)
        let before = Recording(float: noise, sampleRate: rate, channels: 1)
        #expect(abs(heard.rmsLevel() - before.rmsLevel()) < 0.7)
    }

    @Test("The aligner finds the place where a waveform goes on")
    func alignment() {
        let aligner = WaveformAligner(sampleRate: Double(rate), channels: 2)
        let tones = [233.1, 391.7, 907.3, 1510.9]
        let sound = (0..<2 * rate / 5).map { index -> Float in
            let angle = 2 * Double.pi * Double(index / 2) / Double(rate)
            return Float(tones.reduce(0.0) { (sum: Double, tone: Double) in sum + 0.2 * sin(tone * angle + tone) })
        }
        for place in [aligner.reach / 2 - 5, aligner.reach / 2, aligner.reach / 2 + 7, 0, aligner.reach, 123] {
            let tail = Array(sound[(2 * place)..<(2 * (place + aligner.overlap))])
            #expect(aligner.bestPlace(of: tail, in: sound) == place)
        }
    }
}
