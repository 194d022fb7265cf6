internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// Preferences of the devices, and the devices' own values. A preference is stored and returned as the app set it, at
// once. The devices' values are asked of the sound server, for 2 s at most. They are 0 without a server, in a category
// that does not use the direction, and where there is no device.

extension AVAudioSession {
    /// The number of underruns since the output was made, for benchmarks.
    package var outputUnderruns: Int { (try? core.connected().facts.underruns) ?? 0 }

    // MARK: Rate and buffer

    /// The app's preferred sample rate, in Hz; 0 if none was set.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.preferredSampleRate`.
    public var preferredSampleRate: Double { core.preferences.devices.sampleRate }

    /// Sets the preferred sample rate in Hz; 0 leaves it to the device.
    ///
    /// Any thread; returns at once. From the next activation on the session's output runs at this rate, clamped to 8 …
    /// 192 kHz. Whether the device follows is the server's decision (``sampleRate``). Throws `badParam` for negative
    /// values, infinity and NaN, and `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPreferredSampleRate(_:)`.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try preferDevices { devices, _ throws(SessionError) in try devices.setSampleRate(sampleRate) }
    }

    /// The sample rate of the output device, in Hz; of the input device in a category that only records.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.sampleRate`.
    public var sampleRate: Double { Double(hardware.rate) }

    /// The app's preferred I/O buffer, in seconds; 0 if none was set.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.preferredIOBufferDuration`.
    public var preferredIOBufferDuration: TimeInterval { core.preferences.devices.ioBufferDuration }

    /// Sets the preferred I/O buffer in seconds; 0 leaves it to the library, which requests 10 ms.
    ///
    /// Any thread; returns at once. The buffer is the amount of sound that the device takes ahead of the listener,
    /// clamped to 2 … 100 ms: it bounds how soon a change is heard. The preference takes effect at once. A device has
    /// one buffer for all programs, the shortest requested one. A session that mixes requests the longest buffer while
    /// another session that does not mix is heard, so that the other session's preference counts. Throws `badParam` for
    /// negative values, infinity and NaN, and `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPreferredIOBufferDuration(_:)`.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try preferDevices { devices, _ throws(SessionError) in try devices.setIOBufferDuration(duration) }
    }

    /// The device's I/O buffer for all programs, in seconds; it changes with other programs' requests.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one. PulseAudio reports the buffer at any
    /// time. PipeWire does not report it: while the session plays or records, the library measures some cycles (quanta)
    /// of its streams. The first measurement of a device waits for 0.4 s at most; later ones return the previous result
    /// and measure in the background. While nothing runs, the value is the last measurement, or the request.
    ///
    /// Apple: `AVAudioSession.ioBufferDuration`.
    public var ioBufferDuration: TimeInterval { measuredHardware.buffer }

    // MARK: Channels

    /// The app's preferred number of channels to record; 0 if none was set.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.preferredInputNumberOfChannels`.
    public var preferredInputNumberOfChannels: Int { core.preferences.devices.inputChannels }

    /// Sets the preferred number of channels to record, from the next recording on whose settings leave it open.
    ///
    /// The server mixes a recording's channels from all channels of the device; `AVAudioRecorder.channelAssignments`
    /// selects single ones.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, to learn the device's channels.
    ///
    /// Throws `badParam` for less than 1 or more than ``maximumInputNumberOfChannels``, `incompatibleCategory` in a
    /// category that does not record, and `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPreferredInputNumberOfChannels(_:)`.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        let most = maximumInputNumberOfChannels
        try preferDevices { devices, settings throws(SessionError) in
            try devices.setInputChannels(count, atMost: most, in: settings)
        }
    }

    /// The app's preferred number of channels to play; 0 if none was set.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.preferredOutputNumberOfChannels`.
    public var preferredOutputNumberOfChannels: Int { core.preferences.devices.outputChannels }

    /// Sets the preferred number of channels to play; the session's output has them from the next activation on.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, to learn the device's channels.
    ///
    /// Throws `badParam` for less than 1 or more than ``maximumOutputNumberOfChannels``, `incompatibleCategory` in a
    /// category that does not play, and `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPreferredOutputNumberOfChannels(_:)`.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        let most = maximumOutputNumberOfChannels
        try preferDevices { devices, settings throws(SessionError) in
            try devices.setOutputChannels(count, atMost: most, in: settings)
        }
    }

    /// The number of channels of the input device.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.maximumInputNumberOfChannels`.
    public var maximumInputNumberOfChannels: Int { hardware.input?.channels ?? 0 }

    /// The number of channels of the output device.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.maximumOutputNumberOfChannels`.
    public var maximumOutputNumberOfChannels: Int { hardware.output?.channels ?? 0 }

    /// The number of channels that recordings get whose settings leave it open.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.inputNumberOfChannels`.
    public var inputNumberOfChannels: Int {
        Self.count(maximumInputNumberOfChannels, preferredInputNumberOfChannels)
    }

    /// The number of channels of the output device that the session uses.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.outputNumberOfChannels`.
    public var outputNumberOfChannels: Int {
        Self.count(maximumOutputNumberOfChannels, preferredOutputNumberOfChannels)
    }

    private static func count(_ most: Int, _ preferred: Int) -> Int { preferred > 0 ? min(most, preferred) : most }

    /// Whether the app has declared content with more than two channels; initially false.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.supportsMultichannelContent`.
    public var supportsMultichannelContent: Bool { core.preferences.multichannelContent }

    /// Declares whether the app plays content with more than two channels.
    ///
    /// Any thread; returns at once. The value is only stored: players are always mixed into all channels of the device.
    /// Throws `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setSupportsMultichannelContent(_:)`.
    public func setSupportsMultichannelContent(_ inValue: Bool) throws {
        try prefer { $0.multichannelContent = inValue }
    }

    // MARK: Latency and volume

    /// The latency of the input, in seconds, without the I/O buffer: the time from the microphone to the sound server.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, and like ``ioBufferDuration`` for a first measurement.
    /// PulseAudio reports the latency at any time, PipeWire while the session records. It is 0 otherwise, and for most
    /// monitors.
    ///
    /// Apple: `AVAudioSession.inputLatency`.
    public var inputLatency: TimeInterval { measuredHardware.input?.latency ?? 0 }

    /// The latency of the output, in seconds, without the I/O buffer: the time from the sound server to the listener.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, and like ``ioBufferDuration`` for a first measurement.
    /// PulseAudio reports the latency at any time, PipeWire while the session plays. On Bluetooth it is 0.1 s and more.
    ///
    /// Apple: `AVAudioSession.outputLatency`.
    public var outputLatency: TimeInterval { measuredHardware.output?.latency ?? 0 }

    /// The user's volume of the output device, 0 … 1, as mixers show it; 0 while the device is muted.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.outputVolume`.
    public var outputVolume: Float { Float(min(1, hardware.output?.volume ?? 0)) }

    /// The volume of the input device, 0 … 1; 0 while the device is muted.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; 0 without one.
    ///
    /// Apple: `AVAudioSession.inputGain`.
    public var inputGain: Float { Float(min(1, hardware.input?.volume ?? 0)) }

    /// Whether the app may set the volume of the input: always false, because on a desktop it is the user's, and all
    /// programs'.
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

    /// Sets whether input and output should share one clock.
    ///
    /// Any thread; returns at once. The value is only stored: servers keep both in step anyway. Throws
    /// `incompatibleCategory` outside `playAndRecord` and `multiRoute`, `isBusy` while a player or recorder runs, and
    /// `mediaServicesFailed` while the sound server is lost.
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

    /// The orientation of the machine for stereo recordings, as the app set it; initially `none`.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.preferredInputOrientation`.
    public var preferredInputOrientation: AVAudioSession.StereoOrientation {
        AVAudioSession.StereoOrientation(rawValue: core.preferences.inputOrientation) ?? .none
    }

    /// Sets the orientation of the machine for stereo recordings.
    ///
    /// Any thread; returns at once. The value is only stored: microphones of Linux machines do not turn. Throws
    /// `incompatibleCategory` in a category that does not record, and `mediaServicesFailed` while the sound server is
    /// lost.
    ///
    /// Apple: `AVAudioSession.setPreferredInputOrientation(_:)`.
    public func setPreferredInputOrientation(_ orientation: AVAudioSession.StereoOrientation) throws {
        guard core.settings.allowsInput else {
            throw NSError(SessionError(.incompatibleCategory, "Category \(category.rawValue) records nothing."))
        }
        try prefer { $0.inputOrientation = orientation.rawValue }
    }

    /// The orientation of the microphones: always `none`.
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

    /// The input device's rate in Hz, and the channels that the session uses of it; nil without a device, and in a
    /// category that does not record.
    ///
    /// Waits for the sound server, for 2 s at most.
    var inputDevice: (rate: Int, channels: Int)? {
        guard let input = hardware.input, input.rate > 0, input.channels > 0 else { return nil }
        return (input.rate, Self.count(input.channels, preferredInputNumberOfChannels))
    }

    private var hardware: HardwareFacts { hardware(measuring: false) }

    /// The devices' values with measured buffers and latencies; see ``ioBufferDuration`` for the time that takes.
    private var measuredHardware: HardwareFacts { hardware(measuring: true) }

    private func hardware(measuring: Bool) -> HardwareFacts {
        // A connector looks for a lost server already; a second attempt would only block.
        let settings = core.settings
        guard core.standing != .lost,
            let facts = try? core.ask({ host throws(SessionError) in
                try host.hardware(under: settings, measuring: measuring)
            })
        else { return HardwareFacts() }
        return facts.used(by: settings)
    }
}
