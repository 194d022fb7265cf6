import DesktopBus
import Foundation
import HeadlessServer
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// A session among mock players, with what the sound server would say in the test's hands.
private final class Scene: Sendable {
    static let own: UInt64 = 1
    let bus: PrivateBus
    let client: SessionBus
    let players: ForeignPlayers
    private let streams = Collection<ServerStream>()
    private let participants = Collection<[Participant]>()

    init(_ bus: PrivateBus) {
        self.bus = bus
        client = bus.client
        let (streams, participants) = (streams, participants)
        players = ForeignPlayers(
            bus: client, own: Self.own, streams: { streams.all },
            participants: { participants.all.last ?? [] })
    }

    static func start() async throws -> Scene { Scene(try await PrivateBus.start()) }

    /// A player with a stream that is heard.
    func player(
        _ name: String = "mock", role: String? = "music", quirks: [String] = []
    ) async throws -> PrivateBus.Player {
        let player = try await bus.player(name, quirks: quirks)
        hear(player.pid, role: role)
        return player
    }

    func hear(_ pid: Int32, role: String? = "music") {
        streams.add(ServerStream(index: UInt32(pid), role: role, pid: pid))
    }

    func participate(_ claims: Claim...) {
        participants.add(claims.enumerated().map { Participant(id: UInt32($0), claim: $1) })
        players.participantsChanged()
    }

    /// Begins, and returns when so many players are paused.
    func begin(pausing count: Int = 1) async throws {
        players.sessionBegan()
        #expect(players.settle(seconds: 10))
        try await waitUntil("\(count) paused, not \(players.paused)") {
            players.paused.count == count && players.paused.allSatisfy { $0.stage == .paused }
        }
    }

    /// Begins, and returns the players' own words after all that were to pause have been told to.
    func beginAndLook() async -> [MediaPlayer.Status?] {
        players.sessionBegan()
        // Over the same connection: what is asked second is answered after the search, what is asked third after what
        // the search led to.
        _ = await client.mediaPlayers()
        _ = await client.mediaPlayers()
        return await client.mediaPlayers().map(\.status)
    }

    func end(notify: Bool = true) {
        players.sessionEnded(notify: notify)
        #expect(players.settle(seconds: 10))
        #expect(players.paused.isEmpty)
    }
}

private let hostName = ProcessInfo.processInfo.hostName

/// Done-point "foreign players": who is asked to pause, and who goes on.
@Suite(.limited)
struct ForeignPlayersTests {
    @Test(arguments: [[], ["late"], ["seeks"], ["late", "trails"], ["mute"], ["vague"], ["noncharacter"]])
    func aPlayerIsPausedAndGoesOn(quirks: [String]) async throws {
        let scene = try await Scene.start()
        let player = try await scene.player(quirks: quirks)
        try await scene.begin()
        try await waitUntil("its word") { !player.isPlaying }
        scene.end()
        try await player.told("Play")
        try await waitUntil { player.isPlaying }
        #expect(player.count(of: "Pause") == 1)
    }

