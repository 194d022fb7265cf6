internal import RealtimeShims

/// The parameters of a reverb.
package enum ReverbParameter {
    /// The index of a ``Room``.
    package static let room = 0
    /// Per cent of the reverberation in the output, 0 to 100; linear.
    package static let mix = 1
}

/// A room, as a reverb imitates it.
package struct Room: Sendable {
    let (decay, before, damping, size): (Double, Double, Double, Double)

    /// Creates a room.
    ///
    /// - Parameters:
    ///   - decay: Seconds until the reverberation is 60 dB softer.
    ///   - before: Seconds of silence before the reverberation, at most 0.05.
    ///   - damping: The part of the high frequencies that is lost at each reflection, from 0 to 1.
    ///   - size: The length of the ways, from 0.1 to 1.5.
    package init(decay: Double, before: Double, damping: Double, size: Double) {
        (self.decay, self.before, self.damping, self.size) = (decay, before, damping, size)
    }
}

extension Effect {
    /// Creates a reverb: early reflections, and a network of eight delay lines that feed each other.
    ///
    /// - Parameters:
    ///   - rooms: One for each value of ``ReverbParameter/room``, at least one.
    ///   - parameters: As ``ReverbParameter`` numbers them.
    package static func reverb(
        channels: Int, rate: Double, _ rooms: [Room], _ parameters: Parameters, _ switches: EffectSwitches
    ) -> Effect {
        let memory = ProgramMemory()
        let list = memory.allocate(Room.self, count: rooms.count)
        for (index, room) in rooms.enumerated() { (list + index).initialize(to: room) }
        let length = Int((ReverbState.longest * rate).rounded(.up)) + 2
        let voices = memory.allocate(ReverbLine.self, count: ReverbState.lines)
        for index in 0..<ReverbState.lines { (voices + index).initialize(to: ReverbLine()) }
        let state = memory.allocate(ReverbState.self, count: 1)
        state.initialize(
            to: ReverbState(
                parameters: parameters.list, rate: rate, rooms: list, roomCount: rooms.count,
                before: memory.samples(channels: channels, frames: length),
                network: memory.samples(channels: ReverbState.lines, frames: length), length: length, lines: voices))
        return Effect(channels: channels, rate: rate, parameters, switches, memory: memory, .reverb(state))
    }
}

/// A reverb, as its kernel uses it.
struct ReverbState {
    /// The number of delay lines in the network.
    static var lines: Int { @_noLocks get { 8 } }
    /// Seconds of the longest way: a line of the network, or the silence before and the last early reflection.
    static let longest = 0.12
    /// Seconds of the ways in a room of size 1, without common divisors.
    static let ways = (0.0297, 0.0371, 0.0411, 0.0437, 0.0533, 0.0593, 0.0671, 0.0733)
    /// Seconds and gains of the early reflections in a room of size 1.
    static let early = ((0.0043, 0.42), (0.0107, -0.33), (0.0173, 0.27), (0.0251, 0.2))

    let parameters: ParameterList
    let rate: Double
    let rooms: UnsafeMutablePointer<Room>
    let roomCount: Int
    /// The last frames of each channel of the input, in a circle.
    let before: Samples
    /// The delay lines, in circles.
    let network: Samples
    let length: Int
    let lines: UnsafeMutablePointer<ReverbLine>
    /// The frame of the circles that is written next.
    var place = 0
    var turn = ShapeTurn()
    var mix = 0.0
    var nextMix = 0.0
    var numbers = ReverbNumbers()

    /// Reads the parameters.
    mutating func prepare(isFresh: Bool) {
        turn.wanted = min(max(Int(parameters.value(ReverbParameter.room, 0, 1000)), 0), roomCount - 1)
        let isNew = numbers.gain == 0 || numbers.room != turn.current
        if isFresh { turn.begin() }
        nextMix = parameters.value(ReverbParameter.mix, 0, 100) / 100
        guard isNew || numbers.room != turn.current else { return }
        let room = rooms[turn.current]
        numbers.room = turn.current
        numbers.damping = room.damping
        numbers.before = frames(room.before)
        let early = Self.early
        numbers.early = (
            (numbers.before + frames(early.0.0 * room.size), early.0.1),
            (numbers.before + frames(early.1.0 * room.size), early.1.1),
            (numbers.before + frames(early.2.0 * room.size), early.2.1),
            (numbers.before + frames(early.3.0 * room.size), early.3.1)
        )
        let ways = Self.ways
        prepare(0, ways.0, room)
        prepare(1, ways.1, room)
        prepare(2, ways.2, room)
        prepare(3, ways.3, room)
        prepare(4, ways.4, room)
        prepare(5, ways.5, room)
        prepare(6, ways.6, room)
        prepare(7, ways.7, room)
        // A steady noise is as loud in the room as without it.
        let loss = lines[3].gain
        numbers.gain = ((1 - loss * loss) / Double(Self.lines)).squareRoot()
    }

    private func prepare(_ line: Int, _ way: Double, _ room: Room) {
        lines[line].frames = frames(way * room.size)
        // After the decay's time the gain of all passes together is 60 dB.
        lines[line].gain = rt_exponential(-3 * Logarithm.ofTen * way * room.size / room.decay)
    }

    private func frames(_ seconds: Double) -> Int { min(max(Int((seconds * rate).rounded()), 1), length - 1) }
}

/// A room in the units of the kernel.
struct ReverbNumbers {
    var room = 0
    var damping = 0.0
    var before = 1
    /// Frames and gains of the early reflections.
    var early = ((1, 0.0), (1, 0.0), (1, 0.0), (1, 0.0))
    /// The gain of the network's output; 0 before the first room.
    var gain = 0.0
}

/// One delay line of a reverb.
struct ReverbLine {
    var frames = 1
    var gain = 0.0
    /// The last value of the low-pass that damps.
    var filter = 0.0
}
