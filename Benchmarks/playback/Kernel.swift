import AudioFiles
import AudioRealtime
import Foundation
import MallocCounter

/// The mixer alone: voices that a core mixes in real time, and its allocations.
struct MixerCost {
    private let rate = 48_000

    func run() throws {
        say("")
        let silence = [Float](repeating: 0.1, count: 2 * rate)
        for (name, isMoving) in [("steady", false), ("fading and panning", true)] {
            let voices = (0..<64).map { _ in
                Voice(
                    channels: 2, matrix: ChannelMatrix(from: [.left, .right], to: [.left, .right]), capacity: rate,
                    history: rate)
            }
            let mixer = Mixer(channels: 2, maximumVoices: 64, maximumFrames: rate / 100)
            for voice in voices {
                _ = voice.write(silence, frames: rate)
                voice.setGain(0.5, rampFrames: isMoving ? rate : 0)
                mixer.add(voice)
            }
            var output = [Float](repeating: 0, count: 2 * rate)
            let allocations = malloc_counter_of_thread()
            let time = output.withUnsafeMutableBufferPointer { buffer in
                ContinuousClock().measure {
                    if let start = buffer.baseAddress { mixer.render(into: start, frames: rate) }
                }
            }
            let made = malloc_counter_of_thread() - allocations
            let count = Int(64 / (time / .seconds(1)))
            say("\(name): \(count) stereo voices of 48 kHz a core; \(made) allocations in a second of sound")
        }
    }
}

/// The decoding speed of each format.
struct DecodeSpeed {
    let files: BenchFiles

    func run() throws {
        let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 4096)
        defer { buffer.deallocate() }
        for (format, path) in files.all {
            for rate in [44_100.0, 48_000] {
                let reader = try ResamplingReader(AudioFileReader(path: path), sampleRate: rate)
                var frames = 0
                let time = try ContinuousClock().measure {
                    while case let count = try reader.read(into: buffer, frames: 4096), count > 0 { frames += count }
                }
                let speed = Double(frames) / rate / (time / .seconds(1))
                say(row("decode \(format) to \(Int(rate)) Hz", [String(format: "%.0f × real time", speed)]))
            }
        }
    }
}
