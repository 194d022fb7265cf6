/// An app's device preferences, as requested, independent of the granted values.
///
/// | preference | legal | where | else |
/// |---|---|---|---|
/// | rate | 0 for none, or more | anywhere | `badParam` |
/// | I/O buffer | 0 for none, or more | anywhere | `badParam` |
/// | input channels | 1 to what the device has | categories that record | `badParam`; `incompatibleCategory` |
/// | output channels | 1 to what the device has | categories that play | `badParam`; `incompatibleCategory` |
///
/// A rate or a buffer that no device supports is accepted: a preference is a request.
package struct DevicePreferences: Hashable, Sendable {
    /// Frames per second, in Hz; 0 for the device's own.
    package private(set) var sampleRate = 0.0
    /// The I/O buffer in seconds: the time between the device taking the sound and its playback; 0 for the library's
    /// choice.
    package private(set) var ioBufferDuration = 0.0
    /// The number of channels to record; 0 for the device's own.
    package private(set) var inputChannels = 0
    /// The number of channels to play; 0 for the device's own.
    package private(set) var outputChannels = 0

    /// No preferences.
    package init() {}

    /// Sets the preferred rate in Hz.
    package mutating func setSampleRate(_ rate: Double) throws(SessionError) {
        guard rate.isFinite, rate >= 0 else { throw SessionError(.badParam, "\(rate) Hz is no sample rate.") }
        sampleRate = rate
    }

    /// Sets the preferred I/O buffer in seconds.
    package mutating func setIOBufferDuration(_ seconds: Double) throws(SessionError) {
        guard seconds.isFinite, seconds >= 0 else {
            throw SessionError(.badParam, "\(seconds) s is no duration of a buffer.")
        }
        ioBufferDuration = seconds
    }

    /// Sets the preferred number of channels to record.
    package mutating func setInputChannels(
        _ count: Int, atMost most: Int, in settings: SessionSettings
    ) throws(SessionError) {
        guard settings.allowsInput else {
            throw SessionError(.incompatibleCategory, "Category \(settings.category.name) records nothing.")
        }
        try Self.check(count, atMost: most, of: "input")
        inputChannels = count
    }

    /// Sets the preferred number of channels to play.
    package mutating func setOutputChannels(
        _ count: Int, atMost most: Int, in settings: SessionSettings
    ) throws(SessionError) {
        guard settings.allowsOutput else {
            throw SessionError(.incompatibleCategory, "Category \(settings.category.name) plays nothing.")
        }
        try Self.check(count, atMost: most, of: "output")
        outputChannels = count
    }

    private static func check(_ count: Int, atMost most: Int, of device: String) throws(SessionError) {
        guard (1...max(1, most)).contains(count) else {
            throw SessionError(.badParam, "The \(device) has \(most) channels; \(count) cannot be had.")
        }
    }

    // MARK: Requests to servers

    /// The rate to request on a device of another rate, in Hz; servers support 8 to 192 kHz only.
    package func streamRate(on deviceRate: Int) -> Int {
        sampleRate > 0 ? Int(min(192_000, max(8000, sampleRate.rounded()))) : max(8000, deviceRate)
    }

    /// The longest I/O buffer to request, in seconds; a longer one would delay changes.
    private static let longestBuffer = 0.1

    /// The I/O buffer to request, in seconds: at least 2 ms, the least that is ever granted, and at most 100 ms.
    ///
    /// A device has one buffer for all streams, the shortest one requested. A session whose preference does not count
    /// requests the longest, and so leaves the choice to the others.
    ///
    /// - Parameters:
    ///   - usual: The buffer without a preference.
    ///   - yields: Whether another session's preference counts instead.
    package func deviceBuffer(otherwise usual: Double, yielding yields: Bool = false) -> Double {
        guard ioBufferDuration > 0 else { return usual }
        return yields ? Self.longestBuffer : min(Self.longestBuffer, max(0.002, ioBufferDuration))
    }
}
