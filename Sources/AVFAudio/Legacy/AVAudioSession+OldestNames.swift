// What iOS 6 and older had. It works as what replaced it does; the compiler warns and names that.

extension AVAudioSession {
    /// Is told of interruptions; the session does not keep it.
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

    /// Whether there is something to record from.
    ///
    /// Apple: `AVAudioSession.inputIsAvailable`.
    @available(*, deprecated, renamed: "isInputAvailable")
    public var inputIsAvailable: Bool { isInputAvailable }

    /// The rate of the device, in Hz, see ``sampleRate``.
    ///
    /// Apple: `AVAudioSession.currentHardwareSampleRate`.
    @available(*, deprecated, renamed: "sampleRate")
    public var currentHardwareSampleRate: Double { sampleRate }

    /// How many channels of the input device the session uses.
    ///
    /// Apple: `AVAudioSession.currentHardwareInputNumberOfChannels`.
    @available(*, deprecated, renamed: "inputNumberOfChannels")
    public var currentHardwareInputNumberOfChannels: Int { inputNumberOfChannels }

    /// How many channels of the output device the session uses.
    ///
    /// Apple: `AVAudioSession.currentHardwareOutputNumberOfChannels`.
    @available(*, deprecated, renamed: "outputNumberOfChannels")
    public var currentHardwareOutputNumberOfChannels: Int { outputNumberOfChannels }

    /// The rate that the app wishes for, in Hz; 0 if it never did.
    ///
    /// Apple: `AVAudioSession.preferredHardwareSampleRate`.
    @available(*, deprecated, renamed: "preferredSampleRate")
    public var preferredHardwareSampleRate: Double { preferredSampleRate }

    /// Wishes for a sample rate in Hz, see ``setPreferredSampleRate(_:)``.
    ///
    /// Apple: `AVAudioSession.setPreferredHardwareSampleRate(_:)`.
    @available(*, deprecated, renamed: "setPreferredSampleRate(_:)")
    public func setPreferredHardwareSampleRate(_ sampleRate: Double) throws { try setPreferredSampleRate(sampleRate) }
}
