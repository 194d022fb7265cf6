/// A valid change of a session, which other sessions may still forbid.
package struct SettingsChange: Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable {
        case settings(SessionSettings)
        case outputMuted(Bool)
    }

    fileprivate let kind: Kind
    /// The published settings while the session is active.
    package let claimed: SessionSettings
}

// A change is evaluated once: `commit` applies the result of `prepare`, whatever has happened in between.
extension SessionMachine {
    /// A change to validated settings.
    package func prepare(_ new: SessionSettings) -> SettingsChange {
        SettingsChange(
            kind: .settings(new), claimed: new.claimed(isOutputMuted: isOutputMuted && new.allowsMutedOutput))
    }

    /// A change of the output mute; throws `incompatibleCategory` if the mode forbids it.
    package func prepare(outputMuted: Bool) throws(SessionError) -> SettingsChange {
        guard !outputMuted || settings.allowsMutedOutput else {
            throw SessionError(.incompatibleCategory, "The output cannot be muted in the mode \(settings.mode.name).")
        }
        return SettingsChange(kind: .outputMuted(outputMuted), claimed: settings.claimed(isOutputMuted: outputMuted))
    }

    /// Applies a change that no other session forbids; throws `mediaServicesFailed` if the sound server was lost.
    package mutating func commit(_ change: SettingsChange) throws(SessionError) -> [Effect] {
        guard state != .lost else {
            throw SessionError(.mediaServicesFailed, "The sound server is gone; wait for its return.")
        }
        switch change.kind {
        case .settings(let new): return configure(new)
        case .outputMuted(let muted): return setOutputMuted(muted)
        }
    }
}
