import Synchronization

/// The part of a ``Voice`` that the kernel reads, in a separate allocation.
///
/// The kernel reaches it through a pointer: access to a class would count references and check exclusivity. The members
/// are constants, and atomics for any thread.
struct VoiceState: ~Copyable {
    /// The value of a command slot without a command.
    ///
    /// Its upper half is a NaN that no caller can pass on, see `command(_:_:)`.
    static var none: UInt64 {
        @_noLocks get { .max }
    }

    /// The frames of the ramp after a change of pan while sound runs, to avoid clicks.
    static var panRampFrames: Int {
        @_noLocks get { 256 }
    }

    let ring: RingCore
    let levels: LevelHistory
    let channels: Int
    /// Target gain (upper half, Float bits) and ramp length in frames (lower half), until the render side takes it.
    let pendingGain = Atomic<UInt64>(VoiceState.none)
    /// The gain at which that ramp begins (upper half), and the frames of the lead to it (lower half); none at the
    /// current gain.
    let pendingStart = Atomic<UInt64>(VoiceState.none)
    /// Gains for left (upper half) and right, as Float bits, until the render side takes them.
    let pendingPan = Atomic<UInt64>(VoiceState.none)
    let currentGain = Atomic<UInt32>(Float(1).bitPattern)
    let isEnded = Atomic<Bool>(false)
    let isMetering = Atomic<Bool>(false)
    let framesStarved = Atomic<Int>(0)

    /// The state of the render side.
    ///
    /// In a separate allocation: changing a member is an access to the whole structure, which other threads read
    /// meanwhile.
    struct Ramps {
        var gain = GainRamp(1)
        var left = GainRamp(1)
        var right = GainRamp(1)
    }

    let ramps: UnsafeMutablePointer<Ramps>

    /// The matrix; only the render side touches it, since ``Voice/setMatrix(_:)`` changes it.
    struct Places {
        var outputs = 0
        var isIdentity = false
        /// Index of the left and right output, −1 if panning is impossible.
        var leftOutput = -1
        var rightOutput = -1
        /// The gains: one row for each output, with one value for each channel.
        var coefficients: UnsafeMutablePointer<Float>

        init(_ matrix: ChannelMatrix) {
            outputs = matrix.outputs
            isIdentity = matrix.isIdentity
            leftOutput = matrix.leftOutput ?? -1
            rightOutput = matrix.rightOutput ?? -1
            coefficients = .allocate(capacity: max(matrix.coefficients.count, 1))
            for (index, gain) in matrix.coefficients.enumerated() { (coefficients + index).initialize(to: gain) }
        }
    }

    let places: UnsafeMutablePointer<Places>

    init(channels: Int, matrix: ChannelMatrix, capacity: Int, history: Int) {
        precondition(matrix.inputs == channels, "the matrix does not fit the voice's channels")
        ring = RingCore(bytesPerFrame: channels * MemoryLayout<Float>.size, capacity: capacity, history: history)
        levels = LevelHistory(channels: channels)
        self.channels = channels
        ramps = .allocate(capacity: 1)
        ramps.initialize(to: Ramps())
        places = .allocate(capacity: 1)
        places.initialize(to: Places(matrix))
    }

    deinit {
        places.pointee.coefficients.deallocate()
        places.deallocate()
        ramps.deallocate()
    }

    /// Packs two halves of a command into one word, so that both arrive together.
    static func command(_ upper: Float, _ lower: UInt32) -> UInt64 {
        UInt64((upper.isNaN ? 0 : upper).bitPattern) << 32 | UInt64(lower)
    }

    /// The pan gain of an output at this frame.
    @_noLocks
    borrowing func panGain(_ output: Int) -> Float {
        output == places.pointee.leftOutput
            ? ramps.pointee.left.value : output == places.pointee.rightOutput ? ramps.pointee.right.value : 1
    }
}
