/// A moment, as a time of the host clock, as a number of frames at a rate, or both.
///
/// Immutable; any thread may use it. Two times are equal only if they are the same object.
///
/// Apple: `AVAudioTime`
// SAFETY: both properties are constants.
nonisolated open class AVAudioTime: NSObject, @unchecked Sendable {
    private let stamp: AudioTimeStamp

    /// The number of frames a second, in Hz; 0 if there is no sample time.
    ///
    /// Apple: `AVAudioTime.sampleRate`
    public let sampleRate: Double

    private init(_ stamp: AudioTimeStamp, _ rate: Double) {
        var stamp = stamp
        let isRate = rate.isFinite && rate > 0
        // A time in frames of no length is none, and one that is no number neither.
        if !isRate || !Self.positions.contains(stamp.mSampleTime) { stamp.mFlags.remove(.sampleTimeValid) }
        self.stamp = stamp
        sampleRate = isRate ? rate : 0
        super.init()
    }

    /// The sample times that a position in frames can stand for.
    private static let positions = -0x1p62...0x1p62

    /// A moment of a time stamp.
    ///
    /// - Parameters:
    ///   - ts: The time stamp, whose flags say what is valid.
    ///   - sampleRate: The frames a second of its sample time, in Hz; without a rate the sample time is not valid.
    ///
    /// Apple: `AVAudioTime.init(audioTimeStamp:sampleRate:)`
    public convenience init(audioTimeStamp ts: UnsafePointer<AudioTimeStamp>, sampleRate: Double) {
        self.init(ts.pointee, sampleRate)
    }

    /// A moment of the host clock, in ticks; see `mach_absolute_time()`.
    ///
    /// Apple: `AVAudioTime.init(hostTime:)`
    public convenience init(hostTime: UInt64) {
        var stamp = AudioTimeStamp()
        stamp.mHostTime = hostTime
        stamp.mFlags = .hostTimeValid
        self.init(stamp, 0)
    }

    /// A moment as a number of frames; not valid if the rate is not a number above 0.
    ///
    /// Apple: `AVAudioTime.init(sampleTime:atRate:)`
    public convenience init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        var stamp = AudioTimeStamp()
        stamp.mSampleTime = Double(sampleTime)
        stamp.mFlags = .sampleTimeValid
        self.init(stamp, sampleRate)
    }

    /// A moment of the host clock, in ticks, that is also a number of frames at a rate.
    ///
    /// Apple: `AVAudioTime.init(hostTime:sampleTime:atRate:)`
    public convenience init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        var stamp = AudioTimeStamp()
        stamp.mHostTime = hostTime
        stamp.mSampleTime = Double(sampleTime)
        stamp.mFlags = .sampleHostTimeValid
        self.init(stamp, sampleRate)
    }

    /// The host ticks of a number of seconds; 0 for a negative number, and at most `UInt64.max`.
    ///
    /// Apple: `AVAudioTime.hostTime(forSeconds:)`
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        let ticks = (seconds * 1e9).rounded()
        guard ticks > 0 else { return 0 }
        return UInt64(exactly: ticks) ?? .max
    }

    /// The seconds of a number of host ticks.
    ///
    /// Apple: `AVAudioTime.seconds(forHostTime:)`
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }

    /// This moment with both its times, of which the missing one is counted from an anchor.
    ///
    /// Nil if the anchor does not have both, if this moment has no rate, and if the result lies before the host
    /// clock's start. A moment that has both times is returned as it is.
    ///
    /// Apple: `AVAudioTime.extrapolateTime(fromAnchor:)`
    open func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? {
        guard anchorTime.isHostTimeValid, anchorTime.isSampleTimeValid, sampleRate > 0 else { return nil }
        if isHostTimeValid && isSampleTimeValid { return self }
        // The anchor in frames of this moment's rate.
        let anchor = anchorTime.stamp.mSampleTime * (sampleRate / anchorTime.sampleRate)
        if isSampleTimeValid {
            let ticks = ((stamp.mSampleTime - anchor) / sampleRate * 1e9).rounded()
            guard let distance = Int64(exactly: ticks) else { return nil }
            let host = anchorTime.hostTime
            let (sum, isBeyond) =
                distance < 0
                ? host.subtractingReportingOverflow(distance.magnitude)
                : host.addingReportingOverflow(distance.magnitude)
            return isBeyond ? nil : completed { $0.mHostTime = sum }
        }
        guard isHostTimeValid else { return nil }
        // As integers, since a host time of months has no exact nanoseconds as a Double.
        let distance = Double(Int64(bitPattern: hostTime &- anchorTime.hostTime))
        return completed { $0.mSampleTime = (anchor + distance / 1e9 * sampleRate).rounded() }
    }

    private func completed(_ change: (inout AudioTimeStamp) -> Void) -> AVAudioTime {
        var stamp = stamp
        change(&stamp)
        stamp.mFlags.formUnion(.sampleHostTimeValid)
        return AVAudioTime(stamp, sampleRate)
    }

    /// Whether `hostTime` is valid.
    ///
    /// Apple: `AVAudioTime.isHostTimeValid`
    public var isHostTimeValid: Bool { stamp.mFlags.contains(.hostTimeValid) }

    /// The time of the host clock, in ticks; 0 if it is not valid.
    ///
    /// Apple: `AVAudioTime.hostTime`
    public var hostTime: UInt64 { isHostTimeValid ? stamp.mHostTime : 0 }

    /// Whether `sampleTime` and `sampleRate` are valid.
    ///
    /// Apple: `AVAudioTime.isSampleTimeValid`
    public var isSampleTimeValid: Bool { stamp.mFlags.contains(.sampleTimeValid) }

    /// The time in frames, without a fraction; 0 if it is not valid.
    ///
    /// Apple: `AVAudioTime.sampleTime`
    public var sampleTime: AVAudioFramePosition { isSampleTimeValid ? AVAudioFramePosition(stamp.mSampleTime) : 0 }

    /// The moment as a time stamp, whose flags say what is valid.
    ///
    /// Apple: `AVAudioTime.audioTimeStamp`
    public var audioTimeStamp: AudioTimeStamp { stamp }

    /// The host time in seconds, the frames, the rate and its scalar, as far as they are valid, for logs.
    open override var description: String {
        var parts: [String] = []
        if isHostTimeValid { parts.append(String(format: "%.6f s", Self.seconds(forHostTime: hostTime))) }
        if isSampleTimeValid {
            parts.append("\(sampleTime) fr (/\(Int(exactly: sampleRate).map(String.init) ?? "\(sampleRate)") Hz)")
        }
        if stamp.mFlags.contains(.rateScalarValid) { parts.append(String(format: "%.6f rs", stamp.mRateScalar)) }
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        return "<AVAudioTime 0x\(address): \(parts.isEmpty ? "invalid" : parts.joined(separator: " "))>"
    }
}
