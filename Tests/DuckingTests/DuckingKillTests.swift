import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

/// Whoever is killed, and whenever: nothing is left lowered, nothing wrong is remembered, no session is stuck.
///
/// `AVFAUDIO_SOAK=100` kills a hundred times each, as `make soak` does.
@Suite(.limited) struct DuckingKillTests {
    /// Who is killed.
    enum Victim: String, CaseIterable {
        /// The session that ducks.
        case ducker
        /// One of those that are lowered: the player, which takes part, or a program that does not.
        case ducked
        /// The process that lowers the others for all.
        case elected
        /// The ducker, when no other process of the library is there: its guard gives back.
        case last
    }

    @Test(
        "SIGKILL at random moments", arguments: HeadlessServer.Kind.allCases,
        Victim.allCases)
    func kills(kind: HeadlessServer.Kind, victim: Victim) async throws {
        let rounds = DuckStage.rounds(usual: 3)
        var slowest = Duration.zero
        try await withStage(kind) { stage in
            var player = [.ducker, .ducked].contains(victim) ? try await stage.player() : nil
            for round in 0..<rounds {
                let plan = Plan()
                let what = "(\(kind.rawValue), \(victim.rawValue), round \(round): \(plan))"
                let time = try await self.round(stage, victim, plan, &player, what)
                slowest = max(slowest, time)
            }
            try await stage.end(player)
        }
        print("\(rounds) kills of the \(victim.rawValue) on \(kind.rawValue): as before within \(slowest)")
    }

    /// A stopped process still says what it had lowered, and gives nothing back: guards must not leave it to that one.
    @Test(
        "SIGKILL of the one that took over from a stopped one, and of the stopped one",
        arguments: HeadlessServer.Kind.allCases)
    func killAfterStop(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let before = try await stage.currentVolumes()
            let stopped = try await stage.session("Stopped", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let owner = stage.ledger()?.owner
            let next = try await stage.session("Next", DuckStage.ducking)
            stopped.send(SIGSTOP)
            try await stage.waitForOwner(otherThan: owner)
            try await stage.wait(Tone.music, at: Tone.lowered, "under the next one")
            next.send(SIGKILL)
            try await next.wait()
            try await stage.wait(Tone.music, at: Tone.level, "while the other is stopped")
            stopped.send(SIGKILL)
            try await stopped.wait()
            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.wait(Tone.music, at: Tone.level, "at the end")
            try await stage.end(music)
        }
    }