    @Test func withoutNotifyItStaysPaused() async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        try await scene.begin()
        scene.end(notify: false)
        #expect(await scene.bus.client.mediaPlayers().first?.status == .paused)
        #expect(player.count(of: "Play") == 0)
    }

    @Test func whatTheUserPausedIsLeftAlone() async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        let other = try await scene.player("other")
        try await player.order("pause")
        try await scene.begin()
        scene.end()
        try await other.told("Play")
        #expect(player.count(of: "Pause") + player.count(of: "Play") == 0)
    }

    @Test(arguments: [["play"], ["play", "pause"], ["seek"], ["next"], ["stop"]])
    func whatTheUserTouchedIsLeftAlone(orders: [String]) async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        let other = try await scene.player("other")
        try await scene.begin(pausing: 2)
        for order in orders { try await player.order(order) }
        scene.end()
        try await other.told("Play")
        #expect(player.count(of: "Play") == 0)
    }

    @Test(arguments: [["play"], ["next"], ["stop"]])
    func aTouchThatThePlayerDoesNotTellIsSeenAtTheEnd(orders: [String]) async throws {
        let scene = try await Scene.start()
        let player = try await scene.player(quirks: ["mute"])
        try await scene.begin()
        for order in orders { try await player.order(order) }
        scene.end()
        #expect(player.count(of: "Play") == 0)
    }

    @Test func aPlayerWithoutSoundIsLeftAlone() async throws {
        let scene = try await Scene.start()
        let silent = try await scene.bus.player("silent")
        let heard = try await scene.player("heard")
        try await scene.begin()
        try await waitUntil("its word") { !heard.isPlaying }
        #expect(silent.isPlaying)
        scene.end()
        try await heard.told("Play")
        #expect(silent.count(of: "Pause") + silent.count(of: "Play") == 0)
    }

    @Test func callsAndScreenReadersAreNeverTouched() async throws {
        let scene = try await Scene.start()
        let call = try await scene.player("call", role: "phone")
        scene.hear(call.pid)
        let reader = try await scene.player("reader", role: "a11y")
        _ = try await scene.player("music")
        try await scene.begin()
        #expect(call.isPlaying && reader.isPlaying)
    }

    @Test func participantsPlayersAreSkipped() async throws {
        let scene = try await Scene.start()
        let theirs = try await scene.player("theirs")
        let other = try await scene.player("other")
        // Whether the participant's session is active makes no difference.
        scene.participate(Claim(uid: 7, state: .idle, host: hostName, pid: theirs.pid))
        #expect(await scene.beginAndLook() == [.paused, .playing])
        #expect(theirs.isPlaying)
        scene.end()
        try await other.told("Play")
        // A child of a participant, as the command of `audiosession run` is, and ours are.
        scene.participate(Claim(uid: Scene.own, state: .active, host: hostName, pid: getpid()))
        #expect(await scene.beginAndLook() == [.playing, .playing])
    }

    @Test func aPlayerThatQuitsIsForgotten() async throws {
        let scene = try await Scene.start()
        let first = try await scene.player()
        try await scene.begin()
        try await first.order("quit")
        try await first.process.wait()
        try await waitUntil { scene.players.paused.isEmpty }
        // The same name, the same program, another life.
        let second = try await scene.bus.player()
        try await second.order("pause")
        scene.end()
        #expect(second.count(of: "Play") == 0)
    }

    @Test(arguments: ["refuses", "immovable", "nonsense"])
    func whoeverCannotPauseIsForgotten(quirk: String) async throws {
        let scene = try await Scene.start()
        let player = try await scene.player("difficult", quirks: [quirk])
        _ = try await scene.player("music")
        try await scene.begin()
        #expect(player.isPlaying)
        scene.end()
        #expect(player.count(of: "Play") == 0)
    }

    @Test func aFrozenPlayerHoldsNobodyUp() async throws {
        let scene = try await Scene.start()
        let frozen = try await scene.player("frozen")
        let music = try await scene.player("music")
        frozen.process.send(SIGSTOP)
        scene.players.sessionBegan()
        try await waitUntil { !music.isPlaying }
        frozen.process.send(SIGCONT)
        try await waitUntil { scene.players.paused.contains { $0.player.name == "Mock music" && $0.stage == .paused } }
        scene.end()
        try await music.told("Play")
        #expect(frozen.isPlaying)
    }

    @Test func aPausedPlayerThatFreezesIsForgotten() async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        try await scene.begin()
        player.process.send(SIGSTOP)
        scene.end()
        player.process.send(SIGCONT)
        #expect(await scene.bus.client.mediaPlayers().first?.status == .paused)
        #expect(player.count(of: "Play") == 0)
    }

    @Test func withoutABusNothingHappens() async throws {
        let players = ForeignPlayers(bus: nil, own: 1, streams: { [] }, participants: { [] })
        players.sessionBegan()
        players.sessionEnded(notify: true)
        players.pausePlayers(ofPids: [1]) { #expect($0.isEmpty) }
        players.resumePlayers()
        #expect(players.settle(seconds: 10))
        #expect(players.paused.isEmpty)

        let nowhere = SessionBus(address: "unix:path=/nonexistent/bus")
        let others = ForeignPlayers(bus: nowhere, own: 1, streams: { [] }, participants: { [] })
        others.sessionBegan()
        others.sessionEnded(notify: true)
        #expect(others.settle(seconds: 10))
    }

    @Test func aBusThatDiesTakesAllDebtsAlong() async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        try await scene.begin()
        try await scene.bus.kill()
        try await waitUntil { scene.players.paused.isEmpty }
        scene.end()
        #expect(player.count(of: "Play") == 0)
        // The next session finds the next bus.
        let bus = try await PrivateBus.start(in: scene.bus.folder)
        let next = try await bus.player("next")
        scene.hear(next.pid)
        try await scene.begin()
        try await waitUntil("its word") { !next.isPlaying }
    }

    @Test func anotherProcessesInterruptionEndsNothing() async throws {
        // Two processes: A pauses the player, B interrupts A and finds nobody playing.
        let first = try await Scene.start()
        let second = Scene(first.bus)
        let player = try await first.player()
        second.hear(player.pid)
        try await first.begin()
        #expect(await second.beginAndLook() == [.paused])
        second.end()
        #expect(player.count(of: "Play") == 0)
        first.end()
        try await player.told("Play")
        #expect(player.count(of: "Pause") == 1)
    }

    @Test func whoLeavesDuringAnotherSessionWaitsForItsEnd() async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        try await scene.begin()
        let settings = try SessionSettings.validated(category: .playback, mode: .default, options: [])
        let own = Claim(seq: 1, uid: Scene.own, settings: settings)
        let newer = Claim(uid: 9).activating(with: settings, ticket: 2)
        scene.participate(own, newer)
        scene.players.sessionEnded(notify: true)
        #expect(scene.players.settle(seconds: 10))
        #expect(scene.players.paused.map(\.stage) == [.paused])
        #expect(player.count(of: "Play") == 0)
        scene.participate(own, newer.idle(notify: true))
        try await player.told("Play")
    }

    @Test func theLastWordThatComesWhileWeLeaveIsHeard() async throws {
        let bus = try await PrivateBus.start()
        let player = try await bus.player()
        let settings = try SessionSettings.validated(category: .playback)
        let own = Participant(id: 0, claim: Claim(seq: 1, uid: Scene.own, settings: settings))
        let newer = Claim(uid: 9).activating(with: settings, ticket: 2)
        let (known, made) = (Collection<[Participant]>(), Collection<ForeignPlayers>())
        let players = ForeignPlayers(
            bus: bus.client, own: Scene.own, streams: { [ServerStream(index: 1, role: "music", pid: player.pid)] },
            participants: {
                let present = known.all.last ?? [own]
                // The newer one ends between the question and what is made of the answer.
                if present.last?.claim == newer {
                    known.add([own, Participant(id: 1, claim: newer.idle(notify: true))])
                    let told = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        made.all.first?.participantsChanged()
                        told.signal()
                    }
                    told.wait()
                }
                return present
            })
        made.add(players)
        players.sessionBegan()
        try await waitUntil { players.paused.map(\.stage) == [.paused] }
        known.add([own, Participant(id: 1, claim: newer)])
        players.sessionEnded(notify: true)
        try await player.told("Play")
    }

    @Test func aSessionThatBeginsAgainAtOnceKeepsThemPaused() async throws {
        let scene = try await Scene.start()
        let player = try await scene.player()
        try await scene.begin()
        for _ in 0..<20 {
            scene.players.sessionEnded(notify: true)
            scene.players.sessionBegan()
        }
        #expect(scene.players.settle(seconds: 10))
        try await waitUntil { scene.players.paused.map(\.stage) == [.paused] }
        try await waitUntil("its word") { !player.isPlaying }
        scene.end()
        try await waitUntil { player.isPlaying }
    }

    @Test func aCommandsPlayersPauseWithItsSession() async throws {
        let scene = try await Scene.start()
        let own = try await scene.bus.player("own")
        let other = try await scene.player("other")
        let asked = Collection<[ForeignPlayer]>()
        scene.players.pausePlayers(ofPids: [own.pid]) { asked.add($0) }
        try await waitUntil { scene.players.paused.map(\.stage) == [.paused] }
        try await waitUntil("the question") { !asked.all.isEmpty }
        #expect(asked.all.map { $0.map(\.id) } == [[own.owner]])
        try await waitUntil("its word") { !own.isPlaying }
        #expect(other.isPlaying)
        scene.players.resumePlayers()
        try await own.told("Play")
        #expect(other.count(of: "Pause") == 0)
    }

    @Test func aCommandsPlayerWithASessionOfItsOwnIsLeftToThat() async throws {
        let scene = try await Scene.start()
        let own = try await scene.bus.player("own")
        let plain = try await scene.bus.player("plain")
        scene.participate(
            Claim(uid: Scene.own, state: .active, host: hostName, pid: getpid()),
            Claim(uid: 7, state: .active, host: hostName, pid: own.pid))
        let asked = Collection<[ForeignPlayer]>()
        scene.players.pausePlayers(ofPids: [own.pid, plain.pid]) { asked.add($0) }
        try await waitUntil { scene.players.paused.map(\.stage) == [.paused] }
        #expect(asked.all.map { $0.map(\.id) } == [[plain.owner]])
        try await waitUntil("its word") { !plain.isPlaying }
        #expect(own.isPlaying)
    }

    /// As `main` returns, or an app is closed by its window.
    @Test func aProcessThatExitsInItsSessionHasThemGoOn() async throws {
        try await withServer(.pulseAudio) { server in
            let bus = try await PrivateBus.start()
            let pacat = try #require(HeadlessServer.findBinary("pacat")).path
            let sound = [pacat, "--raw", "--latency-msec=50", "--property=media.role=music", "/dev/zero"]
            let player = try await bus.player(command: sound, environment: server.toolEnvironment)
            try await waitUntil("a stream") { try await !Pactl(server).sinkInputs().isEmpty }
            let app = try await Peer.start(on: server, environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            try await app.send("category playback")
            try await app.send("activate")
            try await player.told("Pause")
            try await waitUntil { !player.isPlaying }
            try await app.exit()
            try await player.told("Play")
        }
    }

    /// The whole way: a child of the player makes the sound, and a real server lists it.
    @Test(arguments: HeadlessServer.Kind.allCases)
    func aRealStreamIsFoundThroughItsProcess(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let bus = try await PrivateBus.start()
            let pacat = try #require(HeadlessServer.findBinary("pacat")).path
            let sound = [pacat, "--raw", "--latency-msec=50", "--property=media.role=music", "/dev/zero"]
            let player = try await bus.player(command: sound, environment: server.toolEnvironment)
            let silent = try await bus.player("silent")
            let pactl = Pactl(server)
            // PipeWire lists a stream corked, and without its process, before it runs.
            try await waitUntil("a stream that runs") {
                try await pactl.sinkInputs().contains { $0.processID != nil && !$0.isCorked }
            }
            let streams = try await pactl.sinkInputs().map {
                ServerStream(
                    index: UInt32($0.index), role: $0.role, pid: $0.processID,
                    host: $0.properties["application.process.host"], isCorked: $0.isCorked, isMuted: $0.isMuted)
            }
            let players = ForeignPlayers(
                bus: bus.client, own: 1, streams: { streams }, participants: { [] })
            players.sessionBegan()
            try await player.told("Pause")
            try await waitUntil { players.paused.map(\.stage) == [.paused] }
            #expect(silent.count(of: "Pause") == 0)
            players.sessionEnded(notify: true)
            try await player.told("Play")
        }
    }
}
