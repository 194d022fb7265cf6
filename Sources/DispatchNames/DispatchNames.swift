// Constants that Dispatch on Linux lacks; Apple's sample code makes times with them.

/// Nanoseconds in a second, as in `CMTimeScale(NSEC_PER_SEC)`.
///
/// Apple: `NSEC_PER_SEC`.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000

/// Nanoseconds in a millisecond.
///
/// Apple: `NSEC_PER_MSEC`.
public let NSEC_PER_MSEC: UInt64 = 1_000_000

/// Microseconds in a second.
///
/// Apple: `USEC_PER_SEC`.
public let USEC_PER_SEC: UInt64 = 1_000_000

/// Nanoseconds in a microsecond.
///
/// Apple: `NSEC_PER_USEC`.
public let NSEC_PER_USEC: UInt64 = 1_000
