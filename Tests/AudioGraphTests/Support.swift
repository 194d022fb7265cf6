import AudioGraph
import Foundation
import Synchronization

/// The rate of the golden numbers, in Hz.
let rate = 44_100.0

/// A source of a sine tone on all channels.
func tone(_ frequency: Double, amplitude: Double = 1) -> SourceBlock {
    generated { _, frame in Float(amplitude * sin(2 * .pi * frequency * Double(frame) / rate)) }
}

/// A source whose samples are a function of channel and frame.
func generated(_ sample: @escaping @Sendable (_ channel: Int, _ frame: Int) -> Float) -> SourceBlock {
    { samples, frames, position in
        for channel in 0..<samples.channelCount {
            for frame in 0..<frames { samples.channels[channel][frame] = sample(channel, position + frame) }
        }
        return true
    }
}

/// A source of one constant.
func constant(_ value: Float) -> SourceBlock { generated { _, _ in value } }

extension Renderer {
    /// The next frames, rendered in blocks of `block` frames; one array for each channel.
    func rendered(_ frames: Int, block: Int, channels: Int = 2) -> [[Float]] {
        // NaN shows every sample that is left out.
        var result = [[Float]](repeating: [], count: channels)
        let storage = UnsafeMutablePointer<Float>.allocate(capacity: channels * block)
        defer { storage.deallocate() }
        let list = (0..<channels).map { storage + $0 * block }
        var done = 0
        while done < frames {
            let count = min(block, frames - done)
            storage.update(repeating: .nan, count: channels * block)
            render(into: list, channels: channels, frames: count)
            for channel in 0..<channels { result[channel] += UnsafeBufferPointer(start: list[channel], count: count) }
            done += count
        }
        return result
    }
}

/// A renderer of sources that are mixed at once.
struct Mix {
    let renderer = Renderer()
    let inputs: [MixerInput]
    let output = MixerOutput()

    init(_ sources: SourceBlock..., sourceChannels: Int = 1, channels: Int = 2, maximumFrames: Int = 4096) {
        inputs = sources.map { _ in MixerInput() }
        var builder = ProgramBuilder(maximumFrames: maximumFrames)
        let connections = zip(sources, inputs).map {
            ProgramBuilder.Connection(builder.addSource(channels: sourceChannels, block: $0), $1)
        }
        let bus = builder.addMixer(channels: channels, inputs: connections, output: output)
        renderer.publish(builder.finish(output: bus))
    }
}

extension [Float] {
    /// The greatest magnitude.
    var peak: Float { map(abs).max() ?? 0 }
}

/// An object that counts itself.
final class Token: Sendable {
    private let alive: Counter

    init(_ alive: Counter) {
        self.alive = alive
        alive.add()
    }

    deinit { alive.add(-1) }
}

/// A number that any thread changes.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    func add(_ change: Int = 1) { _ = number.wrappingAdd(change, ordering: .sequentiallyConsistent) }
}
