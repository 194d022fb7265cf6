import Foundation
import PulseClient
import SessionPolicy
import SoundHost

/// Looks who else is to be heard while a session of the command's own has the floor.
///
/// The session around the command is interrupted by that one, or waits for its end, and so is told of nobody who comes
/// next. The command's own session falls silent by itself then; its other streams are to be silenced with it:
///
/// | there is | they are |
/// |---|---|
/// | a call or an alarm of a program outside that began meanwhile | silent |
/// | a call of another session, which interrupts the one around the command, too | silent |
/// | no session of the command's that is to be heard, but another one, or a call | silent |
/// | anything else | heard |
actor CommandAudibility {
    private let command: pid_t
    private let owner: UInt64
    private let notify: @Sendable (_ isTaken: Bool) -> Void
    /// The calls outside; those that are there at the first look were there before the command's session.
    private var history = ForeignCallHistory()
    /// What was told last.
    private var lastNotified: Bool?

    /// - Parameters:
    ///   - command: The command's process.
    ///   - owner: The random bits of the claim of the session around it.
    ///   - notify: Told after the first look, and with each change, whether the command's streams are to be silent.
    init(command: pid_t, owner: UInt64, notify: @escaping @Sendable (_ isTaken: Bool) -> Void) {
        self.command = command
        self.owner = owner
        self.notify = notify
    }

    /// Looks until the task is cancelled, also on the server that follows.
    func watch() async {
        var pauses = ReconnectPolicy()
        while !Task.isCancelled {
            if let observer = try? await ServerObserver(name: "audiosession") {
                pauses.reset()
                history = ForeignCallHistory()
                try? await observer.follow { snapshot in
                    await self.look(at: snapshot.state)
                    return !Task.isCancelled
                }
                await observer.close()
            }
            try? await Task.sleep(for: pauses.next())
        }
    }

    private func look(at state: ServerState) {
        let isTaken = isTaken(in: state)
        guard isTaken != lastNotified, !Task.isCancelled else { return }
        lastNotified = isTaken
        notify(isTaken)
    }

    private func isTaken(in state: ServerState) -> Bool {
        let rules = ForeignCallRules(policy: state.policy)
        let calls = rules.calls(among: state.streams, participants: state.participants)
        _ = history.observe(calls, at: ProcessInfo.processInfo.systemUptime)
        if history.isInterrupting { return true }
        let own = state.participants.filter { $0.claim.uid != owner && $0.isLive && $0.isOf(command: command) }
        // A call interrupts the session around the command however often the command's own comes back beside it.
        let held = state.participants.first { $0.claim.uid == owner }
        for case .session(let id, .call) in held.map({ state.hindrances(of: $0) }) ?? []
        where !own.contains(where: { $0.id == id }) {
            return true
        }
        // A prompt interrupts those that speak, and mixes otherwise.
        let isHeard = own.contains {
            state.condition(of: $0) == .active && (!$0.claim.isMixable || $0.claim.interruptsSpokenAudio)
        }
        if isHeard { return false }
        // One that has ended leaves the floor to ours, which is notified.
        if !own.isEmpty, !calls.isEmpty { return true }
        return state.participants.contains { other in
            other.claim.uid != owner && !own.contains { $0.id == other.id } && !other.claim.isMixable
                && state.condition(of: other) == .active
        }
    }
}

extension Participant {
    /// Whether its process is a command's, or was started by one of them.
    func isOf(command: pid_t) -> Bool {
        guard claim.host == ProcessGlance.hostName else { return false }
        let tree = ProcessTree(of: [claim.pid]) { ProcessGlance($0)?.parent }
        return tree.isProcess(claim.pid, within: command)
    }
}
