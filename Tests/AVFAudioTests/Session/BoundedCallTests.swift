import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What an app's thread may wait for, on a server whose programs are stopped (SIGSTOP) at some stage of its session.
@Suite("Calls on a server that hangs", .limited)
struct BoundedCallTests {
    /// Where a session stands when its server hangs.
    enum Stage: CaseIterable {
        case unused, connected, active, prepared, playing, paused, recording
    }

    /// A server, and the program of it that hangs: by its place, see ``HeadlessServer/suspendProgram(at:)``.
    private struct Frozen: CustomStringConvertible {
        let kind: HeadlessServer.Kind
        let program: Int
        let stage: Stage

        var description: String { "\(kind), program \(program), \(stage)" }

        static let all = Stage.allCases.flatMap { stage in
            [Frozen(kind: .pulseAudio, program: 0, stage: stage)]
                + (0..<3).map { Frozen(kind: .pipeWire, program: $0, stage: stage) }
        }
    }

    /// The longest that a command may take, by its documentation, and what a busy machine adds.
    private static let command = Duration.seconds(2) + .milliseconds(500)
    /// The longest for all property reads together: none of them waits.
    private static let properties = Duration.milliseconds(500)

    private final class Times: Sendable {
        let log = Log<(String, Duration)>()

        func measure<Value>(_ name: String, _ body: () throws -> Value) rethrows -> Value {
            let start = ContinuousClock.now
            defer { log.note((name, ContinuousClock.now - start)) }
            return try body()
        }
    }

    @Test(
        "No command waits for more than 2 s, and no property of a player or recorder waits",
        .oneSlot, .judges(.time(seconds: 0.5)))
    func bounds() async throws {
        // Servers that hang take no processor's time; as many at a time as start without a wait.
        try await forEach(Frozen.all, atATime: 6) { try await bounds($0) }
    }

    private func bounds(_ frozen: Frozen) async throws {
        try await withServer(frozen.kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let sound = server.file("a.wav")
            try TestSignal.sine(seconds: 20).wavData.write(to: sound)
            let player = try AVAudioPlayer(contentsOf: sound, session: session)
            let recorder = try AVAudioRecorder(url: server.file("b.wav"), settings: [:], session: session)
            try await reach(frozen.stage, session, player, recorder)
            server.suspendProgram(at: frozen.program)
            defer { server.resumeProcess() }
            let times = Times()
            try await offPool { use(session, player, recorder, times) }
            for (name, time) in times.log.all {
                #expect(time < (name == "properties" ? Self.properties : Self.command), "\(frozen), \(name): \(time)")
            }
        }
    }

    private func reach(
        _ stage: Stage, _ session: AVAudioSession, _ player: AVAudioPlayer, _ recorder: AVAudioRecorder
    ) async throws {
        try await offPool {
            switch stage {
            case .unused: break
            case .connected: _ = session.currentRoute
            case .active: try session.setActive(true)
            case .prepared: #expect(player.prepareToPlay() && recorder.prepareToRecord())
            case .playing, .paused: #expect(player.play())
            case .recording: #expect(recorder.record())
            }
        }
        switch stage {
        case .playing, .paused: try await waitUntil("some sound") { player.currentTime > 0.1 }
        case .recording: try await waitUntil("some sound") { recorder.currentTime > 0.1 }
        default: break
        }
        if stage == .paused { player.pause() }
    }

    /// What an app does; each call is measured.
    private func use(
        _ session: AVAudioSession, _ player: AVAudioPlayer, _ recorder: AVAudioRecorder, _ times: Times
    ) {
        read(player, recorder, times)
        times.measure("setActive(true)") { try? session.setActive(true) }
        _ = times.measure("play()") { player.play() }
        read(player, recorder, times)
        _ = times.measure("record()") { recorder.record() }
        times.measure("pause()") { player.pause() }
        times.measure("currentTime =") { player.currentTime = 1 }
        times.measure("recorder.pause()") { recorder.pause() }
        times.measure("player.stop()") { player.stop() }
        times.measure("recorder.stop()") { recorder.stop() }
        read(player, recorder, times)
        times.measure("setActive(false)") { try? session.setActive(false) }
    }

    private func read(_ player: AVAudioPlayer, _ recorder: AVAudioRecorder, _ times: Times) {
        times.measure("properties") {
            _ = (player.isPlaying, player.currentTime, player.duration, player.deviceCurrentTime)
            _ = (player.volume, player.pan, player.rate, player.enableRate, player.numberOfLoops)
            _ = (player.isMeteringEnabled, player.averagePower(forChannel: 0), player.peakPower(forChannel: 0))
            _ = (player.currentDevice, player.channelAssignments?.count, player.format, player.settings.count)
            _ = (recorder.isRecording, recorder.currentTime, recorder.deviceCurrentTime, recorder.isMeteringEnabled)
        }
    }

    @Test(
        "No question and no change of an active session waits for more than 2 s", .judges(.time(seconds: 0.5)),
        arguments: HeadlessServer.Kind.allCases)
    func questions(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            try await offPool { try session.setActive(true) }
            server.suspendProcess()
            defer { server.resumeProcess() }
            let times = Times()
            try await offPool {
                _ = times.measure("isEchoCancelledInputAvailable") { session.isEchoCancelledInputAvailable }
                _ = times.measure("isOtherAudioPlaying") { session.isOtherAudioPlaying }
                _ = times.measure("availableInputs") { session.availableInputs?.count }
                times.measure("setCategory") { try? session.setCategory(.playback, mode: .voicePrompt) }
            }
            for (name, time) in times.log.all { #expect(time < Self.command, "\(name): \(time)") }
        }
    }

    @Test(
        "Properties of a player are answered while a command of another thread waits for the server",
        .judges(.time(seconds: 0.5)), arguments: HeadlessServer.Kind.allCases)
    func beside(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            let sound = server.file("a.wav")
            try TestSignal.sine(seconds: 20).wavData.write(to: sound)
            let player = try AVAudioPlayer(contentsOf: sound, session: session)
            server.suspendProcess()
            defer { server.resumeProcess() }
            let start = ContinuousClock.now
            let (begun, done) = (Gate(), Gate())
            begun.open()
            done.open()
            let preparing = Task {
                try await offPool {
                    begun.pass()
                    _ = player.prepareToPlay()
                    done.pass()
                }
            }
            try await waitUntil("the command") { begun.arrived == 1 }
            let times = Times()
            while done.arrived == 0, ContinuousClock.now - start < .seconds(1) {
                times.measure("properties") { _ = (player.isPlaying, player.currentTime, player.volume, player.rate) }
            }
            #expect(done.arrived == 0, "the command waits")
            let worst = times.log.all.map(\.1).max() ?? .zero
            #expect(worst < Self.properties, "\(worst)")
            try await preparing.value
        }
    }
}
