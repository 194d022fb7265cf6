import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

/// Whoever dies or stops, and whenever: in the end nothing is left lowered, and nothing wrong is remembered.
@Suite(.limited) struct ForeignDuckCrashTests {
    @Test func theGuardGivesBackWhatTheLastProcessHadLowered() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let peer = try await desk.peer("--guard", DuckDesk.guardProgram, "ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await waitUntil("a guard") { try guards(on: desk).count == 1 }
            peer.send(SIGKILL)
            try await desk.expectEverythingAsBefore(music)
            try await waitUntil("the guard's end") { try guards(on: desk).isEmpty }
        }
    }

    @Test func theGuardGivesBackInTheUsersTime() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let times = ["AVAUDIOSESSION_DUCK_TIMES": "0.2,4"]
            let peer = try await desk.peer("--guard", DuckDesk.guardProgram, "ducks", environment: times)
            try await desk.wait(for: DuckDesk.lowered, of: music)
            peer.send(SIGKILL)
            try await waitUntil("the way up") { try await desk.volume(of: music)?.first ?? 0 > DuckDesk.lowered }
            let start = ContinuousClock.now
            try await desk.wait(for: DuckDesk.full, of: music)
            // The ramp that nobody chose takes half a second.
            #expect(ContinuousClock.now - start > .seconds(2))
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func withoutAGuardTheNextProcessRepairs() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let gone = try await ForeignStream.start(on: desk.server, role: "video")
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await desk.wait(for: DuckDesk.lowered, of: gone)
            peer.send(SIGKILL)
            try await peer.wait()
            // The server remembers the lowered volume after any change of the stream, and nobody is there to mend that.
            try await desk.pactl.setMute(true, sinkInput: gone.index)
            try await waitUntil("a wrong memory") { try await desk.memory().values.contains([30_419, 30_419]) }
            try await gone.kill()
            #expect(try await desk.volume(of: music) == [DuckDesk.lowered, DuckDesk.lowered])
            let next = try await desk.peer()
            try await desk.expectEverythingAsBefore(music)
            next.send(SIGTERM)
        }
    }

    @Test func theNextProcessDucksOnAndLeavesTheGuardNothingToDo() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let first = try await desk.peer("--guard", DuckDesk.guardProgram)
            let ducker = try await desk.peer("--guard", DuckDesk.guardProgram, "ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            let owner = desk.ledger()?.owner
            first.send(SIGKILL)
            try await waitUntil("another owner") { desk.ledger()?.owner != owner }
            try await waitUntil("one guard") { try guards(on: desk).count == 1 }
            #expect(try await desk.volume(of: music) == [DuckDesk.lowered, DuckDesk.lowered])
            ducker.send(SIGUSR2)
            try await desk.expectEverythingAsBefore(music)
            try await waitUntil("no guard") { try guards(on: desk).isEmpty }
        }
    }

    @Test func aStoppedExecutorDoesNotHoldOthersDown() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let first = try await desk.peer()
            let ducker = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            first.send(SIGSTOP)
            ducker.send(SIGUSR2)
            try await desk.wait(for: DuckDesk.full, of: music)
            first.send(SIGCONT)
            ducker.send(SIGUSR1)
            try await desk.wait(for: DuckDesk.lowered, of: music)
            ducker.send(SIGUSR2)
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func anExecutorThatDoesNothingIsReplaced() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let first = try await desk.peer()
            first.send(SIGSTOP)
            let ducker = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            // It goes on, believes that it is elected, and must see that another has taken over.
            first.send(SIGCONT)
            let next = try await ForeignStream.start(on: desk.server, role: "video")
            try await desk.wait(for: DuckDesk.lowered, of: next)
            #expect(try await desk.volume(of: music) == [DuckDesk.lowered, DuckDesk.lowered])
            ducker.send(SIGUSR2)
            try await desk.wait(for: DuckDesk.full, of: next)
            try await desk.expectEverythingAsBefore(music)
        }
    }

    /// Kills the ducker, or the executor, at any moment of the way down, at the bottom and on the way up.
    @Test(arguments: [true, false]) func killsAtRandomMoments(withGuard: Bool) async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            var random = SystemRandomNumberGenerator()
            for round in 0..<Self.rounds {
                let guarded = withGuard ? ["--guard", try DuckDesk.guardProgram] : []
                let peer = try ChildProcess("session-peer", ["duck"] + guarded, on: desk.server)
                try await peer.line { $0.hasPrefix("ready") }
                peer.send(SIGUSR1)
                let comesBack = Bool.random(using: &random)
                if comesBack {
                    try await desk.wait(for: DuckDesk.lowered, of: music)
                    peer.send(SIGUSR2)
                }
                // A moment that lies anywhere in the ramp: how it was drawn is told when the round fails.
                try await moment(upTo: comesBack ? 600 : 300)
                peer.send(SIGKILL)
                try await peer.wait()
                if !withGuard {
                    let repairer = try await desk.peer()
                    try await desk.wait(for: DuckDesk.full, of: music, "round \(round), \(comesBack)")
                    try await waitUntil("an empty ledger") { desk.ledger().map(\.isEmpty) ?? true }
                    repairer.send(SIGTERM)
                    try await repairer.wait()
                }
                try await desk.wait(for: DuckDesk.full, of: music, "round \(round), \(comesBack)")
                try await desk.waitForMemory(DuckDesk.full)
            }
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func executorsThatComeAndGoAtOnceAgree() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            for _ in 0..<8 {
                let peers = try await [desk.peer(), desk.peer(), desk.peer("ducks")]
                // The first that is elected dies while it works, the second takes over, and the ducking ends meanwhile.
                try await waitUntil("a ledger") { desk.ledger().map { !$0.isEmpty } ?? false }
                peers[0].send(SIGKILL)
                peers[2].send(SIGUSR2)
                peers[1].send(SIGUSR1)
                peers[1].send(SIGUSR2)
                try await desk.wait(for: DuckDesk.full, of: music)
                try await waitUntil("an empty ledger") { desk.ledger()?.isEmpty ?? false }
                try await desk.waitForMemory(DuckDesk.full)
                for peer in peers { peer.send(SIGKILL) }
                for peer in peers { try await peer.wait() }
            }
            try await desk.expectEverythingAsBefore(music)
        }
    }

    /// Two executors at once, each of which always believes that it is the one: what the lock and the revisions are
    /// for.
    @Test func twoExecutorsAtOnceNeverForgetTheVolumeFromBefore() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            try await desk.pactl.setVolume(0.7, sinkInput: music.index)
            let value = UInt32(0.7 * 65_536)
            let peers = try await [desk.peer("alone", "--up", "0.1"), desk.peer("alone", "--up", "0.1")]
            for _ in 0..<Self.rounds {
                for peer in peers.shuffled() { peer.send(SIGUSR1) }
                try await waitUntil("a lowered stream") { try await desk.volume(of: music)?.first ?? 0 < value }
                for peer in peers.shuffled() { peer.send(SIGUSR2) }
                try await waitUntil("an empty ledger") { desk.ledger()?.isEmpty ?? false }
                try await desk.wait(for: value, of: music)
            }
            for peer in peers { peer.send(SIGTERM) }
            try await desk.expectEverythingAsBefore(music, at: value)
        }
    }

    /// Any of the processes at any moment: the one that ducks, the one that lowers, the program that is lowered.
    @Test func anybodyMayDieAtAnyMoment() async throws {
        try await withDesktop { desk in
            for round in 0..<Self.rounds {
                let music = try await ForeignStream.start(on: desk.server)
                let other = try await ForeignStream.start(on: desk.server, role: "video")
                let executor = try await desk.peer("--guard", DuckDesk.guardProgram)
                let ducker = try await desk.peer("--guard", DuckDesk.guardProgram, "ducks")
                try await moment(upTo: 400)
                var victims = [music.process, executor, ducker].shuffled()
                victims.removeLast(Int.random(in: 0..<3))
                for victim in victims { victim.send(SIGKILL) }
                try await moment(upTo: 300)
                let rest = [executor, ducker].filter { !victims.map(\.processID).contains($0.processID) }
                for peer in rest { peer.send(Bool.random() ? SIGUSR2 : SIGKILL) }
                // One that still ducks is told to stop.
                for peer in rest { peer.send(SIGUSR2) }
                try await desk.wait(for: DuckDesk.full, of: other, "round \(round)")
                try await waitUntil("an empty ledger") { desk.ledger().map(\.isEmpty) ?? true }
                try await desk.waitForMemory(DuckDesk.full)
                for process in [executor, ducker, music.process, other.process] { process.send(SIGKILL) }
                for process in [executor, ducker, music.process, other.process] { try await process.wait() }
                try await waitUntil("no guard") { try guards(on: desk).isEmpty }
            }
        }
    }

    /// The elected process is stopped at any moment, and goes on when others have done its work.
    @Test func stopsAtRandomMoments() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            for round in 0..<(Self.rounds + 1) / 2 {
                let executor = try await desk.peer()
                let ducker = try await desk.peer("ducks")
                try await moment(upTo: 300)
                executor.send(SIGSTOP)
                try await moment(upTo: 300)
                ducker.send(SIGUSR2)
                try await desk.wait(for: DuckDesk.full, of: music, "stopped, round \(round)")
                executor.send(SIGCONT)
                // A volume that it was about to set comes before it says that it holds nothing any more.
                try await waitUntil("the empty ledger of who went on") {
                    try await desk.published(by: executor)?.isEmpty ?? true
                }
                try await desk.wait(for: DuckDesk.full, of: music, "after the stop, round \(round)")
                try await waitUntil("an empty ledger") { desk.ledger().map(\.isEmpty) ?? true }
                try await desk.waitForMemory(DuckDesk.full)
                ducker.send(SIGUSR1)
                try await desk.wait(for: DuckDesk.lowered, of: music, "going on, round \(round)")
                ducker.send(SIGUSR2)
                try await desk.wait(for: DuckDesk.full, of: music, "at the end, round \(round)")
                try await waitUntil("an empty ledger") { desk.ledger()?.isEmpty ?? false }
                for peer in [executor, ducker] { peer.send(SIGKILL) }
                for peer in [executor, ducker] { try await peer.wait() }
            }
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func theGuardIsNobodysChildAndHoldsNothing() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let peer = try await desk.peer("--guard", DuckDesk.guardProgram, "ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await waitUntil("a guard") { try guards(on: desk).count == 1 }
            let watcher = try #require(try guards(on: desk).first)
            try await waitUntil("no child, alive or dead") {
                let children = try String(
                    contentsOfFile: "/proc/\(peer.processID)/task/\(peer.processID)/children", encoding: .utf8)
                return children.isEmpty
            }
            #expect(getsid(watcher) != getsid(peer.processID))
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(watcher)/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(watcher)/fd/\($0)")
            }
            #expect(!files.contains("/etc/passwd"))
            #expect(files.filter { $0.hasPrefix("pipe:") }.isEmpty)
            // Ctrl-C at a terminal reaches the whole group of the program.
            #expect(getpgid(watcher) != getpgid(peer.processID))
        }
    }

    private static let rounds = ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"].flatMap(Int.init) ?? 10

    /// A random moment of the next milliseconds.
    private func moment(upTo milliseconds: Int) async throws {
        let due = ContinuousClock.now + .microseconds(Int.random(in: 0..<milliseconds * 1_000))
        try await waitUntil("the moment") { ContinuousClock.now >= due }
    }

    // MARK: Guards

    /// The processes that run as guards of this server: the program with the argument `guard`, marked as the real one.
    private func guards(on desk: DuckDesk) throws -> [Int32] {
        let folder = desk.server.environment["XDG_RUNTIME_DIR"] ?? "?"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { process in
            guard let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline"),
                let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            let variables = environment.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.dropFirst() == ["guard"] && variables.contains("XDG_RUNTIME_DIR=\(folder)")
                && variables.contains("AVAUDIOSESSION_GUARD=1")
        }
    }
}
