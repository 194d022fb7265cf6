import AudioSession
import Foundation
import HeadlessServer
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A route that the app chooses", .serialized, .limited)
struct RouteChoiceTests {
    private static let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]

    private func player(in session: AVAudioSession) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 30).wavData, session: session)
        try #require(player.play())
        return player
    }

    private func outputs(_ session: AVAudioSession) -> [String] { session.currentRoute.outputs.map(\.uid) }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch { return (error as NSError).code }
        return nil
    }

    @Test(
        "an output chosen by name is where the session plays, at once and later, and only the session",
        arguments: HeadlessServer.Kind.allCases)
    func preferredOutput(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let hall = try #require(session.availableOutputs.first { $0.uid == "hall" })
            for isActive in [false, true] {
                try session.setActive(isActive)
                try session.setPreferredOutput(hall)
                try await waitUntil("where it would play") { outputs(session) == ["hall"] }
                try session.setPreferredOutput(nil)
                try await waitUntil("where it would play by itself") { outputs(session) == ["desk"] }
            }
            let player = try player(in: session)
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            try session.setPreferredOutput(hall)
            try await waitUntil("the hall") { outputs(session) == ["hall"] }
            #expect(session.preferredOutput == hall && player.isPlaying)
            let monitor = try await MonitorRecording.start(on: server, sink: Self.sinks[1])
            try await monitor.waitForSound()
            _ = try await monitor.stop()
            player.stop()
            try session.setActive(false)
            #expect(player.play())
            try await waitUntil("the hall again") { outputs(session) == ["hall"] }
            try session.setPreferredOutput(nil)
            try await waitUntil("the default again") { outputs(session) == ["desk"] }
            #expect(try await pactl.run("get-default-sink").contains("desk"))
            let alien = AVAudioSessionPortDescription(portType: .lineOut, portName: "None", uid: "none")
            #expect(code { try session.setPreferredOutput(alien) } == -50)
            player.stop()
        }
    }

    @Test(
        "an output that was chosen, and was away, is played on again, whether or not anybody asked for it meanwhile",
        arguments: HeadlessServer.Kind.allCases)
    func preferredOutputReturns(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sinks[0]]) { server in
            let pactl = Pactl(server)
            let arguments = ["sink_name=usb", "rate=44100", "norewinds=1"]
            let module = try await pactl.loadModule("module-null-sink", arguments)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            try await waitUntil("one more") { session.availableOutputs.contains { $0.uid == "usb" } }
            try await pactl.setDefault(sink: "desk")
            try session.setPreferredOutput(session.availableOutputs.first { $0.uid == "usb" })
            let player = try player(in: session)
            try await waitUntil("the chosen one") { outputs(session) == ["usb"] }
            try await pactl.unloadModule(module)
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            #expect(session.preferredOutput == nil)
            _ = try await pactl.loadModule("module-null-sink", arguments)
            try await waitUntil("the chosen one again") { outputs(session) == ["usb"] }
            #expect(session.preferredOutput?.uid == "usb" && player.isPlaying)
            player.stop()
        }
    }

    @Test("a user who moves the session's stream wins over what the app chose")
    func userWins() async throws {
        try await withServer(.pulseAudio, sinks: Self.sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setPreferredOutput(session.availableOutputs.first { $0.uid == "hall" })
            let player = try player(in: session)
            try await waitUntil("the hall") { outputs(session) == ["hall"] }
            let index = try #require(try await pactl.sinkInputs().first?.index)
            try await pactl.move(sinkInput: index, to: "desk")
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            // Something else happens, and nothing is moved back for it.
            try await pactl.setVolume(0.5, sink: "hall")
            try await waitUntil("some more sound") { player.currentTime > 1 }
            #expect(outputs(session) == ["desk"])
            player.stop()
        }
    }

    @Test(
        "what the app chose is over with its stream: no server sends the next one there",
        arguments: HeadlessServer.Kind.allCases)
    func choiceIsNotRemembered(kind: HeadlessServer.Kind) async throws {
        let modules = kind == .pulseAudio ? ["module-stream-restore"] : []
        try await withServer(kind, sinks: Self.sinks, modules: modules) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            for _ in 1...2 {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.playback)
                let player = try player(in: session)
                try await waitUntil("the desk") { outputs(session) == ["desk"] }
                let foreign = try await ForeignStream.start(on: server, role: "music")
                let desk = try #require(try await pactl.sink("desk")?.index)
                #expect(try await pactl.sinkInputs().allSatisfy { $0.device == desk })
                try await foreign.stop()
                try session.setPreferredOutput(session.availableOutputs.first { $0.uid == "hall" })
                try await waitUntil("the hall") { outputs(session) == ["hall"] }
                player.stop()
                try session.setActive(false)
            }
        }
    }

    @Test(
        "what plays goes on at its next frame where the app wants it, however fast that changes",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func nothingIsLost(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let rate = Self.sinks[0].rate
            var monitors: [MonitorRecording] = []
            for sink in Self.sinks { monitors.append(try await MonitorRecording.start(on: server, sink: sink)) }
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let hall = session.availableOutputs.first { $0.uid == "hall" }
            let sound = TestSignal.counter(from: 1, seconds: 6, sampleRate: rate)
            let player = try AVAudioPlayer(data: sound.wavData, session: session)
            #expect(player.play())
            for isFar in [true, false, true, false] {
                try await monitors[isFar ? 0 : 1].waitForSound(threshold: -120)
                for _ in 1...3 {
                    try session.setPreferredOutput(isFar ? nil : hall)
                    try session.setPreferredOutput(isFar ? hall : nil)
                }
                try await waitUntil("the other output") { outputs(session) == [isFar ? "hall" : "desk"] }
                #expect(player.isPlaying)
                let heard = monitors[isFar ? 1 : 0]
                try await heard.wait(seconds: 0.3)
            }
            try await waitUntil("the end", timeout: .seconds(20)) { !player.isPlaying }
            try await monitors[0].wait(seconds: 0.3)
            var heard: [Int] = []
            for monitor in monitors { heard += try await monitor.stop().counted }
            expectWhole(heard.sorted(), count: 6 * rate)
            #expect(try await pactl.sinkInputs().filter { $0.processID == getpid() }.count <= 1)
        }
    }

    @Test("S70: the speaker can be chosen in playAndRecord only; where there is none, nothing changes")
    func overrideElsewhere() async throws {
        try await withServer(.pulseAudio, sinks: Self.sinks) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            #expect(code { try session.overrideOutputAudioPort(.speaker) } == -50)
            try session.overrideOutputAudioPort(.none)
            try session.setCategory(.playAndRecord)
            try session.setActive(true)
            let before = outputs(session)
            try session.overrideOutputAudioPort(.speaker)
            #expect(outputs(session) == before)
            try session.setActive(false)
        }
    }

    @Test(
        "S54, S60: the speaker overrides, until something else changes the route",
        arguments: HeadlessServer.Kind.allCases)
    func override(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sinks[0]]) { server in
            let pactl = Pactl(server)
            try await addSpeaker(pactl)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            let events = RouteEvents(of: session)
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the speaker") { outputs(session) == ["inside"] }
            #expect(session.currentRoute.outputs.first?.portType == .builtInSpeaker)
            try await waitUntil("the reason") { events.all.last?.reason == .override }
            // A change of category is one of the route, too.
            try session.setCategory(.playAndRecord, options: .mixWithOthers)
            try await waitUntil("the desk again") { outputs(session) == ["desk"] }
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the speaker again") { outputs(session) == ["inside"] }
            try session.overrideOutputAudioPort(.none)
            try await waitUntil("the desk at last") { outputs(session) == ["desk"] }
            // What is plugged in is used, and so is what the user chooses.
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the speaker beside the desk") { outputs(session) == ["inside"] }
            _ = try await pactl.loadModule("module-null-sink", ["sink_name=phones", "rate=44100", "norewinds=1"])
            try await waitUntil("something new") { try await pactl.sink("phones") != nil }
            try await pactl.setDefault(sink: "phones")
            try await waitUntil("the phones") { outputs(session) == ["phones"] }
            try await waitUntil("news of them") { events.all.last?.reason == .newDeviceAvailable }
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the speaker beside the phones") { outputs(session) == ["inside"] }
            try await pactl.setDefault(sink: "desk")
            try await waitUntil("the user's choice") { outputs(session) == ["desk"] }
            // Neither another category nor another activation has it.
            for isCategory in [true, false] {
                try session.overrideOutputAudioPort(.speaker)
                try await waitUntil("the speaker once more") { outputs(session) == ["inside"] }
                player.stop()
                try session.setActive(false)
                if isCategory {
                    try session.setCategory(.playback)
                    try session.setCategory(.playAndRecord)
                }
                #expect(player.play())
                try await waitUntil("a moving position") { player.currentTime > 0.1 }
                #expect(outputs(session) == ["desk"])
            }
            player.stop()
        }
    }

    /// A built-in speaker beside the desk.
    private func addSpeaker(_ pactl: Pactl) async throws {
        let shape = "sink_properties=\"device.api=alsa device.bus=pci device.form_factor=internal\""
        _ = try await pactl.loadModule("module-null-sink", ["sink_name=inside", "rate=44100", "norewinds=1", shape])
        try await waitUntil("the speaker") { try await pactl.sink("inside") != nil }
        try await pactl.setDefault(sink: "desk")
    }

    @Test(
        "S55, S60: the speaker that is chosen soon after a sleep is put down to that, and overrides all the same",
        arguments: HeadlessServer.Kind.allCases)
    func overrideAfterSleep(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sinks[0]]) { server in
            let pactl = Pactl(server)
            try await addSpeaker(pactl)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            let events = RouteEvents(of: session)
            try (session.core.connected() as? PulseHost)?.routeMayHaveChanged(.wake)
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the news") { events.all.map(\.reason) == [.wakeFromSleep] }
            let then = player.currentTime
            try await waitUntil("some more sound") { player.currentTime > then + 0.5 }
            #expect(outputs(session) == ["inside"])
            try await pactl.setDefault(sink: "inside")
            try await pactl.setDefault(sink: "desk")
            try await waitUntil("the user's choice") { outputs(session) == ["desk"] }
            player.stop()
        }
    }

    @Test(
        "S63, S64, S69: inputs belong to categories that record; the one chosen is where running recordings go",
        arguments: HeadlessServer.Kind.allCases)
    func preferredInput(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(source: "desk.monitor")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            #expect(session.availableInputs == nil)
            let desk = AVAudioSessionPortDescription(portType: .virtual, portName: "Desk", uid: "desk.monitor")
            let refusal = AVAudioSession.ErrorCode.incompatibleCategory
            #expect(code { try session.setPreferredInput(desk) } == refusal.rawValue)
            try session.setPreferredInput(nil)
            try session.setCategory(.record)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            try await waitUntil("the desk") { session.currentRoute.inputs.map(\.uid) == ["desk.monitor"] }
            // Another one on the same microphone is no other route.
            let other = try AVAudioRecorder(url: server.file("b.wav"), settings: stereoSettings, session: session)
            let events = RouteEvents(of: session)
            #expect(other.record())
            try await waitUntil("two recordings") { other.currentTime > 0.3 }
            #expect(session.currentRoute.inputs.map(\.uid) == ["desk.monitor"] && events.all.isEmpty)
            other.stop()
            let hall = try #require(session.availableInputs?.first { $0.uid == "hall.monitor" })
            try session.setPreferredInput(hall)
            try await waitUntil("the hall") { session.currentRoute.inputs.map(\.uid) == ["hall.monitor"] }
            #expect(session.preferredInput == hall && recorder.isRecording)
            let news = Counter(of: AVAudioSession.availableInputsChangeNotification, from: session)
            let module = try await pactl.loadModule("module-null-sink", ["sink_name=more", "norewinds=1"])
            try await waitUntil("news of one more") { news.count > 0 }
            #expect(session.availableInputs?.contains { $0.uid == "more.monitor" } == true)
            try await pactl.unloadModule(module)
            try session.setPreferredInput(nil)
            try await waitUntil("the desk again") { session.currentRoute.inputs.map(\.uid) == ["desk.monitor"] }
            recorder.stop()
        }
    }

    @Test(
        "S46: the input that was preferred is forgotten with the server, and not recorded from on the next one",
        arguments: HeadlessServer.Kind.allCases)
    func inputIsForgottenWithServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let session = AVAudioSession(server: server.address)
            let told = SessionEvents(of: session)
            for name in ["a.wav", "b.wav"] {
                try await waitUntil("the devices") {
                    (try? await Pactl(server).run("set-default-source", "desk.monitor")) != nil
                }
                try session.setCategory(.record)
                let recorder = try AVAudioRecorder(url: server.file(name), settings: stereoSettings, session: session)
                try await waitUntil("a recording") { recorder.record() }
                try await waitUntil("the desk") { session.currentRoute.inputs.map(\.uid) == ["desk.monitor"] }
                guard name == "a.wav" else {
                    let desk = try await Pactl(server).sources().first { $0.name == "desk.monitor" }?.index
                    #expect(try await Pactl(server).sourceOutputs().map(\.device) == [desk])
                    recorder.stop()
                    break
                }
                try session.setPreferredInput(session.availableInputs?.first { $0.uid == "hall.monitor" })
                try await waitUntil("the hall") { session.currentRoute.inputs.map(\.uid) == ["hall.monitor"] }
                server.kill()
                try await told.wait(for: [.lost])
                try await offPool { try server.restart() }
                try await told.wait(for: [.lost, .reset], timeout: hangLimit)
                #expect(session.preferredInput == nil)
            }
        }
    }
}

/// Counts notifications.
// SAFETY: `number` is guarded by `lock`; the observer is only set by `init`.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    private var observer: (any NSObjectProtocol)?

    init(of name: Notification.Name, from session: AVAudioSession) {
        observer = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [weak self] _ in
            self?.lock.withLock { self?.number += 1 }
        }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    var count: Int { lock.withLock { number } }
}
