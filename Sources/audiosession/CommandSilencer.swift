import PipeWireClient
import PulseClient
import SessionPolicy
import SoundHost

/// Silences the streams of a session's command while the session is interrupted, and gives them back afterwards.
///
/// Streams that are born meanwhile are silenced too. Servers remember a mute for the program's next stream, so that one
/// that ends in silence would start muted the next time. Hence:
///
/// | server | silenced by | remembered |
/// |---|---|---|
/// | PipeWire | soft volumes, behind those that mixers show | nothing |
/// | PulseAudio | a mute | is corrected at once |
/// | PipeWire over a network, or without its library here | a mute | until the program is heard again in its session |
///
/// Where it is a mute, a stream that the user unmutes is the user's from then on, and one that was muted before is
/// never touched.
///
/// With a server that goes away all that was silenced has gone; what the command plays on the next one is silenced, too.
/// Where only our connection was lost, what was muted still is, and known: servers are told apart by their cookies.
///
/// Neither ends with this process, so a ``DuckGuard`` is told before anything is silenced: if we are killed, it gives
/// everything back. It also does so where we cannot, since the connection was lost and is not there again.
actor CommandSilencer {
    /// A playback stream, told apart from another one that gets its number later.
    fileprivate struct StreamID: Hashable {
        let index: UInt32
        let client: UInt32?
    }

    private enum State {
        /// Muted by us. Can move to: theirs, left.
        case silenced
        /// Muted by us, and left to the guard, which may not have unmuted it yet. Can move to: silenced.
        case left
        /// Muted before, or unmuted by somebody else. Final.
        case theirs
    }

    private let owner: UInt64
    private var states: [StreamID: State] = [:]
    /// The programs and roles of what was muted here: what a server remembers mutes their next streams, too.
    private var kinds: Set<[String?]> = []
    private var hasLooked = false
    private var observer: ServerObserver?
    private var guardian: DuckGuard?
    /// The server that all this is about.
    private var cookie: UInt32?
    /// What the guard knows of.
    private var noted: DuckLedger?
    private var softVolumes: SoftVolumeDucker?
    /// Counts the servers: what belongs to an earlier one says nothing about this one.
    private var servers = 0
    private var task: Task<Void, Never>?

    /// Knows the command's streams by the session that they name as their owner.
    init(owner: UInt64) { self.owner = owner }

    /// In seconds; short, but without a click.
    private static let fade = 0.02

    /// Silences what there is, and what will be, until ``giveBack()``.
    func silence() {
        guard task == nil else { return }
        task = Task {
            var pauses = ReconnectPolicy()
            while !Task.isCancelled {
                if await silenceOnServer() { pauses.reset() }
                try? await Task.sleep(for: pauses.next())
            }
        }
    }

    /// Silences for as long as the server is there; false where there is none, and nothing is heard either.
    private func silenceOnServer() async -> Bool {
        guard let observer = try? await ServerObserver(name: "audiosession") else { return false }
        servers += 1
        let server = servers
        self.observer = observer
        if guardian == nil { guardian = DuckGuard(server: await observer.connection.serverAddress) }
        softVolumes = await observer.softVolumes { Task { await self.forgetSoftVolumes(of: server) } }
        try? await observer.follow { snapshot in
            await self.look(at: snapshot, observer.connection)
            return !Task.isCancelled
        }
        // Otherwise somebody is about to give everything back.
        if !Task.isCancelled { await loseConnection() }
        return true
    }

    /// They do not work here: from the next look on, streams are muted.
    private func forgetSoftVolumes(of server: Int) {
        if server == servers { softVolumes = nil }
    }

    /// The server may have gone, or only the connection: the guard stands by until the next look tells.
    private func loseConnection() async {
        let lost = observer
        if softVolumes?.close() == true { noted = nil }
        (observer, softVolumes) = (nil, nil)
        await lost?.close()
    }

    /// Forgets what was silenced on another server.
    private func meet(_ server: ServerInfo, _ connection: PulseConnection) async {
        guard cookie != server.cookie else { return }
        if cookie != nil {
            guardian?.dismiss()
            guardian = DuckGuard(server: await connection.serverAddress)
        }
        cookie = server.cookie
        noted = nil
        states = [:]
        kinds = []
        hasLooked = false
    }

    /// Lets what was silenced here be heard again; what was muted, if it still is.
    func giveBack() async {
        guard let task else { return }
        self.task = nil
        task.cancel()
        await task.value
        // Where soft volumes did not work any more, what was silenced by them need not be muted yet.
        var isSoftDone = noted?.records.allSatisfy { $0.record.key == DuckGuard.muteKey } ?? true
        if let softVolumes {
            softVolumes.apply([:], rampUp: Self.fade)
            try? await Task.sleep(for: .seconds(2 * Self.fade))
            isSoftDone = softVolumes.close()
        }
        softVolumes = nil
        let muted = states.filter { $0.value != .theirs }
        kinds = []
        hasLooked = false
        // Soft volumes have been given back over a connection of their own, if it could be had.
        var isDone = muted.isEmpty
        if let observer {
            self.observer = nil
            if !isDone { isDone = await unmute(Set(muted.keys), over: observer.connection) }
            await observer.close()
        }
        if isDone, isSoftDone {
            states = [:]
            guardian?.dismiss()
        } else {
            states = muted.mapValues { _ in .left }
            _ = guardian?.takeOver()
        }
        (guardian, noted) = (nil, nil)
    }

    /// Lets be heard what was muted, if it still is; false where that cannot be known, or done.
    private func unmute(_ muted: Set<StreamID>, over connection: PulseConnection) async -> Bool {
        guard let snapshot = try? await ServerSnapshot.read(connection) else { return false }
        // On another server there is nothing of it.
        guard snapshot.server.cookie == cookie else { return true }
        var isDone = true
        for stream in snapshot.playbackStreams where stream.isMuted && muted.contains(stream.id) {
            do throws(PulseError) {
                try await connection.setSinkInputMute(false, at: stream.index)
            } catch {
                // One that has ended meanwhile is nobody's any more.
                if error.code != .noSuchEntity { isDone = false }
            }
        }
        return isDone
    }

    private func look(at snapshot: ServerSnapshot, _ connection: PulseConnection) async {
        await meet(snapshot.server, connection)
        let mine = Set(snapshot.scene.streams.filter { isMine($0, in: snapshot.scene) }.map(\.index))
        if snapshot.server.isPipeWire, let softVolumes {
            note(mine.map { ($0, "") }, of: snapshot)
            return softVolumes.apply(Dictionary(uniqueKeysWithValues: mine.map { ($0, 0) }), rampDown: Self.fade)
        }
        await mute(mine, of: snapshot, connection)
    }

    /// Tells the guard what is silenced, or is about to be.
    private func note(_ streams: [(stream: UInt32, key: String)], of snapshot: ServerSnapshot) {
        var ledger = DuckLedger(server: snapshot.server.cookie, owner: snapshot.observer ?? .max)
        for (stream, key) in streams { ledger.enter(.lowered(.init(key: key)), for: stream) }
        guard ledger != noted else { return }
        noted = ledger
        guardian?.note(silenced: ledger)
    }

    private func mute(_ mine: Set<UInt32>, of snapshot: ServerSnapshot, _ connection: PulseConnection) async {
        var remembered: Set<String> = []
        let silenced = snapshot.playbackStreams.filter { stream in
            guard mine.contains(stream.index) else { return false }
            return switch states[stream.id] {
            case nil: !stream.isMuted
            case .silenced?: stream.isMuted
            case .left?: true
            case .theirs?: false
            }
        }
        note(silenced.map { ($0.index, DuckGuard.muteKey) }, of: snapshot)
        for stream in snapshot.playbackStreams where mine.contains(stream.index) {
            switch states[stream.id] {
            // One that the guard has unmuted meanwhile is like a new one.
            case nil where !stream.isMuted, .left? where !stream.isMuted:
                states[stream.id] = .silenced
                kinds.insert(stream.kind)
                try? await connection.setSinkInputMute(true, at: stream.index)
            case nil where hasLooked && kinds.contains(stream.kind):
                // Born muted, because the server remembers what was done here to its predecessor.
                states[stream.id] = .silenced
            case nil: states[stream.id] = .theirs
            case .silenced? where !stream.isMuted: states[stream.id] = .theirs
            case .silenced?, .left?, .theirs?: break
            }
            guard states[stream.id] != .theirs, let name = stream.properties["module-stream-restore.id"] else {
                continue
            }
            remembered.insert(name)
        }
        hasLooked = true
        if !snapshot.server.isPipeWire { await forget(remembered, connection) }
    }

    /// The streams that name our session; those that a session of their own silences are left to that.
    private func isMine(_ stream: ServerStream, in scene: Scene) -> Bool {
        guard stream.direction == .playback, stream.owner == owner else { return false }
        return !scene.participants.contains { other in
            other.claim.uid != owner
                && (other.id == stream.client || (other.claim.pid == stream.pid && other.claim.host == stream.host))
        }
    }

    /// Takes the mute out of what the server remembers under these names.
    private func forget(_ names: Set<String>, _ connection: PulseConnection) async {
        guard !names.isEmpty, let entries = try? await connection.restoreEntries() else { return }
        let muted = entries.filter { $0.isMuted && names.contains($0.name) }
        guard !muted.isEmpty else { return }
        let corrected = muted.map { entry in
            StreamRestoreEntry(name: entry.name, map: entry.map, volume: entry.volume, device: entry.device)
        }
        try? await connection.writeRestoreEntries(corrected, applyImmediately: false)
    }
}

extension SinkInput {
    fileprivate var id: CommandSilencer.StreamID { .init(index: index, client: client) }

    /// What servers go by when they remember.
    fileprivate var kind: [String?] { [properties["application.name"], properties["media.role"]] }
}
