// Interface of iOS 6 and older. It works as its replacement does; the compiler warns and names that.

extension AVAudioSession {
    /// The receiver of interruptions; a weak reference.
    ///
    /// Apple: `AVAudioSession.delegate`.
    @available(*, deprecated, message: "Observe interruptionNotification.")
    public weak var delegate: (any AVAudioSessionDelegate)? {
        get { relay.delegateRelay.delegate }
        set { relay.delegateRelay.delegate = newValue }
    }

    /// Activates or deactivates the session, see ``setActive(_:options:)``; `flags` are the raw value of the options.
    ///
    /// Apple: `AVAudioSession.setActive(_:withFlags:)`.
    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, withFlags flags: Int) throws {
        try setActive(active, options: SetActiveOptions(rawValue: UInt(bitPattern: flags)))
    }

    /// Whether there is a source to record from, see ``isInputAvailable``.
    ///
    /// Apple: `AVAudioSession.inputIsAvailable`.
    @available(*, deprecated, renamed: "isInputAvailable")
    public var inputIsAvailable: Bool { isInputAvailable }

    /// The sample rate of the device, in Hz, see ``sampleRate``.
    ///
    /// Apple: `AVAudioSession.currentHardwareSampleRate`.
    @available(*, deprecated, renamed: "sampleRate")
    public var currentHardwareSampleRate: Double { sampleRate }

    /// The number of channels that recordings get, see ``inputNumberOfChannels``.
    ///
    /// Apple: `AVAudioSession.currentHardwareInputNumberOfChannels`.
    @available(*, deprecated, renamed: "inputNumberOfChannels")
    public var currentHardwareInputNumberOfChannels: Int { inputNumberOfChannels }

    /// The number of channels of the output device in use, see ``outputNumberOfChannels``.
    ///
    /// Apple: `AVAudioSession.currentHardwareOutputNumberOfChannels`.
    @available(*, deprecated, renamed: "outputNumberOfChannels")
    public var currentHardwareOutputNumberOfChannels: Int { outputNumberOfChannels }

    /// The app's preferred sample rate, in Hz; 0 if none was set.
    ///
    /// Apple: `AVAudioSession.preferredHardwareSampleRate`.
    @available(*, deprecated, renamed: "preferredSampleRate")
    public var preferredHardwareSampleRate: Double { preferredSampleRate }

    /// Sets the preferred sample rate in Hz, see ``setPreferredSampleRate(_:)``.
    ///
    /// Apple: `AVAudioSession.setPreferredHardwareSampleRate(_:)`.
    @available(*, deprecated, renamed: "setPreferredSampleRate(_:)")
    public func setPreferredHardwareSampleRate(_ sampleRate: Double) throws { try setPreferredSampleRate(sampleRate) }
}