    /// That the guard is dead shows when it is told of the next stream, and that is told once.
    @Test("SIGKILL of the guard, and of the ducker", arguments: HeadlessServer.Kind.allCases)
    func killOfTheGuard(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let before = try await stage.currentVolumes()
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let watcher = try await stage.guardProcess()
            kill(watcher, SIGKILL)
            try await waitUntil("no guard", timeout: hangLimit) { stage.guards().isEmpty }
            let other = try await stage.foreign(Tone.native)
            try await stage.wait(Tone.native, at: Tone.lowered)
            try await waitUntil("another guard", timeout: hangLimit) { !stage.guards().isEmpty }
            ducker.send(SIGKILL)
            try await ducker.wait()
            for tone in [Tone.music, Tone.native] { try await stage.wait(tone, at: Tone.level, "after the kill") }
            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music, other)
        }
    }

    /// As on a full disk: the file still holds what the ducking before left there, which is nothing.
    @Test(
        "SIGKILL of the ducker, where the ledger's file cannot be written any more",
        arguments: HeadlessServer.Kind.allCases)
    func killWithOldFile(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let before = try await stage.currentVolumes()
            let first = try await stage.session("First", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            try await stage.end(first)
            try await stage.waitUntilNothingIsLeft()
            #expect(stage.ledger()?.isEmpty == true)
            let obstacle = try await stage.ledgerPath() + ".new"
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered, "without a file")
            #expect(stage.ledger()?.isEmpty == true, "it is as it was")
            ducker.send(SIGKILL)
            try await ducker.wait()
            try await stage.wait(Tone.music, at: Tone.level, "after the kill")
            try await stage.waitForVolumes(like: before)
            try FileManager.default.removeItem(atPath: obstacle)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music)
        }
    }

    @Test("SIGKILL of the ducker while the server does not answer") func killBesideHungServer() async throws {
        try await withStage(.pulseAudio) { stage in
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let before = try await stage.currentVolumes()
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            for process in stage.server.processIDs { kill(process, SIGSTOP) }
            ducker.send(SIGKILL)
            try await ducker.wait()
            // Longer than a guard waits for the first answer.
            let due = ContinuousClock.now + .seconds(6)
            try await waitUntil("the moment") { ContinuousClock.now >= due }
            for process in stage.server.processIDs { kill(process, SIGCONT) }
            try await stage.wait(Tone.music, at: Tone.level, "after the kill", timeout: hangLimit * 2)
            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music)
        }
    }

    /// When the kill comes.
    private struct Plan: CustomStringConvertible {
        enum Phase: CaseIterable { case starting, lowering, raising }
        let phase = Phase.allCases.randomElement()!
        let milliseconds = Double.random(in: 0..<600)
        let isForeign = Bool.random()

        var description: String {
            "\(phase), \(milliseconds) ms later" + (isForeign ? ", the foreign one" : "")
        }
    }

    /// One duck with one kill; returns how long it took from the last signal until everything was as before.
    private func round(
        _ stage: DuckStage, _ victim: Victim, _ plan: Plan, _ player: inout ChildProcess?, _ what: String
    ) async throws -> Duration {
        // The oldest is elected: where that one is to be killed, the player must be younger.
        let elected = victim == .elected ? try await stage.session("Elected", DuckStage.mixing) : nil
        if elected != nil { player = try await stage.player() }
        let music = try await stage.foreign()
        let tones = [Tone.music] + (player == nil ? [] : [Tone.player])
        for tone in tones { try await stage.wait(tone, at: Tone.level, "at the start \(what)") }
        // PipeWire says 0 of a stream that has just begun.
        let before = DuckStage.Volumes(streams: [:], memory: [:])
        try await stage.waitForVolumes(like: before, "at the start \(what)")
        let ducker = try await stage.session("Prompt", DuckStage.ducking, awaiting: plan.phase != .starting)
        if plan.phase == .raising {
            try await stage.wait(Tone.music, at: Tone.lowered, what)
            ducker.send(SIGTERM)
        }
        try await moment(plan.milliseconds)
        let target = (victim == .ducked ? (plan.isForeign ? music : player) : elected) ?? ducker
        target.send(SIGKILL)
        try await target.wait()
        // Whoever is left ends in good order.
        ducker.send(SIGTERM)
        let end = ContinuousClock.now
        try await ducker.wait()

        if target !== music { try await stage.wait(Tone.music, at: Tone.level, what) }
        if let player, target !== player { try await stage.wait(Tone.player, at: Tone.level, what) }
        try await stage.waitForVolumes(like: before, what)
        let time = end.duration(to: .now)
        if victim == .last { try await strikeOutTheLedger(stage, what) }
        try await stage.waitUntilNothingIsLeft(what)
        if let old = player, target === old { player = try await stage.player() }
        try await stage.waitForSessions(of: [player].compactMap { $0 }, what)
        try await stage.end(music)
        if elected != nil {
            try await stage.end(player)
            player = nil
        }
        return time
    }

    /// One that died after it had written its ledger, and before it told its guard, has lowered nothing: the next
    /// process of the library strikes that out.
    private func strikeOutTheLedger(_ stage: DuckStage, _ what: String) async throws {
        try await waitUntil("no guard", timeout: hangLimit) { stage.guards().isEmpty }
        guard stage.ledger()?.isEmpty == false else { return }
        print("the next process strikes out a ledger \(what)")
        let next = try await stage.session("Next", DuckStage.mixing)
        try await waitUntil("an empty ledger", timeout: hangLimit) { stage.ledger()?.isEmpty == true }
        try await stage.end(next)
    }

    private func moment(_ milliseconds: Double) async throws {
        let due = ContinuousClock.now + .microseconds(Int(milliseconds * 1_000))
        try await waitUntil("the moment") { ContinuousClock.now >= due }
    }
}
