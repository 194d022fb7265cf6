import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A Bluetooth headset's microphone: to record from it takes its music's quality away, so the app has to allow it.
@Suite("A hands-free microphone as the input", .serialized, .limited)
struct HandsFreeInputTests {
    private func inputs(_ session: AVAudioSession) -> [String] { session.currentRoute.inputs.map(\.uid) }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch { return (error as NSError).code }
        return nil
    }

    /// A source that looks like a headset's microphone, as the default one; both servers can make it.
    private func addHeadset(on server: HeadlessServer) async throws {
        let pactl = Pactl(server)
        let shape = ["channels=1", "source_properties=device.bus=bluetooth"]
        let arguments = ["source_name=headset", "master=desk.monitor"] + shape
        _ = try await pactl.loadModule("module-remap-source", arguments)
        try await pactl.setDefault(source: "headset")
    }

    private func recorder(
        _ name: String, on server: HeadlessServer, in session: AVAudioSession
    ) throws -> AVAudioRecorder {
        try AVAudioRecorder(url: server.file(name), settings: stereoSettings, session: session)
    }

    @Test(
        "S61, S62: without allowBluetoothHFP it is not listed, cannot be chosen, and is not recorded from",
        arguments: HeadlessServer.Kind.allCases, [AVAudioSession.Category.record, .playAndRecord])
    func allowance(kind: HeadlessServer.Kind, category: AVAudioSession.Category) async throws {
        try await withServer(kind, sinks: [.init(name: "desk")]) { server in
            try await addHeadset(on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(category)
            #expect(session.availableInputs?.map(\.uid) == ["desk.monitor"])
            #expect(inputs(session) == ["desk.monitor"])
            let recorder = try recorder("a.wav", on: server, in: session)
            #expect(recorder.record())
            // From its first moment: the headset changes over as soon as anything records from it.
            let desk = try await Pactl(server).sources().first { $0.name == "desk.monitor" }?.index
            #expect(try await Pactl(server).sourceOutputs().filter { $0.processID == getpid() }.map(\.device) == [desk])
            try await waitUntil("some frames") { recorder.currentTime > 0.3 }
            #expect(inputs(session) == ["desk.monitor"])

            try session.setCategory(category, options: .allowBluetoothHFP)
            try await waitUntil("the default") { inputs(session) == ["headset"] }
            let headset = try #require(session.availableInputs?.first { $0.portType == .bluetoothHFP })
            try session.setPreferredInput(headset)
            #expect(session.preferredInput == headset)
            try session.setCategory(category)
            try await waitUntil("what is allowed") { inputs(session) == ["desk.monitor"] }
            #expect(session.preferredInput == nil)
            #expect(code { try session.setPreferredInput(headset) } == -50)
            recorder.stop()
            let next = try self.recorder("b.wav", on: server, in: session)
            #expect(next.record())
            #expect(try await Pactl(server).sourceOutputs().filter { $0.processID == getpid() }.map(\.device) == [desk])
            // The choice was the app's, and counts again where it may.
            try session.setCategory(category, options: .allowBluetoothHFP)
            #expect(session.preferredInput == headset)
            try await waitUntil("the choice") { inputs(session) == ["headset"] }
            next.stop()
        }
    }

    @Test(
        "a recording that leaves its channels open has those of what it is recorded from, not the headset's one",
        arguments: HeadlessServer.Kind.allCases)
    func openFormat(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [.init(name: "desk")]) { server in
            try await addHeadset(on: server)
            for (options, channels) in [([], 2), (AVAudioSession.CategoryOptions.allowBluetoothHFP, 1)] {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.record, options: options)
                let url = server.file("\(channels).wav")
                let recorder = try AVAudioRecorder(url: url, settings: [:], session: session)
                #expect(recorder.record())
                #expect(recorder.settings[AVNumberOfChannelsKey] as? Int == channels)
                recorder.stop()
                try session.setActive(false)
            }
        }
    }

    @Test(
        "S63, S69: a category that has other inputs than the last one says so, and one that has none",
        arguments: HeadlessServer.Kind.allCases)
    func categoryChangesInputs(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [.init(name: "desk")]) { server in
            try await addHeadset(on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setActive(true)
            // The first look at the devices is no news.
            let looks = RouteEvents(of: session)
            try await waitUntil("the first look") {
                try session.setCategory(.ambient)
                try session.setCategory(.playback)
                return !looks.all.isEmpty
            }
            let news = Log<[String]?>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.availableInputsChangeNotification, object: session, queue: nil
            ) { [weak session] _ in news.note(session?.availableInputs?.map(\.uid)) }
            try session.setCategory(.playAndRecord)
            try await waitUntil("inputs") { news.all == [["desk.monitor"]] }
            try session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
            try await waitUntil("one more") { news.all.last == ["desk.monitor", "headset"] }
            // The same inputs in another category are no news; none at all are.
            try session.setCategory(.record, options: .allowBluetoothHFP)
            try session.setCategory(.playback)
            try await waitUntil("none") { news.all.count > 2 }
            try session.setCategory(.ambient)
            try session.setCategory(.record)
            try await waitUntil("less again") { news.all.count > 3 }
            #expect(news.all == [["desk.monitor"], ["desk.monitor", "headset"], nil, ["desk.monitor"]])
            NotificationCenter.default.removeObserver(token)
            try session.setActive(false)
        }
    }

    @Test("S69: the last input that goes is told, and so is the first that comes")
    func lastInput() async throws {
        // With PipeWire something always takes the place of the last sink, and has a monitor.
        try await withServer(.pulseAudio, sinks: [.init(name: "desk")]) { server in
            let pactl = Pactl(server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            try session.setActive(true)
            try await waitUntil("the desk") { session.currentRoute.inputs.map(\.uid) == ["desk.monitor"] }
            let looks = RouteEvents(of: session)
            try await waitUntil("the first look") {
                try session.setCategory(.playAndRecord, options: .mixWithOthers)
                try session.setCategory(.playAndRecord)
                return !looks.all.isEmpty
            }
            let news = Log<[String]?>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.availableInputsChangeNotification, object: session, queue: nil
            ) { [weak session] _ in news.note(session?.availableInputs?.map(\.uid)) }
            let modules = try await pactl.run("list", "short", "modules").split(separator: "\n")
            let desk = try #require(modules.first { $0.contains("sink_name=desk") }?.split(separator: "\t").first)
            try await pactl.unloadModule(try #require(Int(desk)))
            try await waitUntil("none") { news.all == [[]] }
            _ = try await pactl.loadModule("module-null-source", ["source_name=mic"])
            try await waitUntil("one") { news.all == [[], ["mic"]] }
            NotificationCenter.default.removeObserver(token)
            try session.setActive(false)
        }
    }
}
