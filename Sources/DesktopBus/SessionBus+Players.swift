/// D-Bus: `org.mpris.MediaPlayer2`, as a client.
extension SessionBus {
    private static let prefix = "org.mpris.MediaPlayer2."
    private static let path = PlayerWatch.path
    private static let player = PlayerWatch.player
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    /// Lists the players on the bus; each is listed once, under one of its names.
    ///
    /// The bus itself answers, so this is fast even if a player hangs. `playerctld`, a proxy of other players, is left
    /// out.
    package func playerAddresses(completion: @escaping @Sendable ([MediaPlayer.Address]) -> Void) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion([]) }
            connection.call(Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, method: "ListNames") {
                guard case .answer(let message) = $0, let names = message.texts() else { return completion([]) }
                let players = names.filter { $0.hasPrefix(Self.prefix) && $0 != Self.prefix + "playerctld" }
                Self.addresses(of: players.sorted(), over: connection, completion: completion)
            }
        }
    }

    private static func addresses(
        of names: [String], over connection: BusConnection, completion: @escaping ([MediaPlayer.Address]) -> Void
    ) {
        var owners: [String: String] = [:]
        var processes: [String: Int32] = [:]
        let gathering = Gathering {
            var seen: Set<String> = []
            completion(
                names.compactMap { name in
                    // A program may own several names; a player without owner has just left.
                    guard let owner = owners[name], seen.insert(owner).inserted else { return nil }
                    return MediaPlayer.Address(name: name, owner: owner, pid: processes[name])
                })
        }
        func ask(_ method: String, _ name: String, _ read: @escaping (BusMessage) -> Void) {
            gathering.expect()
            connection.call(
                bus, path: "/org/freedesktop/DBus", interface: bus, method: method, arguments: [.text(name)]
            ) {
                if case .answer(let message) = $0 { read(message) }
                gathering.arrived()
            }
        }
        for name in names {
            ask("GetNameOwner", name) { owners[name] = $0.text() }
            ask("GetConnectionUnixProcessID", name) { processes[name] = $0.number().flatMap(Int32.init(exactly:)) }
        }
        gathering.arrived()
    }

    /// Reads a player's properties; nil if it does not answer within 2 seconds, or not as MPRIS demands.
    package func readPlayer(
        at address: MediaPlayer.Address, completion: @escaping @Sendable (MediaPlayer?) -> Void
    ) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(nil) }
            var names: [String: BusValue]?
            var properties: [String: BusValue]?
            let gathering = Gathering {
                var found = properties.map { MediaPlayer(address: address, properties: $0) }
                found?.identity = names?["Identity"]?.text
                found?.desktopEntry = names?["DesktopEntry"]?.text
                completion(found)
            }
            func ask(_ method: String, _ words: String..., read: @escaping (BusMessage) -> Void) {
                gathering.expect()
                connection.call(
                    address.owner, path: Self.path, interface: Self.properties, method: method,
                    arguments: words.map(BusArgument.text)
                ) {
                    if case .answer(let message) = $0 { read(message) }
                    gathering.arrived()
                }
            }
            ask("GetAll", "org.mpris.MediaPlayer2") { names = $0.table() }
            ask("GetAll", Self.player) {
                properties = $0.table()
                // sd-bus cannot read a table that contains a noncharacter, such as in a track's title.
                guard properties == nil else { return }
                for name in ["PlaybackStatus", "CanPause", "CanPlay"] {
                    ask("Get", Self.player, name) {
                        if let value = $0.variant() { properties = (properties ?? [:]).merging([name: value]) { $1 } }
                    }
                }
            }
            gathering.arrived()
        }
    }

    /// All players that answer, by name; queries all at once, and takes 2 seconds if one of them hangs.
    package func mediaPlayers() async -> [MediaPlayer] {
        let addresses = await withCheckedContinuation { continuation in
            playerAddresses { continuation.resume(returning: $0) }
        }
        return await withTaskGroup(of: MediaPlayer?.self) { group in
            for address in addresses {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        self.readPlayer(at: address) { continuation.resume(returning: $0) }
                    }
                }
            }
            let players: [MediaPlayer] = await group.reduce(into: []) { if let player = $1 { $0.append(player) } }
            return players.sorted { $0.address.name < $1.address.name }
        }
    }

    /// Requests a player to pause; without effect on a paused player.
    package func pausePlayer(_ owner: String, completion: @escaping @Sendable (PlayerAnswer) -> Void) {
        request("Pause", of: owner, completion)
    }

    /// Requests a player to play; without effect on a playing player.
    package func playPlayer(_ owner: String, completion: @escaping @Sendable (PlayerAnswer) -> Void) {
        request("Play", of: owner, completion)
    }

    private func request(_ method: String, of owner: String, _ completion: @escaping @Sendable (PlayerAnswer) -> Void) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(.silence) }
            connection.call(owner, path: Self.path, interface: Self.player, method: method) { reply in
                switch reply {
                case .answer: completion(.accepted)
                case .refusal: completion(.refused)
                case .silence: completion(.silence)
                }
            }
        }
    }

    // MARK: Watching

    /// Watches the events of all players, in place of an earlier handler; nil ends the watch.
    ///
    /// Answers to later requests arrive after the events that preceded them. A watch ends with ``PlayerEvent/busLost``,
    /// which without a bus is the only event.
    package func watchPlayers(_ handler: (@Sendable (PlayerEvent) -> Void)?) {
        perform { [weak self] in
            guard let self else { return }
            guard let handler else { return players.end() }
            players.begin(over: { self.connected() }, handler)
        }
    }
}

extension MediaPlayer {
    fileprivate init(address: Address, properties: [String: BusValue]) {
        self.init(
            address: address, status: properties["PlaybackStatus"]?.text.flatMap(Status.init),
            canPause: properties["CanPause"]?.flag ?? true, canPlay: properties["CanPlay"]?.flag ?? true,
            track: Self.track(in: properties["Metadata"]?.table ?? [:]))
    }
}

/// Calls back once all expected answers have arrived; the object itself counts as one.
private final class Gathering {
    private var missing = 1
    private let completion: () -> Void

    init(_ completion: @escaping () -> Void) {
        self.completion = completion
    }

    func expect() { missing += 1 }

    func arrived() {
        missing -= 1
        if missing == 0 { completion() }
    }
}
