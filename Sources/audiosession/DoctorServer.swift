import PulseClient
import SessionPolicy
import SoundHost

/// The checks of the server.
extension Finding {
    /// Checks of the server, its modules, its devices and its clients.
    static func ofServer(_ snapshot: ServerSnapshot) -> [Finding] {
        [
            .ok("server", "\(snapshot.serverTitle) on \(snapshot.server.hostName)"), ofConnections(snapshot),
            ofCallPolicy(snapshot), ofDuckingModule(snapshot), ofRolePolicy(snapshot), ofWirePlumber(snapshot),
            ofPermissions(snapshot), ofOutput(snapshot), ofInput(snapshot), ofClaims(snapshot),
            ofLedger(snapshot),
        ].compactMap { $0 }
    }

    /// A check of the number of clients: servers accept 64 over the PulseAudio protocol, and drop the 65th silently.
    private static func ofConnections(_ snapshot: ServerSnapshot) -> Finding {
        let count = snapshot.clients.count
        guard count > 50 else { return .ok("connections", "\(count) of 64 in use") }
        return .warn(
            "connections", "\(count) of 64 in use; the 65th is refused",
            "close programs that play nothing (pactl list clients names them)")
    }

    private static func ofCallPolicy(_ snapshot: ServerSnapshot) -> Finding? {
        if snapshot.server.isPipeWire { return nil }
        guard snapshot.state.serverSilencesForCalls else {
            return .ok("calls", "module-role-cork is not loaded; sessions notice calls by themselves")
        }
        return .ok("calls", "module-role-cork is loaded: the server silences music during calls, sessions are told")
    }

    /// A warning of `module-role-ducking`: PulseAudio 16.1 and 17.0 abort when a stream that it lowered is moved.
    private static func ofDuckingModule(_ snapshot: ServerSnapshot) -> Finding? {
        guard snapshot.modules.contains(where: { $0.name == "module-role-ducking" }) else { return nil }
        return .warn(
            "ducking",
            "module-role-ducking is loaded: PulseAudio 16.1 and 17.0 abort when a lowered stream is moved, for "
                + "example because a headset is plugged in; sessions leave lowering other programs to it",
            "pactl unload-module module-role-ducking, and take it out of default.pa")
    }

    private static func ofRolePolicy(_ snapshot: ServerSnapshot) -> Finding? {
        guard snapshot.server.isPipeWire, snapshot.sinks.contains(where: \.isForRoles) else { return nil }
        return .ok(
            "roles",
            "WirePlumber's role-based policy is configured: it acts by the roles of streams, and sessions lower what it "
                + "does not")
    }

    private static func ofWirePlumber(_ snapshot: ServerSnapshot) -> Finding? {
        guard snapshot.server.isPipeWire else { return nil }
        let daemons = snapshot.clients.filter { $0.properties["wireplumber.daemon"] == "true" }
        guard !daemons.isEmpty else {
            return .warn("session manager", "no WirePlumber is connected", "systemctl --user start wireplumber")
        }
        // WirePlumber 0.5 states its version; an older one has that of the program on the same machine.
        let stated = daemons.lazy.compactMap { $0.properties["application.version"] }.compactMap(Version.init(in:))
        let isHere = snapshot.server.hostName == snapshot.state.host
        guard let version = stated.first ?? (isHere ? Version.ofWirePlumber() : nil) else {
            return .ok("session manager", "WirePlumber, of unknown version")
        }
        guard version < Version([0, 5, 15]) else { return .ok("session manager", "WirePlumber \(version)") }
        return .warn(
            "session manager",
            "WirePlumber \(version) remembers one volume for each role, which all apps of that role share",
            "upgrade to 0.5.15, or mind that an app may start with another app's volume")
    }

    private static func ofPermissions(_ snapshot: ServerSnapshot) -> Finding? {
        guard let own = snapshot.clients.first(where: { $0.index == snapshot.observer }),
            let access = own.properties["pipewire.access"]
        else { return nil }
        guard access != "unrestricted", access != "default" else { return .ok("permissions", access) }
        return .warn(
            "permissions", "this program is \(access) by PipeWire: it may see others, but not change their streams",
            "start programs outside of the sandbox where they are to lower or silence others")
    }

    private static func ofOutput(_ snapshot: ServerSnapshot) -> Finding {
        guard let sink = snapshot.defaultSink else {
            return .fail("output", "the server has no default sink", "plug in or switch on a device (pactl list sinks)")
        }
        if sink.isMuted {
            return .warn("output", "\(sink.name) is muted", "pactl set-sink-mute @DEFAULT_SINK@ 0")
        }
        return .ok("output", sink.name)
    }

    private static func ofInput(_ snapshot: ServerSnapshot) -> Finding {
        let sources = snapshot.sources.filter { $0.monitorOf == nil }
        guard let source = sources.first(where: { $0.name == snapshot.server.defaultSource }) ?? sources.first else {
            return .warn(
                "input", "there is no microphone; recorders can only take what sinks play",
                "plug one in, or choose a card profile with an input (pactl list cards)")
        }
        if source.isMuted {
            return .warn("input", "\(source.name) is muted", "pactl set-source-mute \(source.name) 0")
        }
        return .ok("input", source.name)
    }

    private static func ofClaims(_ snapshot: ServerSnapshot) -> Finding {
        let broken = snapshot.clients.filter { client in
            guard let text = client.properties[Claim.property] else { return false }
            return Claim(text) == nil
        }
        let count = snapshot.state.participants.count
        guard let first = broken.first else { return .ok("sessions", "\(count)") }
        return .warn(
            "sessions",
            "\(count) valid; \(broken.count) invalid \(broken.count == 1 ? "claim is" : "claims are") ignored: "
                + "client \(first.index) (\(first.name))",
            "update that program")
    }

    /// A check of the ledger: entries whose owner is gone were left by a crash.
    private static func ofLedger(_ snapshot: ServerSnapshot) -> Finding? {
        guard let ledger = DuckLedgerFile(server: snapshot.server.cookie)?.load(), !ledger.isEmpty,
            !snapshot.clients.contains(where: { $0.index == ledger.owner })
        else { return nil }
        let numbers = ledger.records.map { "\($0.stream)" }.sorted().joined(separator: ", ")
        return .warn(
            "lowered programs",
            "a program was killed while it lowered others (streams \(numbers)), and nobody has put that "
                + "right yet",
            "run anything in a session, which repairs it: audiosession run -- sleep 1")
    }
}
