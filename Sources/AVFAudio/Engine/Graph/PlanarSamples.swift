internal import AudioGraph

/// The way between buffer lists of a common PCM format and the graph's planar Float32, without an allocation.
///
/// An integer of n bits stands for i / 2^(n−1); the way back rounds to the nearest and clamps.
struct PlanarSamples: Sendable {
    private enum Kind { case float32, float64, int16, int32 }

    /// The number of blocks in a list.
    let blocks: Int
    let channelsPerBlock: Int
    /// The bytes of a frame in one block.
    let bytesPerFrame: Int

    private let kind: Kind

    /// Nil for formats that are none of the common ones.
    init?(_ format: AVAudioFormat) {
        switch format.commonFormat {
        case .pcmFormatFloat32: kind = .float32
        case .pcmFormatFloat64: kind = .float64
        case .pcmFormatInt16: kind = .int16
        case .pcmFormatInt32: kind = .int32
        case .otherFormat: return nil
        }
        guard let shape = PCMShape(format.basicDescription) else { return nil }
        blocks = shape.blocks
        channelsPerBlock = shape.channelsPerBlock
        bytesPerFrame = shape.bytesPerFrame
    }

    /// Reads frames of a list; blocks without memory are silent.
    func read(_ list: UnsafeMutableAudioBufferListPointer, frames: Int, to samples: Samples, at start: Int) {
        for channel in 0..<samples.channelCount {
            let target = samples.channels[channel] + start
            guard let data = list[channel / channelsPerBlock].mData else {
                target.update(repeating: 0, count: frames)
                continue
            }
            let first = channel % channelsPerBlock
            switch kind {
            case .float32: copy(data, first, target, frames) { (sample: Float) in sample }
            case .float64: copy(data, first, target, frames) { (sample: Double) in Float(sample) }
            case .int16: copy(data, first, target, frames) { (sample: Int16) in Float(sample) * 0x1p-15 }
            case .int32: copy(data, first, target, frames) { (sample: Int32) in Float(sample) * 0x1p-31 }
            }
        }
    }

    /// Writes frames to a list, from a frame of it on.
    func write(
        _ source: UnsafePointer<UnsafeMutablePointer<Float>>, channels: Int, frames: Int,
        to list: UnsafeMutableAudioBufferListPointer, at start: Int
    ) {
        for channel in 0..<channels {
            guard let block = list[channel / channelsPerBlock].mData else { continue }
            let data = block + start * bytesPerFrame
            let first = channel % channelsPerBlock
            switch kind {
            case .float32: put(source[channel], data, first, frames) { $0 }
            case .float64: put(source[channel], data, first, frames) { Double($0) }
            case .int16: put(source[channel], data, first, frames) { Int16(Self.clamped(Double($0) * 0x1p15, 0x1p15)) }
            case .int32: put(source[channel], data, first, frames) { Int32(Self.clamped(Double($0) * 0x1p31, 0x1p31)) }
            }
        }
    }

    private static func clamped(_ value: Double, _ limit: Double) -> Double {
        value.isNaN ? 0 : min(max(value.rounded(.toNearestOrEven), -limit), limit - 1)
    }

    private func copy<Sample>(
        _ data: UnsafeMutableRawPointer, _ first: Int, _ target: UnsafeMutablePointer<Float>, _ frames: Int,
        _ converted: (Sample) -> Float
    ) {
        let source = data.assumingMemoryBound(to: Sample.self) + first
        for frame in 0..<frames { target[frame] = converted(source[frame &* channelsPerBlock]) }
    }

    private func put<Sample>(
        _ source: UnsafeMutablePointer<Float>, _ data: UnsafeMutableRawPointer, _ first: Int, _ frames: Int,
        _ converted: (Float) -> Sample
    ) {
        let target = data.assumingMemoryBound(to: Sample.self) + first
        for frame in 0..<frames { target[frame &* channelsPerBlock] = converted(source[frame]) }
    }
}
