import TestSupport

@testable import AudioRealtime

enum Noise {
    static func samples(_ count: Int, seed: UInt64 = 1) -> [Float] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float.random(in: -1..<1, using: &random) }
    }
}

extension Mixer {
    /// The next frames of the mix as an array.
    func rendered(_ frames: Int) -> [Float] {
        // NaN shows every sample that the kernel leaves out.
        var output = [Float](repeating: .nan, count: frames * channels)
        output.withUnsafeMutableBufferPointer { render(into: $0.baseAddress!, frames: frames) }
        return output
    }
}

extension Voice {
    convenience init(
        _ count: Int = 2, to outputs: Int = 2, capacity: Int = 4096, history: Int = 1024, feed: [Float] = []
    ) {
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(count), to: ChannelMatrix.standard(outputs))
        self.init(channels: count, matrix: matrix, capacity: capacity, history: history)
        if !feed.isEmpty { _ = write(feed, frames: feed.count / count) }
    }
}

func stereoMixer(_ voices: Voice..., maximumFrames: Int = 256) -> Mixer {
    let mixer = Mixer(channels: 2, maximumVoices: 1, maximumFrames: maximumFrames)
    voices.forEach(mixer.add)
    return mixer
}

func left(_ interleaved: [Float]) -> [Float] { stride(from: 0, to: interleaved.count, by: 2).map { interleaved[$0] } }

func right(_ interleaved: [Float]) -> [Float] { stride(from: 1, to: interleaved.count, by: 2).map { interleaved[$0] } }
