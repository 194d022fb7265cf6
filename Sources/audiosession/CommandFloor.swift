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
actor CommandFloor {
    private let command: pid_t
    private let owner: UInt64
    private let tell: @Sendable (_ isTaken: Bool) -> Void
    /// The calls outside; those that are there at the first look were there before the command's session.
    private var history = ForeignCallHistory()
    /// What was told last.
    private var told: Bool?

    /// - Parameters:
    ///   - command: The command's process.
    ///   - owner: The random bits of the claim of the session around it.
    ///   - tell: Told after the first look, and with each change, whether the command's streams are to be silent.
    init(command: pid_t, owner: UInt64, tell: @escaping @Sendable (_ isTaken: Bool) -> Void) {
        self.command = command
        self.owner = owner
        self.tell = tell
    }

    /// Looks until the task is cancelled, also on the server that follows.
    func watch() async {
        var pauses = ReconnectPolicy()
        while !Task.isCancelled {
            if let observer = try? await ServerObserver(name: "audiosession") {
                pauses.reset()
                history = ForeignCallHistory()
                try? await observer.follow { snapshot in
                    await self.look(at: snapshot.scene)
                    return !Task.isCancelled
                }
                await observer.close()
            }
            try? await Task.sleep(for: pauses.next())
        }
    }

    private func look(at scene: Scene) {
        let isTaken = isTaken(in: scene)
        guard isTaken != told, !Task.isCancelled else { return }
        told = isTaken
        tell(isTaken)
    }

    private func isTaken(in scene: Scene) -> Bool {
        let rules = ForeignCallRules(policy: scene.policy)
        let calls = rules.calls(among: scene.streams, participants: scene.participants)
        _ = history.observe(calls, at: ProcessInfo.processInfo.systemUptime)
        if history.isInterrupting { return true }
        let own = scene.participants.filter { $0.claim.uid != owner && $0.isLive && $0.isOf(command: command) }
        // A call interrupts the session around the command however often the command's own comes back beside it.
        let held = scene.participants.first { $0.claim.uid == owner }
        for case .session(let id, .call) in held.map({ scene.hindrances(of: $0) }) ?? []
        where !own.contains(where: { $0.id == id }) {
            return true
        }
        // A prompt interrupts those that speak, and mixes otherwise.
        let isHeard = own.contains {
            scene.condition(of: $0) == .active && (!$0.claim.isMixable || $0.claim.interruptsSpokenAudio)
        }
        if isHeard { return false }
        // One that has ended leaves the floor to ours, which is told.
        if !own.isEmpty, !calls.isEmpty { return true }
        return scene.participants.contains { other in
            other.claim.uid != owner && !own.contains { $0.id == other.id } && !other.claim.isMixable
                && scene.condition(of: other) == .active
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
