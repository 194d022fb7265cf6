internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// What the app wishes of the devices, and what they are. A wish is kept and told as it was asked for; the plain
// properties are the devices'. Those ask the sound server, for at most two seconds; they are 0 without one, in a
// category that does not use the direction, and where there is no device.

extension AVAudioSession {
    /// How often the server ran out of our data since the output was made, for benchmarks.
    package var outputUnderruns: Int { (try? core.connected().facts.underruns) ?? 0 }

    // MARK: Rate and buffer

    /// The rate that the app wishes for, in Hz; 0 if it never did.
    ///
    /// Apple: `AVAudioSession.preferredSampleRate`.
    public var preferredSampleRate: Double { core.preferences.devices.sampleRate }

    /// Wishes for a sample rate in Hz; 0 leaves it to the device.
    ///
    /// The session's output runs at it from its next activation on, within 8 to 192 kHz; whether the device follows is
    /// the server's decision (``sampleRate``). No rate is refused but negative ones and those that are no numbers:
    /// `badParam`.
    ///
    /// Apple: `AVAudioSession.setPreferredSampleRate(_:)`.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try preferDevices { devices, _ throws(SessionError) in try devices.setSampleRate(sampleRate) }
    }

    /// The rate of the output device, in Hz; of the input device in a category that only records.
    ///
    /// Apple: `AVAudioSession.sampleRate`.
    public var sampleRate: Double { Double(hardware.rate) }

    /// The I/O buffer that the app wishes for, in seconds; 0 if it never did.
    ///
    /// Apple: `AVAudioSession.preferredIOBufferDuration`.
    public var preferredIOBufferDuration: TimeInterval { core.preferences.devices.ioBufferDuration }

    /// Wishes for an I/O buffer in seconds; 0 leaves it to the library, which asks for 10 ms.
    ///
    /// It is what the device takes ahead of the listener, within 2 and 100 ms, and so how soon a change can be heard.
    /// Takes effect at once. The device has one buffer for all programs, the shortest that any asks for. A session that
    /// mixes asks for none while another's that does not is heard, so that the other one's wish counts. Throws `badParam`
    /// for negative values and those that are no numbers.
    ///
    /// Apple: `AVAudioSession.setPreferredIOBufferDuration(_:)`.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try preferDevices { devices, _ throws(SessionError) in try devices.setIOBufferDuration(duration) }
    }

    /// How much the device takes at a time, in seconds, for all programs: it changes with what others ask for.
    ///
    /// PulseAudio says it at any time. PipeWire says it to nobody: while the session plays or records its streams are
    /// watched for some cycles of the server's graph, which the first look at a device waits for (a third of a second at
    /// most), and later ones are as old as the look before. While it does neither, what was found out last, or what would
    /// be asked for.
    ///
    /// Apple: `AVAudioSession.ioBufferDuration`.
    public var ioBufferDuration: TimeInterval { measuredHardware.buffer }

    // MARK: Channels

    /// How many channels the app wishes to record; 0 if it never did.
    ///
    /// Apple: `AVAudioSession.preferredInputNumberOfChannels`.
    public var preferredInputNumberOfChannels: Int { core.preferences.devices.inputChannels }

    /// Wishes for a number of channels to record; recordings have it from the next one on whose settings leave theirs
    /// open.
    ///
    /// The server mixes the channels of a recording out of all of the device; `AVAudioRecorder.channelAssignments`
    /// chooses some of them.
    ///
    /// Throws `badParam` for less than 1 or more than ``maximumInputNumberOfChannels``, `incompatibleCategory` in a
    /// category that records nothing.
    ///
    /// Apple: `AVAudioSession.setPreferredInputNumberOfChannels(_:)`.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        let most = maximumInputNumberOfChannels
        try preferDevices { devices, settings throws(SessionError) in
            try devices.setInputChannels(count, atMost: most, in: settings)
        }
    }

    /// How many channels the app wishes to play; 0 if it never did.
    ///
    /// Apple: `AVAudioSession.preferredOutputNumberOfChannels`.
    public var preferredOutputNumberOfChannels: Int { core.preferences.devices.outputChannels }

    /// Wishes for a number of channels to play; the session's output has them from its next activation on.
    ///
    /// Throws `badParam` for less than 1 or more than ``maximumOutputNumberOfChannels``, `incompatibleCategory` in a
    /// category that plays nothing.
    ///
    /// Apple: `AVAudioSession.setPreferredOutputNumberOfChannels(_:)`.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        let most = maximumOutputNumberOfChannels
        try preferDevices { devices, settings throws(SessionError) in
            try devices.setOutputChannels(count, atMost: most, in: settings)
        }
    }

    /// How many channels the input device has.
    ///
    /// Apple: `AVAudioSession.maximumInputNumberOfChannels`.
    public var maximumInputNumberOfChannels: Int { hardware.input?.channels ?? 0 }

    /// How many channels the output device has.
    ///
    /// Apple: `AVAudioSession.maximumOutputNumberOfChannels`.
    public var maximumOutputNumberOfChannels: Int { hardware.output?.channels ?? 0 }

    /// How many channels of the input device the session takes, where a recorder's settings do not say.
    ///
    /// Apple: `AVAudioSession.inputNumberOfChannels`.
    public var inputNumberOfChannels: Int {
        Self.count(maximumInputNumberOfChannels, preferredInputNumberOfChannels)
    }

    /// How many channels of the output device the session uses.
    ///
    /// Apple: `AVAudioSession.outputNumberOfChannels`.
    public var outputNumberOfChannels: Int {
        Self.count(maximumOutputNumberOfChannels, preferredOutputNumberOfChannels)
    }

    private static func count(_ most: Int, _ preferred: Int) -> Int { preferred > 0 ? min(most, preferred) : most }

    /// Whether the app said that it plays more than two channels; at first false.
    ///
    /// Apple: `AVAudioSession.supportsMultichannelContent`.
    public var supportsMultichannelContent: Bool { core.preferences.multichannelContent }

    /// Says whether the app plays more than two channels.
    ///
    /// The value is kept and told; players mix into as many channels as the device has all the same. Throws
    /// `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setSupportsMultichannelContent(_:)`.
    public func setSupportsMultichannelContent(_ inValue: Bool) throws {
        try prefer { $0.multichannelContent = inValue }
    }

    // MARK: Latency and volume

    /// The time from the mouth to the server, in seconds, without the I/O buffer: what the source says of itself, as far
    /// as it is longer than a buffer.
    ///
    /// PulseAudio says it at any time, PipeWire while the session records; it is 0 else, and for most monitors.
    ///
    /// Apple: `AVAudioSession.inputLatency`.
    public var inputLatency: TimeInterval { measuredHardware.input?.latency ?? 0 }

    /// The time from the device to the ear, in seconds, without the I/O buffer: a tenth of a second and more on
    /// Bluetooth.
    ///
    /// PulseAudio says it at any time, PipeWire while the session plays.
    ///
    /// Apple: `AVAudioSession.outputLatency`.
    public var outputLatency: TimeInterval { measuredHardware.output?.latency ?? 0 }

    /// The volume that the user chose for the output device, from 0 to 1, as mixers show it; 0 while it is muted there.
    ///
    /// Apple: `AVAudioSession.outputVolume`.
    public var outputVolume: Float { Float(min(1, hardware.output?.volume ?? 0)) }

    /// The volume of the input device, from 0 to 1; 0 while it is muted.
    ///
    /// Apple: `AVAudioSession.inputGain`.
    public var inputGain: Float { Float(min(1, hardware.input?.volume ?? 0)) }

    /// Whether the app may set the volume of the input: never, since a microphone's volume on a desktop is its user's,
    /// and all programs'.
    ///
    /// Apple: `AVAudioSession.isInputGainSettable`.
    public var isInputGainSettable: Bool { false }

    /// Always throws `resourceNotAvailable`, see ``isInputGainSettable``.
    ///
    /// Apple: `AVAudioSession.setInputGain(_:)`.
    public func setInputGain(_ gain: Float) throws {
        throw NSError(SessionError(.resourceNotAvailable, "The volume of an input is its user's to set."))
    }

    // MARK: Aggregation and orientation

    /// Says whether input and output are to share one clock.
    ///
    /// The value is kept; servers keep both in step by themselves. Throws `incompatibleCategory` outside
    /// `playAndRecord` and `multiRoute`, `isBusy` while a player or recorder runs.
    ///
    /// Apple: `AVAudioSession.setAggregatedIOPreference(_:)`.
    public func setAggregatedIOPreference(_ inIOType: AVAudioSession.IOType) throws {
        guard [.playAndRecord, .multiRoute].contains(category) else {
            throw NSError(
                SessionError(.incompatibleCategory, "Only playAndRecord and multiRoute have input and output to share.")
            )
        }
        guard !core.isIORunning else {
            throw NSError(SessionError(.isBusy, "A player or a recorder is running."))
        }
        try prefer { $0.ioType = inIOType.rawValue }
    }

    /// How the machine is held while it records in stereo, as the app said; at first `none`.
    ///
    /// Apple: `AVAudioSession.preferredInputOrientation`.
    public var preferredInputOrientation: AVAudioSession.StereoOrientation {
        AVAudioSession.StereoOrientation(rawValue: core.preferences.inputOrientation) ?? .none
    }

    /// Says how the machine is held.
    ///
    /// The value is kept; microphones of Linux machines do not turn. Throws `incompatibleCategory` in a category that
    /// records nothing.
    ///
    /// Apple: `AVAudioSession.setPreferredInputOrientation(_:)`.
    public func setPreferredInputOrientation(_ orientation: AVAudioSession.StereoOrientation) throws {
        guard core.settings.allowsInput else {
            throw NSError(SessionError(.incompatibleCategory, "Category \(category.rawValue) records nothing."))
        }
        try prefer { $0.inputOrientation = orientation.rawValue }
    }

    /// How the microphones stand to the machine: not stated.
    ///
    /// Apple: `AVAudioSession.inputOrientation`.
    public var inputOrientation: AVAudioSession.StereoOrientation { .none }

    private func preferDevices(
        _ change: (inout DevicePreferences, SessionSettings) throws(SessionError) -> Void
    ) throws {
        do throws(SessionError) {
            try core.prefer { preferences, settings throws(SessionError) in
                try change(&preferences.devices, settings)
            }
        } catch { throw NSError(error) }
        properties.changed()
    }

    private var hardware: HardwareFacts { hardware(measuring: false) }

    /// With buffers and latencies as they are now; see ``ioBufferDuration`` for what that may wait for.
    private var measuredHardware: HardwareFacts { hardware(measuring: true) }

    private func hardware(measuring: Bool) -> HardwareFacts {
        // A lost server is looked for already; asking for it a second time would only block.
        let settings = core.settings
        guard core.standing != .lost,
            let facts = try? core.connected().hardware(under: settings, measuring: measuring)
        else { return HardwareFacts() }
        return facts.used(by: settings)
    }
}
