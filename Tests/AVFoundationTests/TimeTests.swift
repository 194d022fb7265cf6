import AVFoundation
import Testing

@Suite("CMTime")
struct TimeTests {
    @Test("Fractions compare, add and hash as numbers, whatever their units")
    func fractions() {
        #expect(CMTime(value: 1, timescale: 2) == CMTime(value: 300, timescale: 600))
        #expect(CMTime(value: 1, timescale: 2).hashValue == CMTime(value: 300, timescale: 600).hashValue)
        #expect(CMTime(value: 1, timescale: 3) < CMTime(value: 1, timescale: 2))
        let sum = CMTime(value: 1, timescale: 44_100) + CMTime(value: 1, timescale: 48_000)
        #expect(sum.timescale == 7_056_000 && sum.value == 307 && !sum.hasBeenRounded)
        #expect(CMTimeSubtract(sum, CMTimeMake(value: 1, timescale: 48_000)) == CMTime(value: 1, timescale: 44_100))
        // No common unit: the finer one, rounded.
        let coarse = CMTime(value: 1, timescale: 2_147_483_647) + CMTime(value: 1, timescale: 2_147_483_629)
        #expect(coarse.timescale == 2_147_483_647 && coarse.value == 2 && coarse.hasBeenRounded)
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
}
