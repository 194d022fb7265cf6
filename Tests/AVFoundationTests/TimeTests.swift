import AVFoundation
import TestSupport
import Testing

@Suite("CMTime", .limited)
struct TimeTests {
    @Test("Fractions compare, add and hash as numbers, whatever their units")
    func fractions() {
        #expect(CMTime(value: 1, timescale: 2) == CMTime(value: 300, timescale: 600))
        #expect(CMTime(value: 1, timescale: 2).hashValue == CMTime(value: 300, timescale: 600).hashValue)
        #expect(CMTime(value: 1, timescale: 3) < CMTime(value: 1, timescale: 2))
        let sum = CMTime(value: 1, timescale: 44_100) + CMTime(value: 1, timescale: 48_000)
        #expect(sum.timescale == 7_056_000 && sum.value == 307 && !sum.hasBeenRounded)
        #expect(CMTimeSubtract(sum, CMTimeMake(value: 1, timescale: 48_000)) == CMTime(value: 1, timescale: 44_100))
        // No common unit: the finest one there is, rounded.
        let coarse = CMTime(value: 1, timescale: 2_147_483_647) + CMTime(value: 1, timescale: 2_147_483_629)
        #expect(coarse.timescale == 2_147_483_647 && coarse.value == 2 && coarse.hasBeenRounded)
        let finer = CMTime(value: 1, timescale: 1_000_003) + CMTime(value: 1, timescale: 999_983)
        #expect(Units(finer) == Units(4295, 2_147_483_647, rounded: true))
        #expect(CMTimeMultiply(CMTime(value: 3, timescale: 4), multiplier: -2).seconds == -1.5)
        #expect(CMTimeMultiplyByFloat64(CMTime(value: 3, timescale: 4), multiplier: 1 / 3.0).seconds == 0.25)
        #expect(CMTimeAbsoluteValue(CMTime(value: -3, timescale: 4)).value == 3)
    }

    @Test("Seconds are rounded to the nearest unit, and need coarser ones where there are many")
    func seconds() {
        #expect(CMTime(seconds: 0.1, preferredTimescale: 600).value == 60)
        #expect(CMTime(seconds: 1.0 / 3, preferredTimescale: 10).hasBeenRounded)
        #expect(CMTime(seconds: 1e15, preferredTimescale: 1_000_000_000).seconds == 1e15)
        #expect(CMTime(seconds: .infinity, preferredTimescale: 1).isPositiveInfinity)
        #expect(!CMTime(seconds: .nan, preferredTimescale: 1).isValid)
        #expect(!CMTime(value: 1, timescale: 0).isValid)
        // 0.29 · 100 is less than 29, but 29 / 100 is 0.29.
        #expect(Units(CMTime(seconds: 0.29, preferredTimescale: 100)) == Units(29, 100))
        #expect(Units(CMTime(seconds: -0x1p62, preferredTimescale: 2)) == Units(.min, 2))
        #expect(CMTimeGetSeconds(.indefinite).isNaN && CMTime.negativeInfinity.seconds == -.infinity)
    }

    @Test("Times without a number have their order and their sums")
    func kinds() {
        let order: [CMTime] = [.negativeInfinity, .zero, .indefinite, .positiveInfinity, .invalid]
        #expect(order.shuffled().sorted() == order)
        #expect((.positiveInfinity + CMTime.zero).isPositiveInfinity)
        #expect(!(.positiveInfinity + CMTime.negativeInfinity).isValid)
        #expect((.indefinite + CMTime.zero).isIndefinite && !(.invalid + CMTime.zero).isValid)
        #expect((CMTime(value: .max, timescale: 1) + CMTime(value: .max, timescale: 1)).isPositiveInfinity)
    }

