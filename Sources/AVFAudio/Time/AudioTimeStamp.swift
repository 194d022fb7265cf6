// Core Audio's C structures for times, with their layout in memory.

/// The valid members of a time stamp, one bit each.
///
/// Apple: `AudioTimeStampFlags`; each flag is Apple's constant of the same name.
public struct AudioTimeStampFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// No member.
    public static let nothingValid: AudioTimeStampFlags = []
    /// The sample time.
    public static let sampleTimeValid = AudioTimeStampFlags(rawValue: 1 << 0)
    /// The host time.
    public static let hostTimeValid = AudioTimeStampFlags(rawValue: 1 << 1)
    /// The rate scalar.
    public static let rateScalarValid = AudioTimeStampFlags(rawValue: 1 << 2)
    /// The word clock time.
    public static let wordClockTimeValid = AudioTimeStampFlags(rawValue: 1 << 3)
    /// The SMPTE time.
    public static let smpteTimeValid = AudioTimeStampFlags(rawValue: 1 << 4)
    /// The sample time and the host time.
    public static let sampleHostTimeValid: AudioTimeStampFlags = [.sampleTimeValid, .hostTimeValid]
}

/// The frame rate of an SMPTE time.
///
/// Apple: `SMPTETimeType`; each case is Apple's constant of the same name.
public enum SMPTETimeType: UInt32, Sendable {
    /// 24 video frames a second.
    case type24 = 0
    /// 25 video frames a second.
    case type25 = 1
    /// 30 video frames a second, with dropped numbers.
    case type30Drop = 2
    /// 30 video frames a second.
    case type30 = 3
    /// 29.97 video frames a second.
    case type2997 = 4
    /// 29.97 video frames a second, with dropped numbers.
    case type2997Drop = 5
    /// 60 video frames a second.
    case type60 = 6
    /// 59.94 video frames a second.
    case type5994 = 7
    /// 60 video frames a second, with dropped numbers.
    case type60Drop = 8
    /// 59.94 video frames a second, with dropped numbers.
    case type5994Drop = 9
    /// 50 video frames a second.
    case type50 = 10
    /// 23.98 video frames a second.
    case type2398 = 11
}

/// The state of an SMPTE time.
///
/// Apple: `SMPTETimeFlags`; each flag is Apple's constant of the same name.
public struct SMPTETimeFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The full time is valid.
    public static let valid = SMPTETimeFlags(rawValue: 1 << 0)
    /// Time is running.
    public static let running = SMPTETimeFlags(rawValue: 1 << 1)
}

/// A time of the day in video frames, of 24 bytes.
///
/// Apple: `SMPTETime`; so are its members.
public struct SMPTETime: Sendable {
    /// The number of subframes.
    public var mSubframes: Int16
    /// The number of subframes in a video frame.
    public var mSubframeDivisor: Int16
    /// The number of messages received.
    public var mCounter: UInt32
    /// The frame rate.
    public var mType: SMPTETimeType
    /// The state.
    public var mFlags: SMPTETimeFlags
    /// The hours.
    public var mHours: Int16
    /// The minutes.
    public var mMinutes: Int16
    /// The seconds.
    public var mSeconds: Int16
    /// The video frames.
    public var mFrames: Int16

    /// A time with these values.
    public init(
        mSubframes: Int16, mSubframeDivisor: Int16, mCounter: UInt32, mType: SMPTETimeType, mFlags: SMPTETimeFlags,
        mHours: Int16, mMinutes: Int16, mSeconds: Int16, mFrames: Int16
    ) {
        self.mSubframes = mSubframes
        self.mSubframeDivisor = mSubframeDivisor
        self.mCounter = mCounter
        self.mType = mType
        self.mFlags = mFlags
        self.mHours = mHours
        self.mMinutes = mMinutes
        self.mSeconds = mSeconds
        self.mFrames = mFrames
    }

    /// An invalid time: all bytes are 0.
    public init() {
        self.init(
            mSubframes: 0, mSubframeDivisor: 0, mCounter: 0, mType: .type24, mFlags: [], mHours: 0, mMinutes: 0,
            mSeconds: 0, mFrames: 0)
    }
}

/// A time in several forms, of 64 bytes; its flags say which are valid.
///
/// Apple: `AudioTimeStamp`; so are its members.
public struct AudioTimeStamp: Sendable {
    /// The time in frames.
    public var mSampleTime: Float64
    /// The time of the host clock, in nanoseconds; see `mach_absolute_time()`.
    public var mHostTime: UInt64
    /// The ratio of the actual host ticks of a frame to the nominal ones.
    public var mRateScalar: Float64
    /// The word clock time.
    public var mWordClockTime: UInt64
    /// The SMPTE time.
    public var mSMPTETime: SMPTETime
    /// The valid members.
    public var mFlags: AudioTimeStampFlags
    /// Always 0.
    public var mReserved: UInt32

    /// A time stamp with these values.
    public init(
        mSampleTime: Float64, mHostTime: UInt64, mRateScalar: Float64, mWordClockTime: UInt64, mSMPTETime: SMPTETime,
        mFlags: AudioTimeStampFlags, mReserved: UInt32
    ) {
        self.mSampleTime = mSampleTime
        self.mHostTime = mHostTime
        self.mRateScalar = mRateScalar
        self.mWordClockTime = mWordClockTime
        self.mSMPTETime = mSMPTETime
        self.mFlags = mFlags
        self.mReserved = mReserved
    }

    /// A time stamp without a valid member: all bytes are 0.
    public init() {
        self.init(
            mSampleTime: 0, mHostTime: 0, mRateScalar: 0, mWordClockTime: 0, mSMPTETime: SMPTETime(), mFlags: [],
            mReserved: 0)
    }
}
