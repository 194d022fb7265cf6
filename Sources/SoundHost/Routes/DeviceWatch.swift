internal import AudioHost
internal import PulseClient
package import SessionPolicy

/// Notices that a sink or source that the session uses was suspended, or its microphone muted, by somebody else.
///
/// What that means is the word of ``DeviceRules``. PulseAudio shows a suspended device as such (the user switched, or
/// another program took the card); PipeWire wakes a device that is in use up again at once, and where it must let go of
/// a card it removes the device, which is a change of route.
///
/// Use it with the main loop's lock held.
package final class DeviceWatch {
    private let directory: StreamDirectory
    private let uses: () -> [Device: Bool]
    private let muteInterrupts: () -> Bool
    private let report: (HostEvent) -> Void
    private var rules = DeviceRules()
    private var observation: StreamDirectory.Observation?
    private lazy var timer = MainloopTimer(mainloop: directory.mainloop) { [weak self] in self?.look() }

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - directory: The devices; to be kept running for as long as an interruption lasts.
    ///   - uses: The devices that our streams are connected to, and whether sound runs there; asked at every look.
    ///   - muteInterrupts: Whether a muted source interrupts the session: category record, without
    ///     overrideMutedMicrophoneInterruption.
    ///   - report: Told of interruptions with the causes ``InterruptionCause/deviceSuspended`` and
    ///     ``InterruptionCause/inputMuted``, with the loop's lock held.
    package init(
        directory: StreamDirectory, uses: @escaping () -> [Device: Bool], muteInterrupts: @escaping () -> Bool,
        report: @escaping (HostEvent) -> Void
    ) {
        self.directory = directory
        self.uses = uses
        self.muteInterrupts = muteInterrupts
        self.report = report
        observation = directory.onChange { [weak self] in self?.look() }
        look()
    }

    /// Ends the watch, silently.
    package func stop() {
        timer.cancel()
        if let observation { directory.remove(observation) }
        observation = nil
    }

    /// Looks again, because our streams started, stopped or moved, or the category changed: no event of the server
    /// tells.
    package func sessionChanged() { look() }

    private func look() {
        guard observation != nil, directory.state == .current else {
            timer.cancel()
            rules = DeviceRules()
            return
        }
        let now = MonotonicClock.seconds
        let events = rules.observe(
            uses(), conditions: directory.deviceConditions, muteInterrupts: muteInterrupts(), at: now)
        timer.cancel()
        if let next = rules.nextLook { timer.start(after: .seconds(next - now)) }
        for event in events { report(event) }
    }
}

extension StreamDirectory {
    /// What can have happened to the devices behind a session's back.
    fileprivate var deviceConditions: [Device: DeviceCondition] {
        var conditions: [Device: DeviceCondition] = [:]
        for sink in sinks.values {
            conditions[Device(.playback, sink.index)] = DeviceCondition(
                isSuspended: sink.state == .suspended, isMuted: sink.isMuted)
        }
        for source in sources.values {
            conditions[Device(.capture, source.index)] = DeviceCondition(
                isSuspended: source.state == .suspended, isMuted: source.isMuted)
        }
        return conditions
    }
}