    @Test("Infinite times win over any but one that is invalid or infinite the other way")
    func infinities() {
        #expect((.indefinite + CMTime.positiveInfinity).isPositiveInfinity)
        #expect((.negativeInfinity + CMTime.indefinite).isNegativeInfinity)
        #expect((.indefinite - CMTime.positiveInfinity).isNegativeInfinity)
        #expect((.indefinite + CMTime.indefinite).isIndefinite)
        #expect((.zero - CMTime.indefinite).isIndefinite)
        #expect((.positiveInfinity + CMTime.positiveInfinity).isPositiveInfinity)
        #expect((.negativeInfinity - CMTime.positiveInfinity).isNegativeInfinity)
        #expect(!(.positiveInfinity - CMTime.positiveInfinity).isValid)
        #expect(!(.positiveInfinity + CMTime.invalid).isValid)
        #expect(!(.invalid - CMTime.indefinite).isValid)
        // A timescale must be positive.
        let broken = CMTime(value: 1, timescale: -5, flags: .valid, epoch: 0)
        let (sum, difference) = (broken + CMTime.zero, CMTime.zero - broken)
        #expect(!sum.isValid && !difference.isValid)
        #expect(broken == CMTime.invalid)
        #expect(CMTimeAbsoluteValue(.negativeInfinity).isPositiveInfinity)
    }

    @Test("A sum that does not fit is told in units twice as coarse, as often as it takes")
    func overflow() {
        let most = CMTime(value: .max, timescale: 600)
        let least = CMTime(value: .min, timescale: 600)
        #expect(Units(most + most) == Units(.max, 300))
        #expect(Units(most - least) == Units(1 << 62, 150, rounded: true))
        #expect(Units(CMTime.zero - least) == Units(1 << 62, 300))
        let fifths = CMTime(value: .max, timescale: 5)
        #expect(Units(fifths + fifths) == Units(7_378_697_629_483_820_646, 2, rounded: true))
        #expect(
            Units(CMTime(value: .min, timescale: 3) - CMTime(value: 1, timescale: 3))
                == Units(-3_074_457_345_618_258_603, 1))
        // One unit of the greatest timescale is too fine for so long a time.
        let sum = CMTime(value: .max, timescale: 2_147_483_647) + CMTime(value: .max, timescale: 2_147_483_629)
        #expect(Units(sum) == Units(4_611_686_031_312_289_933, 536_870_911, rounded: true))
        #expect((CMTime(value: .min, timescale: 1) - CMTime(value: 1, timescale: 1)).isNegativeInfinity)
        #expect((CMTime(value: 1, timescale: 1) - CMTime(value: .min, timescale: 1)).isPositiveInfinity)

