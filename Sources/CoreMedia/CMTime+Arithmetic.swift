/// A rounding method for the conversion of a time to other units.
///
/// Apple: `CMTimeRoundingMethod`.
public enum CMTimeRoundingMethod: UInt32, Sendable {
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero for coarser units, away from zero for finer ones; a negative time never becomes zero.
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    /// The nearest unit; halves away from zero.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}

extension CMTime {
    // MARK: Rounding

    /// Converts the time to other units; infinite if the value does not fit into 64 bits.
    ///
    /// A time without a number is returned as it is, and a timescale that is not positive gives an invalid time.
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

    /// The time of `numerator / denominator` seconds in the given units; nil if the value does not fit into 64 bits.
    ///
    /// The numerator has 96 bits at most, so that its product with any timescale fits into 127.
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
            // For finer units the method is away from zero, which `convertScale` requests explicitly.
            case .quickTime: whole == 0 && rest < 0 ? -1 : 0
            case .roundTowardPositiveInfinity: rest > 0 ? 1 : 0
            case .roundTowardNegativeInfinity: rest < 0 ? -1 : 0
            }
        guard let value = Int64(exactly: whole + step) else { return nil }
        return CMTime(
            value: value, timescale: timescale, flags: rest == 0 ? flags : flags.union(.hasBeenRounded), epoch: epoch)
    }

    /// The time of `numerator / denominator` seconds, in units twice as coarse until the value fits, or else infinite.
    private static func fraction(
        _ numerator: Int128, over denominator: Int128, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch
    ) -> CMTime {
        var scale = timescale
        while scale > 0 {
            // From the exact time at each step, to round only once.
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

    /// The timescale that holds both times exactly, or the finest one if there is none.
    private static func commonTimescale(_ left: CMTime, _ right: CMTime) -> CMTimeScale {
        let (first, second) = (Int64(left.timescale), Int64(right.timescale))
        let common = first / greatestCommonDivisor(first, second) * second
        return CMTimeScale(exactly: common) ?? .max
    }

    /// The epoch of a sum or difference; nil if the two epochs are not comparable.
    ///
    /// Durations have epoch 0. Apple documents the result to be a duration for sums within one epoch, not only for
    /// differences.
    private static func commonEpoch(_ left: CMTime, _ right: CMTime) -> CMTimeEpoch? {
        if left.epoch == right.epoch { return 0 }
        return left.epoch == 0 || right.epoch == 0 ? left.epoch + right.epoch : nil
    }

    /// The sum of two times of which at least one has no number.
    private static func impliedSum(_ left: CMTime, _ right: CMTime) -> CMTime {
        guard left.isValid, right.isValid else { return .invalid }
        let up = left.isPositiveInfinity || right.isPositiveInfinity
        let down = left.isNegativeInfinity || right.isNegativeInfinity
        if up || down { return up && down ? .invalid : up ? .positiveInfinity : .negativeInfinity }
        return left.isIndefinite || right.isIndefinite ? .indefinite : .invalid
    }

    /// The left time plus `sign` times the right one.
    private static func sum(_ left: CMTime, _ sign: Int128, _ right: CMTime) -> CMTime {
        guard left.isNumeric, right.isNumeric else { return impliedSum(left, sign < 0 ? right.negated : right) }
        guard let epoch = commonEpoch(left, right) else { return .invalid }
        let first = Int128(left.value) * Int128(right.timescale)
        let second = Int128(right.value) * Int128(left.timescale)
        return fraction(
            first + sign * second, over: Int128(left.timescale) * Int128(right.timescale),
            timescale: commonTimescale(left, right), flags: left.flags.union(right.flags), epoch: epoch)
    }

    /// The sum of two times, exact if a timescale holds it; invalid if the two have different epochs and neither is 0.
    public static func + (left: CMTime, right: CMTime) -> CMTime { sum(left, 1, right) }

    /// The difference of two times; the rules are those of the sum.
    public static func - (left: CMTime, right: CMTime) -> CMTime { sum(left, -1, right) }

    /// Adds a time to another.
    public static func += (left: inout CMTime, right: CMTime) { left = left + right }

    /// Subtracts a time from another.
    public static func -= (left: inout CMTime, right: CMTime) { left = left - right }

    // MARK: Products

    /// The time with the opposite sign.
    var negated: CMTime {
        if isPositiveInfinity { return .negativeInfinity }
        if isNegativeInfinity { return .positiveInfinity }
        guard isNumeric else { return self }
        return .fraction(-Int128(value), over: Int128(timescale), timescale: timescale, flags: flags, epoch: epoch)
    }

    /// The time multiplied by an integer.
    func multiplied(by factor: Int32) -> CMTime {
        guard isNumeric else { return factor < 0 ? negated : self }
        return .fraction(
            Int128(value) * Int128(factor), over: Int128(timescale), timescale: timescale, flags: flags, epoch: epoch)
    }

    /// The time multiplied by a fraction, in its own units if they hold the result exactly, else in finer ones.
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

    /// The time multiplied by a floating-point number, in units of 1/65536 s or finer.
    func multiplied(by factor: Double) -> CMTime {
        guard isNumeric else { return factor < 0 ? negated : self }
        // The factor is infinite or NaN.
        guard factor.isFinite else { return CMTime(seconds: seconds * factor, preferredTimescale: timescale) }
        var scale = timescale
        while scale < 65_536 { scale *= 2 }
        guard value != 0, factor != 0 else { return CMTime(value: 0, timescale: scale, flags: flags, epoch: epoch) }
        // Such a value exceeds 64 bits of seconds at any timescale; smaller ones fit into the following computation.
        guard abs(Double(value) * factor) < 0x1p94 else {
            return (value < 0) == (factor < 0) ? .positiveInfinity : .negativeInfinity
        }
        // The factor as an integer of 53 bits, with `places` binary places.
        let places = 52 - factor.exponent
        let digits = Int64(factor.significand * 0x1p52)
        let product = Int128(value) * Int128(factor < 0 ? -digits : digits)
        // Bits beyond 95 are far below a unit, and would not fit beside the timescale.
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
    /// The position of a time without a number in the order; 0 for numeric times.
    private var rank: Int {
        if isNumeric { return 0 }
        if isNegativeInfinity { return -1 }
        if isIndefinite { return 1 }
        return isPositiveInfinity ? 2 : 3
    }

    /// Whether a time is earlier, in this order: negative infinity, numeric times by epoch and value, indefinite,
    /// positive infinity, invalid.
    public static func < (left: CMTime, right: CMTime) -> Bool { CMTimeCompare(left, right) < 0 }

    /// Whether two times are equal, whatever their timescales.
    public static func == (left: CMTime, right: CMTime) -> Bool { CMTimeCompare(left, right) == 0 }

    /// Hashes the reduced fraction, so that equal times in different units have one hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        let divisor = greatestCommonDivisor(value, Int64(timescale))
        hasher.combine(value / divisor)
        hasher.combine(Int64(timescale) / divisor)
        hasher.combine(epoch)
    }

    /// The order of two times: −1, 0 or 1.
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
