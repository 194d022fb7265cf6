import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVMedia

/// The waits of an app's thread on a server whose programs are stopped (SIGSTOP) at some stage of its session.
@Suite("AVPlayer's calls on a server that hangs", .limited)
struct PlayerBoundsTests {
    /// The state of the session and the player when the server hangs.
    enum Stage: CaseIterable { case unused, connected, active, playing, paused, ended, looping }

    enum Source: CaseIterable { case file, stream }

    /// A server, and its program that hangs: by its place, see ``HeadlessServer/suspendProgram(at:)``.
    private struct Frozen: CustomStringConvertible {
        let kind: HeadlessServer.Kind
        let program: Int
        let source: Source

        var description: String { "\(kind), program \(program), \(source)" }

        static let all = Source.allCases.flatMap { source in
            [Frozen(kind: .pulseAudio, program: 0, source: source)]
                + (0..<3).map { Frozen(kind: .pipeWire, program: $0, source: source) }
        }
    }

    /// The longest duration of a command that waits for the server, by its documentation, and of one that does not;
    /// each with an allowance for a busy machine.
    private static let (waiting, other) = (Duration.seconds(2) + .milliseconds(500), Duration.milliseconds(500))
    /// The longest duration of one read of all properties.
    private static let properties = Duration.milliseconds(500)

    private final class Times: Sendable {
        private let log = Log<(name: String, time: Duration, limit: Duration)>()

        func measure<Value>(
            _ name: String, _ limit: Duration = PlayerBoundsTests.waiting, _ body: () throws -> Value
        ) rethrows -> Value {
            let start = ContinuousClock.now
            defer { log.note((name, ContinuousClock.now - start, limit)) }
            return try body()
        }

        func judge(_ scene: String = "") {
            for (name, time, limit) in log.all { #expect(time < limit, "\(scene) \(name): \(time)") }
        }

        /// The longest duration of a call.
        func worst(_ name: String) -> Duration { log.all.filter { $0.name == name }.map(\.time).max() ?? .zero }
    }

    /// A queue of two items, one to replace or insert, and what loops.
    private struct Scene: Sendable {
        let lab: AVPlayerLab
        let player: AVQueuePlayer
        let items: [AVPlayerItem]
        let spare: [AVPlayerItem]
        let loops: Log<AVPlayerLooper>
    }

    private func withScene(
        _ kind: HeadlessServer.Kind, _ source: Source, seconds: Double = 3, _ body: (Scene) async throws -> Void
    ) async throws {
        try await withStreamLab(kind) { lab, web in
            let signal = lab.sine(440, seconds: seconds)
            let (path, file) = (try lab.file(signal), WebFile(data: signal.wavData))
            web.on("/a.wav") { file.answer($0, $1) }
            func item() -> AVPlayerItem {
                source == .file ? AVPlayerItem(url: path) : lab.stream(web.url("/a.wav"))
            }
            let items = [item(), item()]
            let player = AVQueuePlayer(items: items, session: lab.session)
            for item in items.prefix(1) { try await waitUntilReady(item) }
            try await body(
                Scene(lab: lab, player: player, items: items, spare: [item(), item()], loops: Log()))
        }
    }

    private func reach(_ stage: Stage, _ scene: Scene) async throws {
        let player = scene.player
        let session = scene.lab.session
        try await offPool {
            switch stage {
            case .unused: break
            case .connected: _ = session.currentRoute
            case .active: try session.setActive(true)
            case .playing, .paused, .ended: player.play()
            case .looping:
                scene.loops.note(AVPlayerLooper(player: player, templateItem: scene.spare[0]))
                player.play()
            }
        }
        guard ![.unused, .connected, .active].contains(stage) else { return }
        try await waitUntil("some sound", timeout: hangLimit) { player.currentTime().seconds > 0.1 }
        switch stage {
        case .paused: player.pause()
        case .ended:
            try await waitUntil("the end", timeout: hangLimit) { player.currentItem == nil }
        default: break
        }
    }

