import Foundation
import PulseClient
import SessionPolicy
import SoundHost

/// Whether a command is audible while a session of the command's own interrupts the session around it.
///
/// The session around the command, interrupted already, gets no notification of further interruptions. The command's own
/// session silences itself then; the command's other streams are silenced with it:
///
/// | on the server is | the command's other streams are |
/// |---|---|
/// | a call or an alarm of another program that began meanwhile | silent |
/// | a call of another session, which interrupts the session around the command, too | silent |
/// | no audible session of the command, but another audible session, or a call | silent |
/// | any other | heard |
actor CommandAudibility {
    private let command: pid_t
    private let owner: UInt64
    private let notify: @Sendable (_ isSilent: Bool) -> Void
    /// The calls of other programs; those at the first look are older than the command's session.
    private var history = ForeignCallHistory()
    /// The last value passed to `notify`.
    private var lastNotified: Bool?

    /// - Parameters:
    ///   - command: The command's process.
    ///   - owner: The `uid` of the claim of the session around it.
    ///   - notify: Called after the first look and at each change with whether the command is to be silent.
    init(command: pid_t, owner: UInt64, notify: @escaping @Sendable (_ isSilent: Bool) -> Void) {
        self.command = command
        self.owner = owner
        self.notify = notify
    }

    /// Watches until the task is cancelled, across restarts of the server.
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
        let isSilent = isSilent(in: state)
        guard isSilent != lastNotified, !Task.isCancelled else { return }
        lastNotified = isSilent
        notify(isSilent)
    }

    private func isSilent(in state: ServerState) -> Bool {
        let rules = ForeignCallRules(policy: state.policy)
        let calls = rules.calls(among: state.streams, participants: state.participants)
        _ = history.observe(calls, at: ProcessInfo.processInfo.systemUptime)
        if history.isInterrupting { return true }
        let own = state.participants.filter { $0.claim.uid != owner && $0.isLive && $0.isOf(command: command) }
        // A call interrupts the session around the command however often the command's own comes back beside it.
        let outer = state.participants.first { $0.claim.uid == owner }
        for case .session(let id, .call) in outer.map({ state.hindrances(of: $0) }) ?? []
        where !own.contains(where: { $0.id == id }) {
            return true
        }
        // A prompt interrupts those that speak, and mixes otherwise.
        let isHeard = own.contains {
            state.condition(of: $0) == .active && (!$0.claim.isMixable || $0.claim.interruptsSpokenAudio)
        }
        if isHeard { return false }
        // Once it has ended, the session around the command is notified.
        if !own.isEmpty, !calls.isEmpty { return true }
        return state.participants.contains { other in
            other.claim.uid != owner && !own.contains { $0.id == other.id } && !other.claim.isMixable
                && state.condition(of: other) == .active
        }
    }
}

extension Participant {
    /// Whether the participant's process is a command's process or a descendant of it.
    func isOf(command: pid_t) -> Bool {
        guard claim.host == ProcessGlance.hostName else { return false }
        let tree = ProcessTree(of: [claim.pid]) { ProcessGlance($0)?.parent }
        return tree.isProcess(claim.pid, within: command)
    }
}
