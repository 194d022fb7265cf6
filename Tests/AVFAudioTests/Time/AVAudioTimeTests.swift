import AVFAudio
import Glibc
import TestSupport
import Testing

/// Moments in frames and on the host clock.
@Suite("AVAudioTime", .limited)
struct AVAudioTimeTests {
    @Test("E190: host ticks are nanoseconds of the monotonic clock, and convert to seconds and back")
    func hostTime() {
        var before = timespec()
        clock_gettime(CLOCK_MONOTONIC, &before)
        let ticks = mach_absolute_time()
        var after = timespec()
        clock_gettime(CLOCK_MONOTONIC, &after)
        #expect(ticks >= UInt64(before.tv_sec) * 1_000_000_000 + UInt64(before.tv_nsec))
        #expect(ticks <= UInt64(after.tv_sec) * 1_000_000_000 + UInt64(after.tv_nsec))
        var base = mach_timebase_info_data_t()
        #expect(mach_timebase_info(&base) == 0 && base.numer == 1 && base.denom == 1)
        #expect(AVAudioTime.seconds(forHostTime: 1_500_000_000) == 1.5)
        #expect(AVAudioTime.hostTime(forSeconds: 1.5) == 1_500_000_000)
        #expect(AVAudioTime.hostTime(forSeconds: -1) == 0 && AVAudioTime.hostTime(forSeconds: .nan) == 0)
        #expect(AVAudioTime.hostTime(forSeconds: .infinity) == .max)
    }

    @Test("E191: a moment has the times that it was made of")
    func validity() {
        let frames = AVAudioTime(sampleTime: -44100, atRate: 44100)
        #expect(frames.isSampleTimeValid && !frames.isHostTimeValid)
        #expect(frames.sampleTime == -44100 && frames.sampleRate == 44100 && frames.hostTime == 0)
        let host = AVAudioTime(hostTime: 7)
        #expect(host.isHostTimeValid && !host.isSampleTimeValid)
        #expect(host.hostTime == 7 && host.sampleTime == 0 && host.sampleRate == 0)
        let both = AVAudioTime(hostTime: 7, sampleTime: 9, atRate: 8000)
        #expect(both.isHostTimeValid && both.isSampleTimeValid && both.hostTime == 7 && both.sampleTime == 9)
        #expect(both.audioTimeStamp.mFlags == .sampleHostTimeValid && both.audioTimeStamp.mSampleTime == 9)
        for rate in [0, -1, Double.nan, .infinity] {
            let time = AVAudioTime(hostTime: 7, sampleTime: 9, atRate: rate)
            #expect(!time.isSampleTimeValid && time.isHostTimeValid && time.sampleTime == 0, "\(rate) Hz")
        }
    }

    @Test("E191: a time stamp keeps all its members, and says itself what is valid")
    func stamp() {
        var stamp = AudioTimeStamp()
        stamp.mSampleTime = 12.75
        stamp.mHostTime = 5
        stamp.mRateScalar = 1.001
        stamp.mFlags = [.sampleTimeValid, .rateScalarValid]
        let time = AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48000)
        #expect(time.isSampleTimeValid && !time.isHostTimeValid && time.sampleTime == 12 && time.hostTime == 0)
        #expect(time.audioTimeStamp.mSampleTime == 12.75 && time.audioTimeStamp.mRateScalar == 1.001)
        stamp.mSampleTime = .nan
        #expect(!AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48000).isSampleTimeValid)
        stamp.mSampleTime = 1e300
        #expect(AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48000).sampleTime == 0)
    }

    @Test("E192: what is missing is counted from an anchor, across rates")
    func extrapolation() throws {
        let anchor = AVAudioTime(hostTime: 10_000_000_000, sampleTime: 44100, atRate: 44100)
        // Frame 44 100 at 44.1 kHz is frame 48 000 at 48 kHz; a second later is 96 000.
        let later = try #require(AVAudioTime(sampleTime: 96000, atRate: 48000).extrapolateTime(fromAnchor: anchor))
        #expect(later.hostTime == 11_000_000_000 && later.sampleTime == 96000 && later.sampleRate == 48000)
        let earlier = try #require(AVAudioTime(sampleTime: 0, atRate: 48000).extrapolateTime(fromAnchor: anchor))
        #expect(earlier.hostTime == 9_000_000_000)

        var stamp = AudioTimeStamp()
        stamp.mHostTime = 10_500_000_000
        stamp.mFlags = .hostTimeValid
        let counted = try #require(
            AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48000).extrapolateTime(fromAnchor: anchor))
        #expect(counted.sampleTime == 72000 && counted.isSampleTimeValid && counted.hostTime == 10_500_000_000)
        stamp.mHostTime = 9_500_000_000
        let back = AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48000).extrapolateTime(fromAnchor: anchor)
        #expect(back?.sampleTime == 24000)
        #expect(anchor.extrapolateTime(fromAnchor: later) === anchor)
    }

    @Test("E192: a host clock of a year is exact to the nanosecond")
    func longUptime() throws {
        let year: UInt64 = 31_536_000 * 1_000_000_000 + 1
        let anchor = AVAudioTime(hostTime: year, sampleTime: 0, atRate: 1_000_000_000)
        let later = try #require(AVAudioTime(sampleTime: 2, atRate: 1_000_000_000).extrapolateTime(fromAnchor: anchor))
        #expect(later.hostTime == year + 2)
        var stamp = AudioTimeStamp()
        stamp.mHostTime = year + 3
        stamp.mFlags = .hostTimeValid
        let counted = AVAudioTime(audioTimeStamp: &stamp, sampleRate: 1_000_000_000)
            .extrapolateTime(fromAnchor: anchor)
        #expect(counted?.sampleTime == 3)
    }

    @Test("E192: there is no result without an anchor of both times, a rate, or room on the clock")
    func noExtrapolation() {
        let frames = AVAudioTime(sampleTime: 100, atRate: 48000)
        let anchor = AVAudioTime(hostTime: 10, sampleTime: 48000, atRate: 48000)
        #expect(frames.extrapolateTime(fromAnchor: AVAudioTime(hostTime: 10)) == nil)
        #expect(frames.extrapolateTime(fromAnchor: frames) == nil)
        #expect(AVAudioTime(hostTime: 5).extrapolateTime(fromAnchor: anchor) == nil)
        #expect(frames.extrapolateTime(fromAnchor: anchor) == nil, "a time before the clock's start")
        #expect(AVAudioTime(sampleTime: .max / 4, atRate: 1e-3).extrapolateTime(fromAnchor: anchor) == nil)
    }

    @Test("E196: two times are equal only if they are one")
    func equality() {
        let time = AVAudioTime(hostTime: 7)
        let same = time
        #expect(time == same && time != AVAudioTime(hostTime: 7))
    }

    @Test("1.8: a time is printed as on Apple's systems")
    func printed() {
        var stamp = AudioTimeStamp()
        stamp.mHostTime = 530_024_302_572_000
        stamp.mRateScalar = 1
        stamp.mFlags = [.sampleHostTimeValid, .rateScalarValid]
        let text = AVAudioTime(audioTimeStamp: &stamp, sampleRate: 44100).description
        #expect(text.hasPrefix("<AVAudioTime 0x"))
        #expect(text.hasSuffix(": 530024.302572 s 0 fr (/44100 Hz) 1.000000 rs>"), "\(text)")
        #expect(AVAudioTime(sampleTime: 0, atRate: 0).description.hasSuffix(": invalid>"))
    }
}