    /// The calls of an app; each is measured.
    private func use(_ scene: Scene, _ times: Times) {
        let (player, items, spare) = (scene.player, scene.items, scene.spare)
        let place = CMTime(seconds: 1, preferredTimescale: 600)
        if player.canInsert(spare[1], after: nil) {
            times.measure("insert") { player.insert(spare[1], after: nil) }
        }
        times.measure("play()") { player.play() }
        times.measure("volume", Self.other) { player.volume = 0.5 }
        times.measure("isMuted", Self.other) { player.isMuted = true }
        times.measure("pause()", Self.other) { player.pause() }
        times.measure("rate") { player.rate = 1.5 }
        times.measure("seek") { player.seek(to: place) }
        times.measure("cancelPendingSeeks", Self.other) { items[1].cancelPendingSeeks() }
        times.measure("playImmediately") { player.playImmediately(atRate: 1) }
        times.measure("defaultRate", Self.other) { player.defaultRate = 1 }
        times.measure("actionAtItemEnd") { player.actionAtItemEnd = .advance }
        times.measure("automaticallyWaits") { player.automaticallyWaitsToMinimizeStalling = false }
        times.measure("forwardPlaybackEndTime") { items[0].forwardPlaybackEndTime = CMTime(value: 2, timescale: 1) }
        times.measure("advanceToNextItem") { player.advanceToNextItem() }
        times.measure("play(), again") { player.play() }
        times.measure("remove") { player.remove(spare[1]) }
        times.measure("replaceCurrentItem") { player.replaceCurrentItem(with: spare[1]) }
        times.measure("disableLooping") { scene.loops.all.first?.disableLooping() }
        times.measure("removeAllItems") { player.removeAllItems() }
        let other = times.measure("init") { AVPlayer(playerItem: items[0], session: scene.lab.session) }
        times.measure("other play()") { other.play() }
        times.measure("other seek") { other.seek(to: place) }
    }

    /// All properties.
    private func read(_ player: AVPlayer, _ items: [AVPlayerItem], _ looper: AVPlayerLooper?) {
        _ = (player.rate, player.timeControlStatus, player.reasonForWaitingToPlay, player.status, player.error)
        _ = (player.currentItem, player.currentTime(), player.volume, player.isMuted, player.defaultRate)
        _ = (player.actionAtItemEnd, player.automaticallyWaitsToMinimizeStalling)
        _ = (player as? AVQueuePlayer)?.items()
        for item in items {
            _ = (item.status, item.error, item.duration, item.currentTime(), item.loadedTimeRanges)
            _ = (item.seekableTimeRanges, item.isPlaybackBufferEmpty, item.isPlaybackBufferFull)
            _ = (item.isPlaybackLikelyToKeepUp, item.forwardPlaybackEndTime, item.timedMetadata)
            _ = (item.accessLog(), item.errorLog(), item.asset)
            // The player's properties are made of these.
            _ = (item.sound.standing, item.sound.isWaiting, item.sound.volume, item.sound.waitsToMinimizeStalling)
        }
        _ = (looper?.status, looper?.error, looper?.loopCount, looper?.loopingPlayerItems)
    }

    /// Reads all properties over and over while `body` runs on another thread.
    private func readingBeside(
        _ scene: Scene, _ times: Times, _ body: @escaping @Sendable () -> Void
    ) async throws {
        let done = Gate()
        done.open()
        let reading = Task {
            try await offPool {
                repeat {
                    times.measure("properties", Self.properties) {
                        read(scene.player, scene.items + scene.spare, scene.loops.all.first)
                    }
                    // Between two looks: the other threads have work to do, too.
                    usleep(500)
                } while done.arrived == 0
            }
        }
        try await offPool {
            body()
            done.pass()
        }
        try await reading.value
    }

    /// Alone: the ends of items are handled on the main queue, where they wait for a server that hangs.
    @Test(
        "No command waits for more than 2 s, and no property waits, also beside a command",
        .alone, .judges(.time(seconds: 0.5)))
    func bounds() async throws {
        let cases = Stage.allCases.flatMap { stage in Frozen.all.map { (stage, $0) } }
        // Servers that hang take no processor's time; as many at a time as start without a wait.
        try await forEach(cases, atATime: 12) { stage, frozen in try await bounds(frozen, at: stage) }
    }

    private func bounds(_ frozen: Frozen, at stage: Stage) async throws {
        try await withScene(frozen.kind, frozen.source, seconds: stage == .ended ? 0.5 : 3) { scene in
            try await reach(stage, scene)
            scene.lab.server.suspendProgram(at: frozen.program)
            defer { scene.lab.server.resumeProcess() }
            let times = Times()
            try await readingBeside(scene, times) { use(scene, times) }
            times.judge("\(frozen), \(stage):")
        }
    }

