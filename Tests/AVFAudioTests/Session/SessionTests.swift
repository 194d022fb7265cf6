import AudioSession
import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A session by itself", .serialized, .limited)
struct SessionTests {
    private static let nowhere = "unix:/nonexistent/pulse"

    @Test("S1: sharedInstance is always the same object, and costs neither a thread nor a connection")
    func sharedInstance() async throws {
        // In a process of its own: other tests of this one connect at any time. The runtime starts threads of its own
        // when it likes, so it is the library's that are looked for, by the name of libpulse's loop.
        await #expect(processExitsWith: .success) {
            func threadNames() -> [String] {
                let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
            }
            func sockets() -> Int {
                let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
                let targets = files.compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                }
                return targets.count { $0.hasPrefix("socket:") }
            }
            let before = sockets()
            let session = AVAudioSession.sharedInstance()
            _ = (session.category, session.mode, session.categoryOptions, session.routeSharingPolicy)
            try session.setCategory(.playback, mode: .spokenAudio)
            let sound = TestSignal.sine(seconds: 0.1).wavData
            let player = try AVAudioPlayer(data: sound)
            player.numberOfLoops = 1
            player.currentTime = 0.05
            precondition(!threadNames().contains("pulse\n"), "threads: \(threadNames())")
            precondition(sockets() == before, "sockets: \(before) → \(sockets())")
            precondition(AVAudioSession.sharedInstance() === session)
        }
    }

    @Test("S2: a fresh session is soloAmbient, default, without options or policy")
    func fresh() {
        let session = AVAudioSession(server: Self.nowhere)
        #expect(session.category == .soloAmbient)
        #expect(session.mode == .default)
        #expect(session.categoryOptions == [])
        #expect(session.routeSharingPolicy == .default)
    }

    @Test(
        "S3, S4, S8, S10: activation connects, and twice is no error; deactivation closes the stream",
        arguments: HeadlessServer.Kind.allCases)
    func activation(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = SessionEvents(of: lab.session)
            try lab.session.setActive(true, options: .notifyOthersOnDeactivation)
            try lab.session.setActive(true)
            let player = try lab.player(lab.sine(500, seconds: 2))
            #expect(player.prepareToPlay())
            #expect(try await lab.streams().count == 1)
            try lab.session.setActive(false, options: .notifyOthersOnDeactivation)
            try await waitUntil("no stream") { try await lab.streams().isEmpty }
            try lab.session.setActive(false)
            #expect(events.all.isEmpty)
        }
    }

    @Test(
        "S5: play activates the session implicitly; three seconds after the end it gives the stream back",
        .judges(.time(seconds: 0.5)), arguments: HeadlessServer.Kind.allCases)
    func implicitActivation(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 0.2))
            #expect(player.play())
            #expect(try await lab.streams().count == 1)
            try await waitUntil("the end") { !player.isPlaying }
            let ended = ContinuousClock.now
            try await waitUntil("no stream") { try await lab.streams().isEmpty }
            let taken = ContinuousClock.now - ended
            #expect(taken > .seconds(2.5) && taken < .seconds(5))
            #expect(player.play(), "it activates again")
            try await waitUntil("the end") { !player.isPlaying }
            #expect(try await lab.heard().counted.count == 2 * lab.rate / 5)
        }
    }

    @Test("S5: an app that activated the session itself keeps it")
    func explicitActivation() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.counter(seconds: 0.2))
            #expect(player.play())
            try lab.session.setActive(true)
            try await waitUntil("the end") { !player.isPlaying }
            try await lab.monitor.wait(seconds: 3.5)
            #expect(try await lab.streams().count == 1)
        }
    }

    @Test("S7: a session can be configured without a server; activation and play fail fast", .judges(.time(seconds: 1)))
    func withoutServer() throws {
        let session = AVAudioSession(server: Self.nowhere)
        try session.setCategory(.playAndRecord, mode: .voiceChat, options: .duckOthers)
        #expect(session.category == .playAndRecord && session.mode == .voiceChat)
        #expect(session.categoryOptions.contains([.duckOthers, .mixWithOthers]))
        let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 0.1).wavData, session: session)
        let start = ContinuousClock.now
        let error = #expect(throws: NSError.self) { try session.setActive(true) }
        #expect(error?.domain == NSOSStatusErrorDomain)
        #expect(error?.code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
        #expect(!player.play())
        #expect(!player.prepareToPlay())
        #expect(!player.isPlaying)
        #expect(ContinuousClock.now - start < atOnce)
        try session.setActive(false)
        #expect(session.category == .playAndRecord)
    }

    @Test("S7: an illegal combination is refused whole")
    func illegal() throws {
        let session = AVAudioSession(server: Self.nowhere)
        try session.setCategory(.playback, mode: .spokenAudio)
        let error = #expect(throws: NSError.self) { try session.setCategory(.ambient, mode: .voiceChat) }
        #expect(error?.code == AVAudioSession.ErrorCode.badParam.rawValue)
        #expect(throws: NSError.self) { try session.setMode(.voiceChat) }
        #expect(throws: NSError.self) { try session.setCategory(.init(rawValue: "no such category")) }
        #expect(session.category == .playback && session.mode == .spokenAudio)
    }

    @Test(
        "A frozen server does not hang an app: activation gives up within two seconds",
        .judges(.time(seconds: 2.5)), arguments: HeadlessServer.Kind.allCases)
    func frozenServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            server.suspendProcess()
            defer { server.resumeProcess() }
            let start = ContinuousClock.now
            let error = try await offPool {
                #expect(throws: NSError.self) { try session.setActive(true) }?.code
            }
            #expect(error == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
            #expect(ContinuousClock.now - start < .seconds(2.5))
        }
    }

    @Test(
        "S8: deactivation while a player runs throws isBusy and pauses it; play goes on at the same frame",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func busyDeactivation(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 2), events: events)
            for _ in 0..<4 {
                #expect(player.play())
                try await lab.monitor.wait(seconds: 0.3)
                let error = #expect(throws: NSError.self) { try lab.session.setActive(false) }
                #expect(error?.code == AVAudioSession.ErrorCode.isBusy.rawValue)
                #expect(!player.isPlaying)
                #expect(player.currentTime > 0)
                try await waitUntil("no stream") { try await lab.streams().isEmpty }
            }
            #expect(events.finished.isEmpty)
            #expect(player.play())
            try await events.waitForFinish()
            expectWhole(try await lab.heard().counted, count: 2 * lab.rate)
        }
    }
}
