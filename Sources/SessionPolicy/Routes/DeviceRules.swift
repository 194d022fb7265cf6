/// A sink or source of the server.
package struct Device: Hashable, Sendable {
    /// Playback for a sink, capture for a source.
    package let direction: ServerStream.Direction
    /// The server's number for it.
    package let index: UInt32

    /// A device.
    package init(_ direction: ServerStream.Direction, _ index: UInt32) {
        self.direction = direction
        self.index = index
    }
}

/// What can happen to a device behind a session's back.
package struct DeviceCondition: Hashable, Sendable {
    /// Whether it sleeps.
    package var isSuspended: Bool
    /// Whether it is muted.
    package var isMuted: Bool

    /// A condition.
    package init(isSuspended: Bool = false, isMuted: Bool = false) {
        self.isSuspended = isSuspended
        self.isMuted = isMuted
    }
}

/// When a device that is taken away, or a microphone that is muted, interrupts a session (rule 7).
///
/// | what happens to a device that we use | interruption |
/// |---|---|
/// | it is suspended while our sound runs, for ``settling`` | began; nobody but the user or the system does that |
/// | it is still asleep when our sound has run for ``waking`` | began |
/// | it sleeps while our sound does not run | none: it was idle |
/// | it works again, is gone, or our stream is on another one | ended, with shouldResume |
/// | a source is muted while a session of category record takes sound from it | began (`inputMuted`) |
/// | it is unmuted or gone, our stream is on another one, or the session is another one | ended, with shouldResume |
/// | a source was muted before | none: the user knows |
package struct DeviceRules: Sendable {
    /// How long a device that worked must be suspended, in seconds: servers suspend devices shortly to change their
    /// rate.
    package static let settling = 0.2
    /// How long a sleeping device may take to wake up for us, in seconds: Bluetooth is slow.
    package static let waking = 3.0

    /// The devices that worked while our sound ran.
    private var awake: Set<Device> = []
    /// When those that are suspended while our sound runs interrupt.
    private var deadlines: [Device: Double] = [:]
    private var suspended: Set<Device> = []
    /// The sources that were not muted while we took sound from them.
    private var unmuted: Set<Device> = []
    private var muted: Set<Device> = []

    /// Before the first look.
    package init() {}

    /// When to look again though nothing changed, on the clock of ``observe(_:conditions:muteInterrupts:at:)``.
    package var nextLook: Double? { deadlines.values.min() }

    /// What the devices are like now.
    ///
    /// - Parameters:
    ///   - uses: The devices that our streams are connected to, and whether sound runs there or is paused.
    ///   - conditions: All devices of the server.
    ///   - muteInterrupts: Whether a muted source interrupts: in category record, but for sessions that asked for
    ///     silence instead.
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

    /// Whether our streams are on other devices by now; those that there are none of have not moved.
    private static func haveLeft(_ device: Device, for uses: [Device: Bool]) -> Bool {
        uses[device] == nil && uses.keys.contains { $0.direction == device.direction }
    }
}