        #expect(Units(CMTimeMultiply(most, multiplier: 2)) == Units(.max, 300))
        #expect(Units(CMTimeMultiply(least, multiplier: -1)) == Units(1 << 62, 300))
        #expect(CMTimeMultiply(CMTime(value: .min, timescale: 1), multiplier: .min).isPositiveInfinity)
        #expect(Units(CMTimeAbsoluteValue(least)) == Units(1 << 62, 300))
        #expect(CMTimeAbsoluteValue(CMTime(value: .min, timescale: 1)).isPositiveInfinity)
    }

    @Test("A product with a fraction has units of 1/65536 s at least, which the old ones are multiples of")
    func products() {
        let product = CMTimeMultiplyByFloat64(CMTime(value: 1, timescale: 600), multiplier: 0.5)
        #expect(Units(product) == Units(64, 76_800) && product == CMTime(value: 1, timescale: 1200))
        let fine = CMTime(value: 3, timescale: 90_000)
        #expect(Units(CMTimeMultiplyByFloat64(fine, multiplier: 0.5)) == Units(2, 90_000, rounded: true))
        #expect(Units(CMTimeMultiplyByFloat64(fine, multiplier: -0.5)) == Units(-2, 90_000, rounded: true))
        // More digits than a Double has.
        let most = CMTime(value: .max, timescale: 65_536)
        #expect(Units(CMTimeMultiplyByFloat64(most, multiplier: 1)) == Units(.max, 65_536))
        #expect(Units(CMTimeMultiplyByFloat64(most, multiplier: 4)) == Units(.max, 16_384))

        let second = CMTime(value: 1, timescale: 1)
        #expect(Units(CMTimeMultiplyByFloat64(second, multiplier: 0)) == Units(0, 65_536))
        #expect(Units(CMTimeMultiplyByFloat64(.zero, multiplier: 1e308)) == Units(0, 65_536))
        #expect(
            Units(CMTimeMultiplyByFloat64(second, multiplier: .leastNonzeroMagnitude))
                == Units(0, 65_536, rounded: true))
        #expect(CMTimeMultiplyByFloat64(second, multiplier: -.greatestFiniteMagnitude).isNegativeInfinity)
        #expect(CMTimeMultiplyByFloat64(CMTime(value: .min, timescale: 1), multiplier: -2).isPositiveInfinity)
        #expect(CMTimeMultiplyByFloat64(.positiveInfinity, multiplier: -0.5).isNegativeInfinity)
        #expect(CMTimeMultiplyByFloat64(.indefinite, multiplier: -0.5).isIndefinite)
        #expect(!CMTimeMultiplyByFloat64(second, multiplier: .nan).isValid)
    }

    @Test("What comes of a rounded time is rounded")
    func roundedOperands() {
        let rounded = CMTime(value: 2, timescale: 1, flags: [.valid, .hasBeenRounded], epoch: 7)
        let product = CMTimeMultiplyByFloat64(rounded, multiplier: 0.5)
        #expect(Units(product) == Units(65_536, 65_536, rounded: true) && product.epoch == 7)
        let whole = CMTimeMultiply(rounded, multiplier: 3)
        #expect(Units(whole) == Units(6, 1, rounded: true) && whole.epoch == 7)
        #expect((CMTime(value: 1, timescale: 1) - rounded).hasBeenRounded)
        let converted = rounded.convertScale(600, method: .default)
        #expect(Units(converted) == Units(1200, 600, rounded: true) && converted.epoch == 7)
    }

    @Test("Different nonzero epochs make an invalid time, the same one a duration, and durations are added to any")
    func epochs() {
        let (one, other) = (inEpoch(1, 5), inEpoch(2, 3))
        #expect(!(one + other).isValid)
        #expect(!(one - other).isValid)
        let (sum, difference) = (one + inEpoch(1, 3), one - inEpoch(1, 3))
        #expect(sum.epoch == 0 && sum.seconds == 8)
        #expect(difference.epoch == 0 && difference.seconds == 2)
        let duration = CMTime(value: 4, timescale: 2)
        for time in [one + duration, duration + one, one - duration] { #expect(time.epoch == 1) }
        #expect((one - duration).seconds == 3)
        #expect(one < other && duration < one)
        let before = CMTimeAbsoluteValue(inEpoch(1, -5))
        #expect(before.value == 5 && before.epoch == 1)
    }

    @Test(
        "Other units, rounded as asked",
        arguments: [
            (CMTimeRoundingMethod.default, [2, -2]), (.roundTowardZero, [1, -1]), (.roundAwayFromZero, [2, -2]),
            (.roundTowardPositiveInfinity, [2, -1]), (.roundTowardNegativeInfinity, [1, -2]),
        ])
    func conversion(method: CMTimeRoundingMethod, expected: [CMTimeValue]) {
        let values = [3, -3].map { CMTime(value: $0, timescale: 2).convertScale(1, method: method).value }
        #expect(values == expected)
    }

    @Test("QuickTime's rounding: toward zero to coarser units, away from it to finer ones, never a negative time to 0")
    func conversionOfQuickTime() {
        let cases: [(CMTime, CMTimeScale, CMTimeValue)] = [
            (CMTime(value: 3, timescale: 2), 1, 1), (CMTime(value: -3, timescale: 2), 1, -1),
            (CMTime(value: 1, timescale: 2), 1, 0), (CMTime(value: -1, timescale: 1000), 1, -1),
            (CMTime(value: 1, timescale: 2), 3, 2), (CMTime(value: -1, timescale: 2), 3, -2),
            (CMTime(value: -4, timescale: 2), 1, -2), (CMTime(value: -1, timescale: 2), 4, -2),
        ]
        for (time, scale, expected) in cases {
            #expect(time.convertScale(scale, method: .quickTime).value == expected, "\(time) in \(scale)")
        }
    }

    @Test("The longest times are compared, converted and hashed")
    func extremes() {
        let most = CMTime(value: .max, timescale: .max)
        let least = CMTime(value: .min, timescale: 1)
        #expect(least < most && most < CMTime(value: .max, timescale: 1))
        #expect(least.convertScale(.max, method: .quickTime).isNegativeInfinity)
        #expect(!least.convertScale(0, method: .default).isValid && !most.convertScale(.min, method: .default).isValid)
        #expect(Set([least, CMTime(value: 1 << 62, timescale: 1), CMTime(value: .min, timescale: 2)]).count == 3)
        #expect(CMTimeRange(start: least, end: CMTime(value: .max, timescale: 1)).duration.isPositiveInfinity)
    }

    @Test("Times and ranges go through NSValue; anything else is invalid")
    func values() {
        let time = CMTime(value: 1, timescale: 3, flags: [.valid, .hasBeenRounded], epoch: 7)
        let back = NSValue(time: time).timeValue
        #expect(back == time && back.epoch == 7 && back.hasBeenRounded)
        let range = CMTimeRange(start: CMTime(value: 1, timescale: 2), end: CMTime(value: 2, timescale: 1))
        #expect(NSValue(timeRange: range).timeRangeValue == range)
        #expect(!NSNumber(value: 3).timeValue.isValid && !NSValue(time: time).timeRangeValue.isValid)
    }

    @Test("Ranges end before their end")
    func ranges() {
        let range = CMTimeRange(start: CMTime(value: 1, timescale: 1), duration: CMTime(value: 2, timescale: 1))
        #expect(range.end.seconds == 3 && range.containsTime(range.start) && !range.containsTime(range.end))
        let other = CMTimeRange(start: CMTime(value: 2, timescale: 1), duration: CMTime(value: 9, timescale: 1))
        #expect(range.intersection(other).duration.seconds == 1 && range.union(other).end.seconds == 11)
        #expect(!CMTimeRange.invalid.isValid && CMTimeRange.zero.isEmpty && range.containsTimeRange(range))
    }

    @Test("A range has the epoch of its start, and cannot span different epochs")
    func rangesOfEpochs() {
        let range = CMTimeRange(start: inEpoch(3, 1), end: inEpoch(3, 4))
        #expect(range.duration.epoch == 0 && range.end.epoch == 3 && range.isValid)
        #expect(range.containsTime(inEpoch(3, 1)) && !range.containsTime(inEpoch(3, 4)))
        #expect(!range.containsTime(inEpoch(0, 2)))
        #expect(!CMTimeRange(start: inEpoch(3, 1), end: inEpoch(4, 4)).isValid)
        #expect(!CMTimeRange(start: .zero, end: inEpoch(3, 4)).isValid)
    }
}

private func inEpoch(_ epoch: CMTimeEpoch, _ seconds: CMTimeValue) -> CMTime {
    CMTime(value: seconds, timescale: 1, flags: .valid, epoch: epoch)
}

/// What a time is made of; equal times need not have it in common.
private struct Units: Equatable {
    let value: CMTimeValue
    let timescale: CMTimeScale
    let isRounded: Bool

    init(_ value: CMTimeValue, _ timescale: CMTimeScale, rounded: Bool = false) {
        self.value = value
        self.timescale = timescale
        isRounded = rounded
    }

    init(_ time: CMTime) { self.init(time.value, time.timescale, rounded: time.hasBeenRounded) }
}
