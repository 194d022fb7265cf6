/// Mixes blocks whose channels differ from a stream's first ones into those; radio and television change in mid-stream.
///
/// Places are raw values of `AudioRealtime.Channel`, and the gains those of its `ChannelMatrix`.
struct ChannelFold {
    /// The places that it takes.
    let source: [UInt8]
    private let outputs: Int
    /// A row of gains for each output.
    private let gains: [Float]

    init(from source: [UInt8], to target: [UInt8]) {
        var gains = [Float](repeating: 0, count: source.count * target.count)
        for (input, place) in source.enumerated() {
            for (output, gain) in Self.destinations(of: place, in: target) {
                gains[output * source.count + input] = gain
            }
        }
        let sums = target.indices.map { row in gains[row * source.count..<(row + 1) * source.count].reduce(0, +) }
        // None may exceed full scale.
        let loudest = max(sums.max() ?? 1, 1)
        self.gains = gains.map { $0 / loudest }
        self.source = source
        outputs = target.count
    }

    /// Mixes interleaved frames.
    func mix(_ frames: UnsafePointer<Float>, count: Int, to target: UnsafeMutablePointer<Float>) {
        for frame in 0..<count {
            for output in 0..<outputs {
                var sum: Float = 0
                for input in source.indices {
                    sum += gains[output * source.count + input] * frames[frame * source.count + input]
                }
                target[frame * outputs + output] = sum
            }
        }
    }

    private static func destinations(of place: UInt8, in target: [UInt8]) -> [(Int, Float)] {
        let options: [([UInt8], Float)] = [([place], 1)] + relatives(of: place)
        for (places, gain) in options {
            let indices = places.compactMap { target.firstIndex(of: $0) }
            if indices.count == places.count { return indices.map { ($0, gain) } }
        }
        return []
    }

    private static let minusThree: Float = 0.707_106_77

    private static func relatives(of place: UInt8) -> [([UInt8], Float)] {
        switch place {
        case 0: [([1, 2], 1), ([3], 1)]
        case 1, 2: [([0], 0.5)]
        case 3: [([1, 2], minusThree), ([0], minusThree)]
        case 5: [([7], 1), ([1], minusThree), ([0], minusThree / 2)]
        case 6: [([8], 1), ([2], minusThree), ([0], minusThree / 2)]
        case 7: [([5], 1), ([1], minusThree), ([0], minusThree / 2)]
        case 8: [([6], 1), ([2], minusThree), ([0], minusThree / 2)]
        case 9: [([5, 6], minusThree), ([7, 8], minusThree), ([1, 2], 0.5), ([0], 0.5)]
        case 10: [([1], minusThree), ([0], minusThree / 2)]
        case 11: [([2], minusThree), ([0], minusThree / 2)]
        default: []
        }
    }
}
