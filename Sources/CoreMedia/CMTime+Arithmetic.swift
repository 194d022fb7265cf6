/// How a time is brought to other units.
///
/// Apple: `CMTimeRoundingMethod`.
public enum CMTimeRoundingMethod: UInt32, Sendable {
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero to finer units, away from zero to coarser ones.
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    /// To the nearest unit.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}

extension CMTime {
    /// The same time in other units.
    ///
    /// Apple: `CMTime.convertScale(_:method:)`, `CMTimeConvertScale(_:timescale:method:)`.
    public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric else { return self }
        guard newTimescale > 0 else { return .invalid }
        return .fraction(
            Int128(value) * Int128(newTimescale), over: Int128(timescale), timescale: newTimescale,
            method: method == .quickTime && newTimescale > timescale ? .roundTowardZero : method, flags: flags)
    }

    /// The time `numerator / denominator` units from zero, infinite where no number holds it.
    private static func fraction(
        _ numerator: Int128, over denominator: Int128, timescale: CMTimeScale,
        method: CMTimeRoundingMethod = .default, flags: CMTimeFlags
    ) -> CMTime {
        let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        let sign: Int128 = numerator < 0 ? -1 : 1
        let step: Int128 =
            switch method {
            case .roundHalfAwayFromZero: rest.magnitude * 2 >= denominator.magnitude ? sign : 0
            case .roundTowardZero: 0
            case .roundAwayFromZero, .quickTime: rest == 0 ? 0 : sign
            case .roundTowardPositiveInfinity: rest > 0 ? 1 : 0
            case .roundTowardNegativeInfinity: rest < 0 ? -1 : 0
            }
        guard let value = Int64(exactly: whole + step) else { return sign > 0 ? .positiveInfinity : .negativeInfinity }
        return CMTime(
            value: value, timescale: timescale, flags: rest == 0 ? flags : flags.union(.hasBeenRounded), epoch: 0)
    }

    /// Units that hold both times exactly, or the finer ones of the two if there are none.
    private static func commonTimescale(_ left: CMTime, _ right: CMTime) -> CMTimeScale {
        let (first, second) = (Int64(left.timescale), Int64(right.timescale))
        let common = first / greatestCommonDivisor(first, second) * second
        return CMTimeScale(exactly: common) ?? max(left.timescale, right.timescale)
    }

    /// The sum of times of which at least one is no number; nil if both are.
    private static func impliedSum(_ left: CMTime, _ right: CMTime) -> CMTime? {
        guard left.isValid, right.isValid else { return .invalid }
        if left.isIndefinite || right.isIndefinite { return .indefinite }
        let (up, down) = (
            left.isPositiveInfinity || right.isPositiveInfinity, left.isNegativeInfinity || right.isNegativeInfinity
        )
        if up && down { return .invalid }
        return up ? .positiveInfinity : down ? .negativeInfinity : left.isNumeric && right.isNumeric ? nil : .invalid
    }

    /// The sum of two times, exact where there are units that hold it.
    public static func + (left: CMTime, right: CMTime) -> CMTime {
        if let sum = impliedSum(left, right) { return sum }
        let scale = commonTimescale(left, right)
        let first = left.convertScale(scale, method: .default)
        let second = right.convertScale(scale, method: .default)
        // Coarser units lose nothing that both do not have, but a time may be too far away for finer ones.
        guard first.isNumeric, second.isNumeric else { return impliedSum(first, second) ?? .invalid }
        return fraction(
            Int128(first.value) + Int128(second.value), over: 1, timescale: scale,
            flags: first.flags.union(second.flags))
    }

    /// The difference of two times.
    public static func - (left: CMTime, right: CMTime) -> CMTime { left + right.negated }

    /// Adds a time.
    public static func += (left: inout CMTime, right: CMTime) { left = left + right }

    /// Subtracts a time.
    public static func -= (left: inout CMTime, right: CMTime) { left = left - right }

    private var negated: CMTime {
        if isPositiveInfinity { return .negativeInfinity }
        if isNegativeInfinity { return .positiveInfinity }
        guard isNumeric else { return self }
        return .fraction(-Int128(value), over: 1, timescale: timescale, flags: flags)
    }

    /// The time multiplied by a whole number.
    func multiplied(by factor: Int32) -> CMTime {
        guard isNumeric else { return factor < 0 ? negated : self }
        return .fraction(Int128(value) * Int128(factor), over: 1, timescale: timescale, flags: flags)
    }

    /// The time multiplied by any number, in its own units or, where these are coarse, in nanoseconds.
    func multiplied(by factor: Double) -> CMTime {
        guard isNumeric else { return factor < 0 ? negated : self }
        return CMTime(seconds: seconds * factor, preferredTimescale: max(timescale, 1_000_000_000))
    }
}

extension CMTime: Comparable, Hashable {
    /// Where a time without a number stands among the others; numbers are 0.
    private var rank: Int {
        if isNumeric { return 0 }
        if isNegativeInfinity { return -1 }
        if isIndefinite { return 1 }
        return isPositiveInfinity ? 2 : 3
    }

    /// Whether a time is earlier; the unknown one comes after all numbers, then the infinite one, then invalid ones.
    public static func < (left: CMTime, right: CMTime) -> Bool { CMTimeCompare(left, right) < 0 }

    /// Whether two times are the same, in whatever units.
    public static func == (left: CMTime, right: CMTime) -> Bool { CMTimeCompare(left, right) == 0 }

    /// Equal times in different units have one hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        let divisor = greatestCommonDivisor(value, Int64(timescale))
        hasher.combine(value / divisor)
        hasher.combine(Int64(timescale) / divisor)
        hasher.combine(epoch)
    }

    /// −1, 0 or 1.
    static func order(_ left: CMTime, _ right: CMTime) -> Int32 {
        guard left.rank == 0, right.rank == 0 else { return Int32((left.rank - right.rank).signum()) }
        guard left.epoch == right.epoch else { return left.epoch < right.epoch ? -1 : 1 }
        let difference = Int128(left.value) * Int128(right.timescale) - Int128(right.value) * Int128(left.timescale)
        return Int32(difference.signum())
    }
}

private func greatestCommonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
    var (large, small) = (first.magnitude, second.magnitude)
    while small != 0 { (large, small) = (small, large % small) }
    return Int64(max(1, large))
}