    @Test(
        "A command that waits for another thread's start, which stays unanswered, does not begin a second one",
        .alone, .judges(.time(seconds: 0.5)), arguments: Source.allCases)
    func besideStart(source: Source) async throws {
        try await withScene(.pulseAudio, source) { scene in
            let player = scene.player
            scene.lab.server.suspendProcess()
            defer { scene.lab.server.resumeProcess() }
            let times = Times()
            try await readingBeside(scene, times) {
                // Not on a queue's threads, of which there may be two.
                let done = DispatchGroup()
                for _ in 0..<3 {
                    done.enter()
                    Thread.detachNewThread {
                        times.measure("play()") { player.play() }
                        done.leave()
                    }
                }
                done.wait()
            }
            times.judge()
            #expect(times.worst("play()") > .seconds(1), "the server was waited for")
            #expect(player.rate == 0)
        }
    }

    /// Notes whatever `look` finds wrong, over and over while `body` runs on another thread.
    private func looking(
        _ look: @escaping @Sendable () -> String?, beside body: @escaping @Sendable () -> Void
    ) async throws -> Set<String> {
        let (done, found) = (Gate(), Log<String>())
        done.open()
        let looking = Task {
            try await offPool { while done.arrived == 0 { if let wrong = look() { found.note(wrong) } } }
        }
        try await offPool {
            body()
            done.pass()
        }
        try await looking.value
        return Set(found.all)
    }

    @Test(
        "Seeks and changes of the rate of a sound that plays are not seen as stops", .alone,
        arguments: Source.allCases, [false, true])
    func seeks(source: Source, hangs: Bool) async throws {
        try await withScene(.pulseAudio, source, seconds: 10) { scene in
            let player = scene.player
            player.play()
            try await waitUntil("some sound", timeout: hangLimit) { player.currentTime().seconds > 0.1 }
            // On a server that hangs a seek takes 0.25 s, if it is the first one: there is much time to look.
            if hangs { scene.lab.server.suspendProcess() }
            defer { scene.lab.server.resumeProcess() }
            let wrong = try await looking {
                let (status, rate, time) = (player.timeControlStatus, player.rate, player.currentTime())
                let isRight = status != .paused && rate != 0 && (0.1..<9).contains(time.seconds)
                return isRight ? nil : "\(status) \(rate) \(time.seconds)"
            } beside: {
                for round in 0..<(hangs ? 2 : 40) {
                    player.seek(to: CMTime(value: CMTimeValue(1 + round % 2), timescale: 2))
                    player.rate = round % 2 == 0 ? 1.5 : 1
                }
            }
            #expect(wrong.isEmpty, "\(wrong.prefix(5))")
        }
    }

    @Test(
        "A stop of the session is seen at once, also beside a command of another thread", arguments: Source.allCases)
    func stopBesideCommand(source: Source) async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            // A file that plays, and a stream that is not open yet: it has no sound that could be stopped.
            let (opening, command) = (Gate(), Gate())
            defer { for gate in [opening, command] { gate.open() } }
            web.on("/a.wav") { _, _ in opening.pass() }
            let item = source == .file ? try lab.item(lab.counter(60)) : lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            try await offPool { try lab.session.setActive(true) }
            if source == .file { try await waitUntilReady(item) }
            player.play()
            #expect(player.rate == 1)
            let running = Task { try await offPool { player.core.facts.run { command.pass() } } }
            try await waitUntil("the command") { command.arrived == 1 }
            // It throws if a sound ran, which it has stopped.
            try await offPool { try? lab.session.setActive(false) }
            #expect(player.rate == 0 && player.timeControlStatus == .paused)
            command.open()
            try await running.value
            #expect(player.rate == 0)
        }
    }

    @Test("A replaced item is not seen as a stop", arguments: Source.allCases)
    func replacements(source: Source) async throws {
        try await withScene(.pulseAudio, source) { scene in
            let player = AVPlayer(playerItem: scene.spare[0], session: scene.lab.session)
            player.play()
            try await waitUntil("some sound", timeout: hangLimit) { player.currentTime().seconds > 0.1 }
            let wrong = try await looking {
                let (status, rate) = (player.timeControlStatus, player.rate)
                return status != .paused && rate == 1 ? nil : "\(status) \(rate)"
            } beside: {
                for round in 1...40 { player.replaceCurrentItem(with: scene.spare[round % 2]) }
            }
            #expect(wrong.isEmpty, "\(wrong.prefix(5))")
        }
    }
}
