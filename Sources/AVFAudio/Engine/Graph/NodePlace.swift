internal import AudioGraph

/// Where a node is rendered: in the engine's program, or in that of a time effect below it.
struct NodePlace {
    /// The time effects between the engine's output and the node, the lowest first, each with the rate of its program.
    private(set) var effects: [(effect: TimeEffect, rate: Double)] = []
    /// The rate of the node's own program, in Hz.
    private(set) var rate: Double

    /// A place in a program of a rate in Hz.
    init(rate: Double) { self.rate = rate }

    /// The place above a time effect of this place.
    func above(_ effect: TimeEffect) -> NodePlace {
        var place = self
        place.effects.append((effect, rate))
        place.rate = effect.rate
        return place
    }

    /// The frame of a node at a position of the engine's output.
    ///
    /// - Parameters:
    ///   - nodeRate: The rate of the node's output, in Hz.
    ///   - isHeard: Whether the position is that of heard sound: time effects are late.
    func frame(at position: Int, rate nodeRate: Double, isHeard: Bool = false) -> Int {
        var frame = position
        for (effect, rate) in effects {
            frame = effect.inputFrame(at: RateRatio(effect.rate, to: rate).position(frame), isHeard: isHeard)
        }
        return RateRatio(nodeRate, to: rate).position(frame)
    }

    /// The greatest number of node frames for one frame of the engine's output.
    var greatestSpeed: Double { effects.reduce(1) { $0 * $1.effect.kind.rates.upperBound } }
}
