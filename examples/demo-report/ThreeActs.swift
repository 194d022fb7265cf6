import AudioFiles
import Foundation
import PulseClient
import PulseSimple
import SoundAnalysis

/// The demo in three acts: music; a prompt that ducks it; a call that interrupts it, after which it resumes.
///
/// The music is on the left channel and the other programs on the right, so that a recording of the sink shows both.
enum ThreeActs {
    /// The sample rate, in Hz.
    static let rate = 48_000

    /// Writes music.wav, prompt.wav and call.wav into a folder.
    static func write(to folder: URL) throws {
        // A tone that rises throughout: every position in it is unique.
        try sound(seconds: 14, channel: 0) { 2 * .pi * (300 * $0 + 25 * $0 * $0) }.writeWAV(
            to: folder.appendingPathComponent("music.wav"))
        try sound(seconds: 1.5, channel: 1) { 2 * .pi * 1_000 * $0 }.writeWAV(
            to: folder.appendingPathComponent("prompt.wav"))
        try sound(seconds: 2, channel: 1) { 2 * .pi * 650 * $0 }.writeWAV(
            to: folder.appendingPathComponent("call.wav"))
    }

    private static func sound(seconds: Double, channel: Int, phase: (Double) -> Double) -> TestSignal {
        var samples = [Int16](repeating: 0, count: 2 * Int(seconds * Double(rate)))
        for frame in 0..<samples.count / 2 {
            let value = 0.25 * sin(phase(Double(frame) / Double(rate)))
            samples[2 * frame + channel] = Int16((value * 32_767).rounded())
        }
        return TestSignal(samples: samples, sampleRate: rate, channels: 2)
    }

    /// Records a source until standard input ends.
    ///
    /// Not as a session: the call would interrupt that as well.
    static func capture(source: String, to path: String) throws {
        let recording = try SimpleRecording(
            name: "demo", streamName: "what is heard", source: source,
            spec: SampleSpec(format: .int16, rate: UInt32(rate), channels: 2))
        let writer = try AudioFileWriter(
            path: path, container: .wav, encoding: .pcm16, sampleRate: Double(rate), channels: 2)
        print("recording")
        // Before the thread: it holds the standard input's lock, and all files would include that one.
        fflush(nil)
        Thread.detachNewThread {
            while readLine() != nil {}
            recording.interrupt()
        }
        var isInterrupted = false
        while !isInterrupted {
            let (samples, outcome) = try recording.read(int16: rate / 50)
            try samples.withUnsafeBufferPointer { samples in
                if let start = samples.baseAddress { try writer.write(int16: start, frames: samples.count / 2) }
            }
            if case .interrupted = outcome { isInterrupted = true }
        }
        try writer.close()
    }
}
