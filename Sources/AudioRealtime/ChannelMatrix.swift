/// The position of a channel's loudspeaker.
///
/// `aux` has no position; such channels are matched by their index.
package enum Channel: UInt8, Sendable, CaseIterable {
    case mono, left, right, center, lfe, rearLeft, rearRight, sideLeft, sideRight, rearCenter
    case frontLeftOfCenter, frontRightOfCenter, aux
}

/// The coefficients that mix a source's channels into an output's channels.
///
/// A channel goes to the same channel at gain 1. A channel without counterpart goes to its nearest relatives, in this
/// order:
///
/// | source             | goes to                                                                   |
/// |--------------------|---------------------------------------------------------------------------|
/// | mono               | left and right at 1, else centre; the first two, if all are `aux`         |
/// | anything, to mono  | half of what it would add to left and right                               |
/// | left, right        | mono, at one half                                                         |
/// | centre             | left and right at −3 dB                                                   |
/// | rear, side         | side or rear of the same hand at 1, else left or right at −3 dB           |
/// | rear centre        | rears or sides at −3 dB, else left and right at −6 dB                     |
/// | left/right of centre | left or right at −3 dB                                                  |
/// | lfe                | nowhere: players without a subwoofer drop it                              |
///
/// If some output could then exceed full scale, all coefficients are lowered together until none can.
package struct ChannelMatrix: Sendable, Equatable {
    /// Number of source channels.
    package let inputs: Int
    /// Number of output channels.
    package let outputs: Int
    /// Linear gains, one row of `inputs` values for each output.
    package let coefficients: [Float]
    /// Whether every channel goes to the channel of its own index, unchanged.
    package let isIdentity: Bool
    /// The index of the left output, if there is a left and a right one; panning needs both.
    package let leftOutput: Int?
    /// The index of the right output, if there is a left and a right one.
    package let rightOutput: Int?

    /// Creates the matrix from one channel list to another; equal lists give the identity.
    package init(from source: [Channel], to destination: [Channel]) {
        var table = [Float](repeating: 0, count: source.count * destination.count)
        for (input, channel) in source.enumerated() {
            for (output, gain) in Self.destinations(of: channel, at: input, in: destination) {
                table[output * source.count + input] = gain
            }
        }
        self.init(inputs: source.count, table: table, destination: destination)
    }

    /// Creates a matrix from gains, one row of `inputs` for each channel of `destination`.
    init(inputs: Int, table: [Float], destination: [Channel]) {
        self.inputs = inputs
        outputs = destination.count
        let left = destination.firstIndex(of: .left)
        let right = destination.firstIndex(of: .right)
        leftOutput = right == nil ? nil : left
        rightOutput = left == nil ? nil : right
        coefficients = Self.limited(table, inputs: inputs)
        isIdentity =
            inputs == destination.count
            && coefficients.enumerated().allSatisfy { $0.element == ($0.offset % (inputs + 1) == 0 ? 1 : 0) }
    }

    /// The usual channels of a file with `count` channels, in WAV order; beyond eight, all `aux`.
    package static func standard(_ count: Int) -> [Channel] {
        switch count {
        case 1: [.mono]
        case 2: [.left, .right]
        case 3: [.left, .right, .center]
        case 4: [.left, .right, .rearLeft, .rearRight]
        case 5: [.left, .right, .center, .rearLeft, .rearRight]
        case 6: [.left, .right, .center, .lfe, .rearLeft, .rearRight]
        case 7: [.left, .right, .center, .lfe, .rearCenter, .sideLeft, .sideRight]
        case 8: [.left, .right, .center, .lfe, .rearLeft, .rearRight, .sideLeft, .sideRight]
        default: [Channel](repeating: .aux, count: max(count, 0))
        }
    }

    private static let minusThree: Float = 0.707_106_77

    private static func destinations(of channel: Channel, at index: Int, in list: [Channel]) -> [(Int, Float)] {
        let sameIndex: [(Int, Float)] = [(index, 1)]
        if channel == .aux { return index < list.count ? sameIndex : [] }
        if let same = list.firstIndex(of: channel) { return [(same, 1)] }
        for candidate in relatives(of: channel) {
            let places = candidate.channels.compactMap { list.firstIndex(of: $0) }
            if places.count == candidate.channels.count { return places.map { ($0, candidate.gain) } }
        }
        if let mono = list.firstIndex(of: .mono), let gain = shareOfMono(channel) { return [(mono, gain)] }
        // On a device without positions a stereo file is played on the first two channels, and so is a mono file.
        if channel == .mono, list.allSatisfy({ $0 == .aux }) { return list.indices.prefix(2).map { ($0, 1) } }
        return index < list.count && list[index] == .aux ? sameIndex : []
    }

    private static func relatives(of channel: Channel) -> [(channels: [Channel], gain: Float)] {
        switch channel {
        case .mono: [([.left, .right], 1), ([.center], 1)]
        case .center: [([.left, .right], minusThree)]
        case .rearLeft: [([.sideLeft], 1), ([.left], minusThree)]
        case .rearRight: [([.sideRight], 1), ([.right], minusThree)]
        case .sideLeft: [([.rearLeft], 1), ([.left], minusThree)]
        case .sideRight: [([.rearRight], 1), ([.right], minusThree)]
        case .rearCenter:
            [([.rearLeft, .rearRight], minusThree), ([.sideLeft, .sideRight], minusThree), ([.left, .right], 0.5)]
        case .frontLeftOfCenter: [([.left], minusThree)]
        case .frontRightOfCenter: [([.right], minusThree)]
        case .left, .right, .lfe, .aux: []
        }
    }

    /// The gain of a channel in mono: half of what it would add to left and right together.
    private static func shareOfMono(_ channel: Channel) -> Float? {
        switch channel {
        case .left, .right: 0.5
        case .center: minusThree
        case .rearCenter: 0.5
        case .rearLeft, .rearRight, .sideLeft, .sideRight, .frontLeftOfCenter, .frontRightOfCenter: minusThree / 2
        case .mono, .lfe, .aux: nil
        }
    }

    private static func limited(_ table: [Float], inputs: Int) -> [Float] {
        guard inputs > 0 else { return table }
        let loudest =
            stride(from: 0, to: table.count, by: inputs)
            .map { row in table[row..<row + inputs].reduce(0, +) }
            .max() ?? 0
        return loudest > 1 ? table.map { $0 / loudest } : table
    }
}
