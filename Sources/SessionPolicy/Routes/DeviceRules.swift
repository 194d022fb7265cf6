/// A sink or source of the server.
package struct Device: Hashable, Sendable {
    /// The direction: playback for a sink, capture for a source.
    package let direction: ServerStream.Direction
    /// The server's index of the device.
    package let index: UInt32

    /// The device of this direction with this index.
    package init(_ direction: ServerStream.Direction, _ index: UInt32) {
        self.direction = direction
        self.index = index
    }
}

/// The condition of a device that other programs or the user can change.
package struct DeviceCondition: Hashable, Sendable {
    /// Whether the device is suspended.
    package var isSuspended: Bool
    /// Whether the device is muted.
    package var isMuted: Bool

    /// A condition with these values.
    package init(isSuspended: Bool = false, isMuted: Bool = false) {
        self.isSuspended = isSuspended
        self.isMuted = isMuted
    }
}

/// The interruptions by devices: one that is suspended, or a microphone that is muted, interrupts a session (rule 7).
///
/// | event of a device in use | interruption |
/// |---|---|
/// | it is suspended while our stream runs, for ``settling`` | began; only the user or the system does that |
/// | it is still suspended when our stream has run for ``waking`` | began |
/// | it is suspended while our stream is paused | none: it was idle |
/// | it works again, is gone, or our stream is on another one | ended, with shouldResume |
/// | a source is muted while a session of category record captures it | began (`inputMuted`) |
/// | it is unmuted or gone, our stream is on another one, or the session is another one | ended, with shouldResume |
/// | a source was muted before | none: the user knows |
package struct DeviceRules: Sendable {
    /// The time for which a device must be suspended to interrupt, in seconds: servers suspend a device briefly to
    /// change its rate.
    package static let settling = 0.2
    /// The time that a suspended device may take to resume for our stream, in seconds: Bluetooth is slow.
    package static let waking = 3.0

    /// The devices that worked while our streams ran.
    private var awake: Set<Device> = []
    /// The times at which devices that are suspended while our streams run interrupt.
    private var deadlines: [Device: Double] = [:]
    private var suspended: Set<Device> = []
    /// The sources that were not muted while our streams captured them.
    private var unmuted: Set<Device> = []
    private var muted: Set<Device> = []

    /// The rules before the first observation.
    package init() {}

    /// The time of the next observation even if nothing changes, on the clock of
    /// ``observe(_:conditions:muteInterrupts:at:)``.
    package var nextLook: Double? { deadlines.values.min() }

    /// Observes the devices, and returns the interruptions that began or ended.
    ///
    /// - Parameters:
    ///   - uses: The devices of our streams, and whether a stream runs there rather than being paused.
    ///   - conditions: All devices of the server.
    ///   - muteInterrupts: Whether a muted source interrupts: in category record, without
    ///     overrideMutedMicrophoneInterruption.
    ///   - now: The time in seconds, from a clock that never goes back.
    package mutating func observe(
        _ uses: [Device: Bool], conditions: [Device: DeviceCondition], muteInterrupts: Bool, at now: Double
    ) -> [HostEvent] {
        let running = Set(uses.filter(\.value).keys)
        let suspensions = observeSuspension(of: running, uses: uses, conditions: conditions, at: now)
        return suspensions + observeMute(of: running, uses: uses, conditions: conditions, interrupts: muteInterrupts)
    }

    private mutating func observeSuspension(
        of running: Set<Device>, uses: [Device: Bool], conditions: [Device: DeviceCondition], at now: Double
    ) -> [HostEvent] {
        var events: [HostEvent] = []
        for device in running {
            guard conditions[device]?.isSuspended == true else {
                awake.insert(device)
                deadlines[device] = nil
                continue
            }
            let deadline = deadlines[device] ?? now + (awake.contains(device) ? Self.settling : Self.waking)
            deadlines[device] = deadline
            guard deadline <= now else { continue }
            deadlines[device] = nil
            awake.remove(device)
            suspended.insert(device)
            events.append(.interruptionBegan(.deviceSuspended))
        }
        awake.formIntersection(running)
        deadlines = deadlines.filter { running.contains($0.key) }
        guard !suspended.isEmpty else { return events }
        suspended = suspended.filter { conditions[$0]?.isSuspended == true && !Self.haveLeft($0, for: uses) }
        return suspended.isEmpty ? events + [.interruptionEnded(.deviceSuspended, shouldResume: true)] : events
    }

    private mutating func observeMute(
        of running: Set<Device>, uses: [Device: Bool], conditions: [Device: DeviceCondition], interrupts: Bool
    ) -> [HostEvent] {
        var events: [HostEvent] = []
        unmuted.formIntersection(running)
        for device in running where device.direction == .capture {
            guard let condition = conditions[device] else { continue }
            if !condition.isMuted {
                unmuted.insert(device)
            } else if unmuted.remove(device) != nil, interrupts {
                muted.insert(device)
                events.append(.interruptionBegan(.inputMuted))
            }
        }
        guard !muted.isEmpty else { return events }
        muted =
            interrupts
            ? muted.filter { conditions[$0]?.isMuted == true && !Self.haveLeft($0, for: uses) } : []
        return muted.isEmpty ? events + [.interruptionEnded(.inputMuted, shouldResume: true)] : events
    }

    /// Whether the session's streams are on other devices now; without streams they have not moved.
    private static func haveLeft(_ device: Device, for uses: [Device: Bool]) -> Bool {
        uses[device] == nil && uses.keys.contains { $0.direction == device.direction }
    }
}
