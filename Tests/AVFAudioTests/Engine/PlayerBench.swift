import AVFAudio
import TestSupport
import Testing

/// A player node that is rendered offline, straight or through the main mixer, in mono.
struct PlayerBench {
    let bench: EngineBench
    let player = AVAudioPlayerNode()
    let format: AVAudioFormat
    let handled = Handled()

    init(rate: Double = 44_100, starts: Bool = true) throws {
        bench = try EngineBench(channels: 1)
        format = try EngineBench.format(rate, 1)
        bench.engine.attach(player)
        bench.engine.connect(player, to: bench.engine.mainMixerNode, format: format)
        if starts { try bench.engine.start() }
    }

    /// A buffer of the player's format.
    func buffer(_ samples: [Float]) throws -> AVAudioPCMBuffer {
        let capacity = max(UInt32(samples.count), 1)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: capacity))
        buffer.fill(samples)
        return buffer
    }

    func buffer(_ value: Float, _ frames: Int) throws -> AVAudioPCMBuffer {
        try buffer([Float](repeating: value, count: frames))
    }

    /// A handler that notes a name.
    func note(_ name: String) -> AVAudioNodeCompletionHandler { { [handled] in handled.note(name) } }

    /// A handler that notes a name.
    func noteTyped(_ name: String) -> AVAudioPlayerNodeCompletionHandler { { [handled] _ in handled.note(name) } }

    /// A player time.
    func at(_ frame: Int) -> AVAudioTime { AVAudioTime(sampleTime: Int64(frame), atRate: format.sampleRate) }

    func rendered(_ frames: Int, block: Int = 64) throws -> [Float] { try bench.left(frames, block: block) }

    /// A file of mono 32-bit samples.
    func file(_ folder: FileFolder, _ samples: [Float], rate: Double = 44_100, name: String = "sound.wav") throws -> URL
    {
        let url = folder.url(name)
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate, AVNumberOfChannelsKey: 1,
            AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
        ]
        let file = try AVAudioFile(forWriting: url, settings: settings)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: UInt32(samples.count)))
        buffer.fill(samples)
        try file.write(from: buffer)
        file.close()
        return url
    }
}

/// The names that handlers have noted, in order.
// SAFETY: the lock protects the list.
final class Handled: @unchecked Sendable {
    private let lock = NSLock()
    private var noted: [String] = []

    var all: [String] { lock.withLock { noted } }

    func note(_ name: String) { lock.withLock { noted.append(name) } }

    /// Waits until so many names are there, and returns them.
    func first(_ count: Int) async throws -> [String] {
        try await waitUntil("\(count) handlers were called") { all.count >= count }
        return all
    }
}

func zeros(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

func values(_ value: Float, _ count: Int) -> [Float] { [Float](repeating: value, count: count) }
