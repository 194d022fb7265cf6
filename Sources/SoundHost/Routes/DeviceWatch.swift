internal import AudioHost
internal import PulseClient
package import SessionPolicy

/// A watch for sinks and sources in use that are suspended by another program, or whose microphone is muted.
///
/// ``DeviceRules`` decides the consequences. PulseAudio reports suspended devices as such (by the user, or because
/// another program has taken the card). PipeWire resumes a device in use at once, and removes the device if it has to
/// release the card, which is a change of route.
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

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - directory: The devices; must keep running as long as an interruption lasts.
    ///   - uses: The devices of the session's streams, and whether a stream is running there.
    ///   - muteInterrupts: Whether a muted source interrupts the session: category record, without
    ///     overrideMutedMicrophoneInterruption.
    ///   - report: Called with interruptions of the causes ``InterruptionCause/deviceSuspended`` and
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

    /// Stops the watch without a report.
    package func stop() {
        timer.cancel()
        if let observation { directory.remove(observation) }
        observation = nil
    }

    /// Evaluates the devices after the session's streams have started, stopped or moved, or the category has changed:
    /// the server sends no event for that.
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
    /// The conditions of all devices that other programs can change.
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
