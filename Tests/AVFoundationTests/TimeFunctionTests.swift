import AVFAudio
import CoreMedia
import TestSupport
import Testing

@Suite("Functions of CoreMedia", .limited)
struct TimeFunctionTests {
    private let third = CMTime(value: 1, timescale: 3)

    @Test("A time is multiplied by a fraction in its own units where these do, else in finer ones")
    func ratio() {
        func product(_ value: Int64, _ scale: Int32, _ multiplier: Int32, _ divisor: Int32) -> CMTime {
            CMTimeMultiplyByRatio(CMTime(value: value, timescale: scale), multiplier: multiplier, divisor: divisor)
        }
        let own = product(9, 600, 2, 3)
        #expect(own.value == 6 && own.timescale == 600 && !own.hasBeenRounded)
        let finer = product(1, 600, 2, 4)
        #expect(finer.value == 1 && finer.timescale == 1200 && !finer.hasBeenRounded)
        let negative = product(1, 2, 1, -3)
        #expect(negative.value == -1 && negative.timescale == 6)
        let zero = product(0, 600, 5, 7)
        #expect(zero.value == 0 && zero.timescale == 600)
        // 2147483647 is a prime, and so there are no units that hold a half of its.
        let rounded = product(1, 2_147_483_647, 3, 2)
        #expect(rounded.value == 2 && rounded.timescale == 2_147_483_647 && rounded.hasBeenRounded)
        // No multiple of the units fits, but the fraction can be reduced.
        let reduced = product(1_000_000_000, 1_000_000_000, 1, 3)
        #expect(reduced == third && !reduced.hasBeenRounded)
        #expect(product(.max, 1, .max, 1).isPositiveInfinity && product(.max, 1, .max, -1).isNegativeInfinity)
        let times: [CMTime] = [.positiveInfinity, .negativeInfinity, .indefinite]
        let negated = times.map { CMTimeMultiplyByRatio($0, multiplier: 1, divisor: -2) }
        #expect(negated == [.negativeInfinity, .positiveInfinity, .indefinite])
        #expect(!product(1, 1, 1, 0).isValid && !CMTimeMultiplyByRatio(.invalid, multiplier: 1, divisor: 1).isValid)
    }

    @Test("Ranges are compared, joined and cut by functions as by members")
    func ranges() {
        let first = CMTimeRangeMake(start: .zero, duration: CMTime(value: 2, timescale: 1))
        let (one, three) = (CMTime(value: 1, timescale: 1), CMTime(value: 3, timescale: 1))
        let second = CMTimeRangeFromTimeToTime(start: one, end: three)
        #expect(CMTimeRangeGetUnion(first, otherRange: second).end.seconds == 3)
        let both = CMTimeRangeGetIntersection(first, otherRange: second)
        #expect(both.start.seconds == 1 && both.end.seconds == 2)
        #expect(CMTimeRangeEqual(both, CMTimeRangeGetIntersection(second, otherRange: first)))
        #expect(!CMTimeRangeEqual(first, second))
        #expect(CMTimeRangeContainsTimeRange(first, otherRange: both))
        #expect(!CMTimeRangeContainsTimeRange(both, otherRange: first))
        #expect(CMTimeRangeContainsTime(first, time: third) && !CMTimeRangeContainsTime(second, time: third))
        #expect(CMTIMERANGE_IS_VALID(first) && !CMTIMERANGE_IS_VALID(.invalid))
        #expect(CMTIMERANGE_IS_INVALID(.invalid) && !CMTIMERANGE_IS_INVALID(.zero))
        #expect(CMTIMERANGE_IS_EMPTY(.zero) && !CMTIMERANGE_IS_EMPTY(first))
        #expect(CMTIMERANGE_IS_INDEFINITE(CMTimeRange(start: .zero, duration: .indefinite)))
        #expect(!CMTIMERANGE_IS_INDEFINITE(first))
    }

    @Test("A time is clamped to a range that has something in it")
    func clamping() {
        let range = CMTimeRange(start: third, duration: CMTime(value: 1, timescale: 1))
        #expect(CMTimeClampToRange(.zero, range: range) == third)
        #expect(CMTimeClampToRange(CMTime(value: 1, timescale: 2), range: range) == CMTime(value: 1, timescale: 2))
        #expect(CMTimeClampToRange(.positiveInfinity, range: range) == range.end)
        #expect(!CMTimeClampToRange(third, range: .zero).isValid)
        #expect(!CMTimeClampToRange(third, range: .invalid).isValid)
        #expect(!CMTimeClampToRange(.invalid, range: range).isValid)
    }

    @Test("What is shown of a time and a range")
    func showing() {
        #expect(CMTime(value: 1, timescale: 2).shown == "{1/2 = 0.500}")
        #expect(CMTime(seconds: 1.0 / 3, preferredTimescale: 10).shown == "{3/10 = 0.300, rounded}")
        let others: [CMTime] = [.positiveInfinity, .negativeInfinity, .indefinite, .invalid]
        #expect(others.map(\.shown) == ["{+INFINITY}", "{-INFINITY}", "{INDEFINITE}", "{INVALID}"])
        #expect(CMTimeRange(start: .zero, duration: third).shown == "{{0/1 = 0.000}, {1/3 = 0.333}}")
        CMTimeShow(third)
    }

    @Test("Kinds of times have their functions")
    func kinds() {
        #expect(CMTIME_IS_POSITIVEINFINITY(.positiveInfinity) && !CMTIME_IS_POSITIVEINFINITY(.negativeInfinity))
        #expect(CMTIME_IS_NEGATIVEINFINITY(.negativeInfinity) && !CMTIME_IS_NEGATIVEINFINITY(.zero))
        #expect(CMTIME_HAS_BEEN_ROUNDED(CMTime(seconds: 1.0 / 3, preferredTimescale: 10)))
        #expect(!CMTIME_HAS_BEEN_ROUNDED(third))
    }

    @Test("Dispatch's constants are there with AVFAudio and CoreMedia, and are the same ones")
    func constants() {
        #expect(CMTime(seconds: 0.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC)).value == 500_000_000)
        #expect(CoreMedia.NSEC_PER_MSEC == AVFAudio.NSEC_PER_MSEC)
    }
}
