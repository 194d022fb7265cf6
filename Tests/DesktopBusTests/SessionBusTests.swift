import DesktopBus
import Foundation
import TestSupport
import Testing

@Suite(.limited)
struct SessionBusTests {
    @Test func playersAreListedOnce() async throws {
        let bus = try await PrivateBus.start()
        let first = try await bus.player("first")
        let second = try await bus.player("second")
        try await second.order("pause")
        let players = await bus.client.mediaPlayers()
        #expect(players.map(\.address.owner) == [first.owner, second.owner])
        #expect(players.map(\.address.name) == ["org.mpris.MediaPlayer2.first", "org.mpris.MediaPlayer2.second"])
        #expect(players.map(\.address.pid) == [first.pid, second.pid])
        #expect(players.map(\.identity) == ["Mock first", "Mock second"])
        #expect(players.map(\.desktopEntry) == ["first", "second"])
        #expect(players.map(\.status) == [.playing, .paused])
        #expect(players.map(\.track) == ["/track/1", "/track/1"])
        #expect(players.allSatisfy { $0.canPause && $0.canPlay })
    }

    @Test func whereThereIsNoBusNobodyPlays() async throws {
        let nowhere = SessionBus(address: "unix:path=/nonexistent/bus")
        #expect(await nowhere.mediaPlayers().isEmpty)
        #expect(await SessionBus(address: "nonsense").mediaPlayers().isEmpty)
        #expect(SessionBus(environment: [:]) == nil)
        #expect(SessionBus(environment: ["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]) == nil)
        #expect(SessionBus(environment: ["XDG_RUNTIME_DIR": "/nonexistent"]) == nil)
        let answer = await withCheckedContinuation { continuation in
            nowhere.pausePlayer(":1.1") { continuation.resume(returning: $0) }
        }
        #expect(answer == .silence)
        let events = Events()
        nowhere.watchPlayers { events.add($0) }
        try await waitUntil { events.all == [.busLost] }
    }

    @Test func theRuntimeFolderHasABus() async throws {
        let bus = try await PrivateBus.start()
        let player = try await bus.player()
        let found = try #require(SessionBus(environment: ["XDG_RUNTIME_DIR": bus.folder.path]))
        #expect(await found.mediaPlayers().map(\.address.owner) == [player.owner])
    }

    @Test func aStoppedPlayerHoldsNobodyUp() async throws {
        let bus = try await PrivateBus.start()
        let frozen = try await bus.player("frozen")
        let other = try await bus.player("other")
        frozen.process.send(SIGSTOP)
        let client = bus.client
        let events = Events()
        client.playerAddresses { addresses in
            for address in addresses {
                client.readPlayer(at: address) { events.names.add($0?.address.owner ?? "nobody") }
            }
        }
        try await waitUntil { events.names.all.first == other.owner }
        try await waitUntil { events.names.all == [other.owner, "nobody"] }
        frozen.process.send(SIGCONT)
    }

    @Test func nonsenseIsNoAnswer() async throws {
        let bus = try await PrivateBus.start()
        _ = try await bus.player("sane")
        let mad = try await bus.player("mad", quirks: ["nonsense"])
        let players = await bus.client.mediaPlayers()
        let found = try #require(players.first { $0.address.owner == mad.owner })
        #expect(found.status == nil)
        #expect(found.track == nil)
        #expect(players.count == 2)
    }

    /// libsystemd reads nothing of a message with a noncharacter in it.
    @Test func aTitleThatCannotBeReadHidesNothingElse() async throws {
        let bus = try await PrivateBus.start()
        let player = try await bus.player(quirks: ["noncharacter"])
        _ = try await bus.player("stuck", quirks: ["noncharacter", "immovable"])
        let client = bus.client
        let events = Events()
        client.watchPlayers { events.add($0) }
        let players = await client.mediaPlayers()
        #expect(players.map(\.status) == [.playing, .playing])
        #expect(players.map(\.canPause) == [true, false])
        #expect(players.map(\.identity) == ["Mock mock", "Mock stuck"])
        try await player.order("pause")
        #expect(await client.mediaPlayers().first?.status == .paused)
        // Over the same connection: what was told before the answer.
        #expect(events.all == [.unclear(owner: player.owner)])
    }

    @Test func whatHappensIsTold() async throws {
        let bus = try await PrivateBus.start()
        let player = try await bus.player()
        let client = bus.client
        let events = Events()
        client.watchPlayers { events.add($0) }
        // An answer from the bus means that it knows of the watch.
        #expect(await client.mediaPlayers().count == 1)
        for order in ["pause", "seek", "next", "quit"] { try await player.order(order) }
        let owner = player.owner
        let expected: [PlayerEvent] = [
            .status(owner: owner, .paused), .seeked(owner: owner), .track(owner: owner, "/track/2"),
            .gone(owner: owner),
        ]
        try await waitUntil { events.all.count >= expected.count }
        #expect(events.all == expected)

        client.watchPlayers(nil)
        let next = try await bus.player("next")
        #expect(await client.mediaPlayers().count == 1)
        try await next.order("pause")
        #expect(await client.mediaPlayers().first?.status == .paused)
        #expect(events.all == expected)
    }

    @Test func aLostBusIsToldAndANewOneFound() async throws {
        var bus = try await PrivateBus.start()
        _ = try await bus.player()
        let client = bus.client
        let events = Events()
        client.watchPlayers { events.add($0) }
        #expect(await client.mediaPlayers().count == 1)
        try await bus.kill()
        try await waitUntil { events.all.last == .busLost }
        #expect(await client.mediaPlayers().isEmpty)
        let old = bus
        bus = try await PrivateBus.start(in: bus.folder)
        _ = try await bus.player("again")
        #expect(await client.mediaPlayers().map(\.address.name) == ["org.mpris.MediaPlayer2.again"])
        withExtendedLifetime(old) {}
    }

    @Test func aStoppedBusHoldsNobodyUp() async throws {
        let bus = try await PrivateBus.start()
        bus.daemon.send(SIGSTOP)
        #expect(await bus.client.mediaPlayers().isEmpty)
        bus.daemon.send(SIGCONT)
    }

    @Test func requestsAreAnswered() async throws {
        let bus = try await PrivateBus.start()
        let player = try await bus.player()
        let stubborn = try await bus.player("stubborn", quirks: ["refuses"])
        let client = bus.client
        func pause(_ owner: String) async -> PlayerAnswer {
            await withCheckedContinuation { continuation in
                client.pausePlayer(owner) { continuation.resume(returning: $0) }
            }
        }
        #expect(await pause(player.owner) == .accepted)
        try await waitUntil("its word") { player.lines.contains("status Paused") }
        #expect(await pause(stubborn.owner) == .refused)
        #expect(await pause(":1.9999") == .refused)
        #expect(await pause("no name") == .silence)
    }
}

/// What was told, in order.
// SAFETY: guarded by `lock`.
final class Collection<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []

    func add(_ element: Element) { lock.withLock { elements.append(element) } }
    var all: [Element] { lock.withLock { elements } }
}

final class Events: Sendable {
    let names = Collection<String>()
    private let events = Collection<PlayerEvent>()

    func add(_ event: PlayerEvent) { events.add(event) }
    var all: [PlayerEvent] { events.all }
}
