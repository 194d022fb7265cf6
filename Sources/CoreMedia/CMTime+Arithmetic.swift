/// How a time is brought to other units.
///
/// Apple: `CMTimeRoundingMethod`.
public enum CMTimeRoundingMethod: UInt32, Sendable {
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero to coarser units, away from zero to finer ones; a negative time never becomes zero.
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    /// To the nearest unit.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}

extension CMTime {
    // MARK: Rounding

    /// The same time in other units; infinite if it needs more of them than there are.
    ///
    /// Apple: `CMTime.convertScale(_:method:)`, `CMTimeConvertScale(_:timescale:method:)`.
    public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric else { return self }
        guard newTimescale > 0 else { return .invalid }
        let converted = CMTime.units(
            Int128(value), over: Int128(timescale), timescale: newTimescale,
            method: method == .quickTime && newTimescale > timescale ? .roundAwayFromZero : method, flags: flags,
            epoch: epoch)
        return converted ?? (value > 0 ? .positiveInfinity : .negativeInfinity)
    }

    /// The time `numerator / denominator` seconds from zero, nil where it takes more units than there are.
    ///
    /// The numerator takes up to 96 bits, so that a multiplication by any timescale leaves it in 127.
    private static func units(
        _ numerator: Int128, over denominator: Int128, timescale: CMTimeScale, method: CMTimeRoundingMethod,
        flags: CMTimeFlags, epoch: CMTimeEpoch
    ) -> CMTime? {
        let (whole, rest) = (numerator * Int128(timescale)).quotientAndRemainder(dividingBy: denominator)
        let sign: Int128 = numerator < 0 ? -1 : 1
        let step: Int128 =
            switch method {
            case .roundHalfAwayFromZero: rest.magnitude * 2 >= denominator.magnitude ? sign : 0
            case .roundTowardZero: 0
            case .roundAwayFromZero: rest == 0 ? 0 : sign
            // To finer units it is away from zero, which `convertScale` asks for by name.
            case .quickTime: whole == 0 && rest < 0 ? -1 : 0
            case .roundTowardPositiveInfinity: rest > 0 ? 1 : 0
            case .roundTowardNegativeInfinity: rest < 0 ? -1 : 0
            }
        guard let value = Int64(exactly: whole + step) else { return nil }
        return CMTime(
            value: value, timescale: timescale, flags: rest == 0 ? flags : flags.union(.hasBeenRounded), epoch: epoch)
    }

    /// The time `numerator / denominator` seconds from zero, in units twice as coarse until it fits, or else infinite.
    private static func fraction(
        _ numerator: Int128, over denominator: Int128, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch
    ) -> CMTime {
        var scale = timescale
        while scale > 0 {
            // From the exact time at each step, so that nothing is rounded twice.
            if let time = units(
                numerator, over: denominator, timescale: scale, method: .default, flags: flags, epoch: epoch)
            {
                return time
            }
            scale /= 2
        }
        return numerator > 0 ? .positiveInfinity : .negativeInfinity
    }

    // MARK: Sums

    /// Units that hold both times exactly, or the finest ones if there are none.
    private static func commonTimescale(_ left: CMTime, _ right: CMTime) -> CMTimeScale {
        let (first, second) = (Int64(left.timescale), Int64(right.timescale))
        let common = first / greatestCommonDivisor(first, second) * second
        return CMTimeScale(exactly: common) ?? .max
    }

    /// The epoch of the sum or difference of two times; nil if they are an unknown time apart.
    ///
    /// Epoch 0 is that of durations. Apple documents sums within another epoch, not only differences, to be durations.
    private static func commonEpoch(_ left: CMTime, _ right: CMTime) -> CMTimeEpoch? {
        if left.epoch == right.epoch { return 0 }
        return left.epoch == 0 || right.epoch == 0 ? left.epoch + right.epoch : nil
    }

    /// The sum of times of which at least one is no number.
    private static func impliedSum(_ left: CMTime, _ right: CMTime) -> CMTime {
        guard left.isValid, right.isValid else { return .invalid }
        let up = left.isPositiveInfinity || right.isPositiveInfinity
        let down = left.isNegativeInfinity || right.isNegativeInfinity
        if up || down { return up && down ? .invalid : up ? .positiveInfinity : .negativeInfinity }
        return left.isIndefinite || right.isIndefinite ? .indefinite : .invalid
    }

