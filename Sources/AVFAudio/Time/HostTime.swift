internal import Glibc

// The host clock under its name on Apple's systems, where `import AVFAudio` brings Darwin along.

/// The ratio by which host ticks become nanoseconds.
///
/// Apple: `mach_timebase_info_data_t`; so are its members.
public struct mach_timebase_info_data_t: Sendable {
    /// The numerator.
    public var numer: UInt32
    /// The denominator.
    public var denom: UInt32

    /// A ratio with these values.
    public init(numer: UInt32, denom: UInt32) {
        self.numer = numer
        self.denom = denom
    }

    /// A ratio to be filled in: all bytes are 0.
    public init() { self.init(numer: 0, denom: 0) }
}

/// The host time in ticks, which are nanoseconds of `CLOCK_MONOTONIC`; it stands still while the machine sleeps.
///
/// Any thread may call it, the sound thread included.
///
/// Apple: `mach_absolute_time()`
public func mach_absolute_time() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Fills in the ratio by which host ticks become nanoseconds, 1/1, and returns 0.
///
/// Apple: `mach_timebase_info(_:)`
@discardableResult
public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>) -> Int32 {
    info.pointee.numer = 1
    info.pointee.denom = 1
    return 0
}
