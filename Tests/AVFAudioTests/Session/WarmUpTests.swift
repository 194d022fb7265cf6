import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

/// What is done before anybody asks for sound.
@Suite("Warming up", .limited)
struct WarmUpTests {
    @Test(
        "The stream is there, silent, before the session is active, and is the one that plays",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func streamBeforeSound(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            lab.session.warmUp()
            try await waitUntil("a stream") { try await lab.streams().count == 1 }
            let stream = try #require(try await lab.streams().first)
            #expect(stream.isCorked && !lab.session.isIORunning)
            let player = try lab.player(lab.counter(seconds: 1))
            #expect(player.play())
            #expect(try await lab.streams().map(\.index) == [stream.index])
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: lab.rate)
        }
    }

    @Test(
        "What the app chose since is where the first sound is, and nothing of it is heard elsewhere",
        arguments: HeadlessServer.Kind.allCases)
    func choiceMeanwhile(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            session.warmUp()
            try await waitUntil("a stream") { try await pactl.sinkInputs().count == 1 }
            try session.setPreferredOutput(session.availableOutputs.first { $0.uid == "hall" })
            let desk = try await MonitorRecording.start(on: server, sink: sinks[0])
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 20).wavData, session: session)
            #expect(player.play())
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            #expect(session.currentRoute.outputs.map(\.uid) == ["hall"])
            player.stop()
            #expect(try await desk.stop().soundRange(threshold: -90) == nil)
        }
    }

    @Test("Who plays meanwhile plays on the same stream", arguments: HeadlessServer.Kind.allCases)
    func playingMeanwhile(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            for _ in 0..<10 {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.playback)
                session.warmUp()
                let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 1).wavData, session: session)
                #expect(player.play())
                #expect(try await pactl.sinkInputs().count == 1)
                player.stop()
                try session.setActive(false)
                try await waitUntil("no stream") { try await pactl.sinkInputs().isEmpty }
            }
        }
    }

    @Test("Who plays while another thread activates is not waited for", arguments: HeadlessServer.Kind.allCases)
    func activatingMeanwhile(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            for _ in 0..<20 {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.playback)
                session.warmUp()
                let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 1).wavData, session: session)
                async let code = onThread { activationError(of: session) }
                async let hasPlayed = onThread { player.play() }
                #expect(await code == nil)
                #expect(await hasPlayed)
                player.stop()
                try session.setActive(false)
            }
        }
    }

    @Test("Without a server nothing happens, and the activation says why")
    func withoutServer() throws {
        let session = AVAudioSession(server: "unix:/nonexistent/pulse")
        session.warmUp()
        let error = #expect(throws: NSError.self) { try session.setActive(true) }
        #expect(error?.code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
    }

    @Test("Several who wait for a server that never answers wait no longer than one")
    func silentServer() async throws {
        let server = try SilentServer()
        let session = AVAudioSession(server: server.address)
        // Threads of their own: those of a pool may all be busy for longer than an attempt takes, which is 1.5 s.
        let codes = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<3 { group.addTask { await onThread { activationError(of: session) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: AVAudioSession.ErrorCode.mediaServicesFailed.rawValue, count: 3))
        #expect(server.takeVisitors() == 1)
    }

    @Test("A category is set while a server that never answers is being met, and the activation does not try once more")
    func settingMeanwhile() async throws {
        let server = try SilentServer()
        let session = AVAudioSession(server: server.address)
        session.warmUp()
        let code = await onThread { () -> Int? in
            guard server.waitForVisitor(), (try? session.setCategory(.playback)) != nil else { return nil }
            return activationError(of: session)
        }
        #expect(code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
        #expect(server.takeVisitors() == 1)
    }
}

private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}

private func activationError(of session: AVAudioSession) -> Int? {
    do { try session.setActive(true) } catch { return (error as NSError).code }
    return nil
}