    /// The left time and, so many times, the right one.
    private static func sum(_ left: CMTime, _ sign: Int128, _ right: CMTime) -> CMTime {
        guard left.isNumeric, right.isNumeric else { return impliedSum(left, sign < 0 ? right.negated : right) }
        guard let epoch = commonEpoch(left, right) else { return .invalid }
        let first = Int128(left.value) * Int128(right.timescale)
        let second = Int128(right.value) * Int128(left.timescale)
        return fraction(
            first + sign * second, over: Int128(left.timescale) * Int128(right.timescale),
            timescale: commonTimescale(left, right), flags: left.flags.union(right.flags), epoch: epoch)
    }

    /// The sum of two times, exact where there are units that hold it; invalid if both have an epoch, and not the same.
    public static func + (left: CMTime, right: CMTime) -> CMTime { sum(left, 1, right) }

    /// The difference of two times, as their sum.
    public static func - (left: CMTime, right: CMTime) -> CMTime { sum(left, -1, right) }

    /// Adds a time.
    public static func += (left: inout CMTime, right: CMTime) { left = left + right }

    /// Subtracts a time.
    public static func -= (left: inout CMTime, right: CMTime) { left = left - right }

    // MARK: Products

    /// The time as far on the other side of zero.
    var negated: CMTime {
        if isPositiveInfinity { return .negativeInfinity }
        if isNegativeInfinity { return .positiveInfinity }
        guard isNumeric else { return self }
        return .fraction(-Int128(value), over: Int128(timescale), timescale: timescale, flags: flags, epoch: epoch)
    }

    /// The time multiplied by a whole number.
    func multiplied(by factor: Int32) -> CMTime {
        guard isNumeric else { return factor < 0 ? negated : self }
        return .fraction(
            Int128(value) * Int128(factor), over: Int128(timescale), timescale: timescale, flags: flags, epoch: epoch)
    }

    /// The time multiplied by a fraction, in units of its own if these hold it exactly, else in finer ones.
    func multiplied(by factor: Int32, over divisor: Int32) -> CMTime {
        guard divisor != 0 else { return .invalid }
        guard isNumeric else { return (factor < 0) != (divisor < 0) ? negated : self }
        let numerator = Int128(value) * Int128(factor) * (divisor < 0 ? -1 : 1)
        let (own, parts) = (Int128(timescale), Int128(divisor.magnitude))
        let multiple = own * (parts / greatestCommonDivisor(numerator, parts))
        let coarsest = own * parts / greatestCommonDivisor(numerator, own * parts)
        return .fraction(
            numerator, over: own * parts,
            timescale: CMTimeScale(exactly: multiple) ?? CMTimeScale(exactly: coarsest) ?? .max, flags: flags,
            epoch: epoch)
    }

    /// The time multiplied by any number, in units of 1/65536 s or finer ones.
    func multiplied(by factor: Double) -> CMTime {
        guard isNumeric else { return factor < 0 ? negated : self }
        // Infinite, or no number.
        guard factor.isFinite else { return CMTime(seconds: seconds * factor, preferredTimescale: timescale) }
        var scale = timescale
        while scale < 65_536 { scale *= 2 }
        guard value != 0, factor != 0 else { return CMTime(value: 0, timescale: scale, flags: flags, epoch: epoch) }
        // So many units are too many seconds at any timescale, and fewer fit into what follows.
        guard abs(Double(value) * factor) < 0x1p94 else {
            return (value < 0) == (factor < 0) ? .positiveInfinity : .negativeInfinity
        }
        // The factor is a whole number of 53 bits, of which so many are behind the point.
        let places = 52 - factor.exponent
        let digits = Int64(factor.significand * 0x1p52)
        let product = Int128(value) * Int128(factor < 0 ? -digits : digits)
        // What is beyond 95 bits is far below a unit, and would not fit beside the timescale.
        let length = Int128.bitWidth - product.magnitude.leadingZeroBitCount
        let excess = max(min(places, 0), length - 95, places - 95)
        let numerator = product >> excess
        let isExact = numerator << excess == product
        return .fraction(
            numerator, over: Int128(timescale) << (places - excess), timescale: scale,
            flags: isExact ? flags : flags.union(.hasBeenRounded), epoch: epoch)
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

private func greatestCommonDivisor<Number: FixedWidthInteger>(_ first: Number, _ second: Number) -> Number {
    var (large, small) = (first.magnitude, second.magnitude)
    while small != 0 { (large, small) = (small, large % small) }
    return Number(max(1, large))
}
