import AVFoundation
import TestSupport
import Testing

@Suite("Times as objects", .limited)
struct TimeObjectTests {
    private let third = CMTime(value: 1, timescale: 3)

    @Test("A time, or a range, becomes an object with as, and comes back by a cast")
    func bridging() {
        let times = [third as NSValue, NSValue(time: .invalid)]
        #expect(times[0].timeValue == third && times.first as? CMTime == third)
        #expect((times[1] as? CMTime)?.isValid == false, "an invalid time is one too")
        #expect(([third, .zero] as [NSValue]).map(\.timeValue) == [third, .zero])
        let range = CMTimeRange(start: third, duration: third)
        let ranges = [range as NSValue]
        #expect(ranges[0].timeRangeValue == range && ranges.first as? CMTimeRange == range)
        #expect(ranges as? [CMTimeRange] == [range])
    }

    @Test("An object that holds something else is not cast")
    func others() {
        let (time, range) = (third as NSValue, CMTimeRange.zero as NSValue)
        #expect(time as? CMTimeRange == nil && range as? CMTime == nil)
        #expect(NSNumber(value: 3) as NSValue as? CMTime == nil)
        #expect(!range.timeValue.isValid && !time.timeRangeValue.isValid)
    }

    @Test("What holds anything gives times as objects, too")
    func any() {
        let anything: Any = third
        #expect((anything as? NSValue)?.timeValue == third && anything as? CMTime == third)
        let dictionary = ["time": third] as NSDictionary
        #expect(dictionary["time"] as? CMTime == third)
    }
}
