internal import AudioRealtime

/// The way from the channels of a converter's input to those of its output.
struct ChannelRouting: Equatable {
    /// What an app has asked for: the input of each output, −1 for silence; nil for the default.
    private(set) var map: [Int]?
    /// Whether fewer outputs are a mixture of all inputs, as long as there is no map.
    var isMixed = false

    private let inputs: Int
    private let outputs: Int

    init(from inputs: Int, to outputs: Int) {
        self.inputs = inputs
        self.outputs = outputs
    }

    /// The input of each output, −1 for silence.
    ///
    /// By default each output is the input of its own index, and silent without one; a single input goes to all.
    var effectiveMap: [Int] {
        map ?? (0..<outputs).map { inputs == 1 ? 0 : $0 < inputs ? $0 : -1 }
    }

    /// Sets the map; one with another number of outputs, or an input that does not exist, becomes the default.
    mutating func set(_ wanted: [Int]) {
        map = wanted.count == outputs && wanted.allSatisfy({ (-1..<inputs).contains($0) }) ? wanted : nil
    }

    /// Whether every sample arrives as it was, or not at all.
    var isExact: Bool { !(isMixed && map == nil && outputs < inputs) }

    /// The output's interleaved frames for interleaved frames of the input.
    func routed(_ samples: [Double]) -> [Double] {
        guard isExact else { return mixed(samples) }
        let map = effectiveMap
        guard map != Array(0..<inputs) else { return samples }
        let frames = samples.count / inputs
        var result = [Double](repeating: 0, count: frames * outputs)
        for (output, input) in map.enumerated() where input >= 0 {
            for frame in 0..<frames { result[frame &* outputs &+ output] = samples[frame &* inputs &+ input] }
        }
        return result
    }

    private func mixed(_ samples: [Double]) -> [Double] {
        let gains = self.gains
        let frames = samples.count / inputs
        var result = [Double](repeating: 0, count: frames * outputs)
        for frame in 0..<frames {
            for output in 0..<outputs {
                var sum = 0.0
                for input in 0..<inputs { sum += gains[output &* inputs &+ input] * samples[frame &* inputs &+ input] }
                result[frame &* outputs &+ output] = sum
            }
        }
        return result
    }

    /// One row of gains for each output; the sum of none is above 1.
    private var gains: [Double] {
        guard outputs > 1 else { return [Double](repeating: 1 / Double(inputs), count: inputs) }
        return ChannelMatrix(from: ChannelMatrix.standard(inputs), to: ChannelMatrix.standard(outputs)).coefficients
            .map(Double.init)
    }
}
