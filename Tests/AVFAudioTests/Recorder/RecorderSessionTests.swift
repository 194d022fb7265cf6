import AVFAudio
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("A recorder among players, other recorders and the session", .limited)
struct RecorderSessionTests {
    /// A recorder that has recorded for half a second, in a session that was made active before.
    private func recording(on server: HeadlessServer) async throws -> (AVAudioSession, AVAudioRecorder, RecorderEvents)
    {
        let session = try await server.recordingSession()
        try session.setActive(true)
        let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
        let events = RecorderEvents()
        recorder.delegate = events
        #expect(recorder.record())
        try await recorder.wait(untilTime: 0.5)
        return (session, recorder, events)
    }

    @Test("S132: a change to playback and a second activation while recording hurt neither the file nor stop()")
    func categoryChange() async throws {
        try await withServer(.pulseAudio) { server in
            let (session, recorder, events) = try await recording(on: server)
            try session.setCategory(.playback)
            try session.setActive(true)
            try await recorder.wait(untilTime: 1)
            recorder.stop()
            try await events.waitForFinish()
            #expect(events.finished == [true])
            #expect(events.errors == [])
            #expect(try DecodedFile(recorder.url).seconds >= 1)
            #expect(!recorder.record())
        }
    }

    @Test(
        "A recording has the role of its session's mode, also when that changes while it runs, or is paused",
        arguments: HeadlessServer.Kind.allCases)
    func roles(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let (session, recorder, _) = try await recording(on: server)
            func wait(forRole role: String) async throws {
                try await waitUntil("the role \(role)") {
                    try await Pactl(server).sourceOutputs().first { $0.processID == getpid() }?.role == role
                }
            }
            try await wait(forRole: "production")
            try session.setMode(.voiceChat)
            try await wait(forRole: "phone")
            #expect(recorder.isRecording)
            recorder.pause()
            try session.setActive(false)
            try session.setMode(.default)
            #expect(recorder.record())
            try await wait(forRole: "production")
            recorder.stop()
        }
    }

    @Test("S26, S39, S125: an interruption pauses what records, tells it alone, and record() goes on in the same file")
    func interruption() async throws {
        let cork = "module-role-cork trigger_roles=phone cork_roles=production"
        try await withServer(.pulseAudio, modules: [cork]) { server in
            let session = try await server.recordingSession()
            let tone = try TestSignal.sine(seconds: 20).writeWAV(to: server.file("tone.wav"))
            let player = try AVAudioPlayer(contentsOf: tone, session: session)
            #expect(player.play())
            let log = (RecorderEvents(), RecorderEvents())
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            recorder.delegate = log.0
            let paused = try AVAudioRecorder(url: server.file("b.wav"), settings: stereoSettings, session: session)
            paused.delegate = log.1
            #expect(recorder.record())
            #expect(paused.record())
            try await recorder.wait(untilTime: 0.5)
            paused.pause()
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await waitUntil("the interruption") { log.0.interruptions == ["began"] }
            #expect(!recorder.isRecording)
            let time = recorder.currentTime
            try await call.stop()
            try await waitUntil("its end") { log.0.interruptions == ["began", "ended 1"] }
            #expect(log.0.finished == [])
            #expect(recorder.currentTime == time)
            #expect(recorder.record())
            try await recorder.wait(untilTime: time + 0.3)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).seconds >= time + 0.3)
            #expect(log.1.interruptions == [])
            player.stop()
        }
    }

    @Test(
        "A player and a recorder at once: what the one plays the other records, bit for bit",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func duplex(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let signal = TestSignal.noise(seconds: 1)
            let noise = try signal.writeWAV(to: server.file("noise.wav"))
            let player = try AVAudioPlayer(contentsOf: noise, session: session)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.2)
            #expect(player.play())
            try await recorder.wait(untilTime: recorder.currentTime + 2)
            recorder.stop()
            let heard = try DecodedFile(recorder.url).recording
            #expect(heard.firstFrame(of: signal.samples) != nil)
        }
    }

    @Test("S63, S64: inputs are listed where the category records; the preferred one is recorded from until it is gone")
    func preferredInput() async throws {
        let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]
        try await withServer(.pulseAudio, sinks: sinks) { server in
            let session = AVAudioSession(server: server.address)
            #expect(session.availableInputs == nil)
            #expect(session.isInputAvailable)
            try session.setCategory(.record)
            let inputs = try #require(session.availableInputs)
            #expect(Set(inputs.map(\.uid)) == ["desk.monitor", "hall.monitor"])
            #expect(inputs.allSatisfy { $0.portType == .virtual && $0.channels?.count == 2 && !$0.portName.isEmpty })
            #expect(session.preferredInput == nil)
            let hall = try #require(inputs.first { $0.uid == "hall.monitor" })
            try session.setPreferredInput(hall)
            #expect(session.preferredInput == hall)

            let tone = try await server.tone(500, sink: "hall")
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record(forDuration: 1))
            try await waitUntil("the end") { !recorder.isRecording }
            recorder.stop()
            let sound = try DecodedFile(recorder.url).recording
            #expect(abs((sound.frequency(22_050..<44_100) ?? 0) - 500) < 1)
            try await tone.stop()

            let stranger = AVAudioSessionPortDescription(portType: .usbAudio, portName: "USB", uid: "usb")
            let error = #expect(throws: NSError.self) { try session.setPreferredInput(stranger) }
            #expect(error?.code == -50)
            #expect(session.preferredInput == hall)
            try session.setPreferredInput(nil)
            #expect(session.preferredInput == nil)
            try session.setPreferredInput(hall)
            let modules = try await Pactl(server).run("list", "short", "modules").split(separator: "\n")
            let line = try #require(modules.first { $0.contains("sink_name=hall") })
            try await Pactl(server).unloadModule(try #require(line.split(separator: "\t").first.flatMap { Int($0) }))
            #expect(session.preferredInput == nil)
            #expect(session.availableInputs?.map(\.uid) == ["desk.monitor"])
        }
    }

    @Test("Fifty takes leave no open file and no stream behind", arguments: HeadlessServer.Kind.allCases)
    func fiftyTakes(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            weak var witness: AVAudioRecorder?
            for round in 0..<50 {
                let file = server.file("\(round % 3).wav")
                let recorder = try AVAudioRecorder(url: file, settings: stereoSettings, session: session)
                witness = recorder
                #expect(recorder.record())
                if round % 10 == 0 { try await recorder.wait(untilTime: 0.05) }
                if round % 2 == 0 { recorder.pause() }
                if round % 3 != 0 { recorder.stop() }
            }
            try await waitUntil("the recorders to go") { witness == nil }
            // The disk is not waited for by who stops.
            try await waitUntil("the files to go") { try openFiles(in: server.directory) == [] }
            let pactl = Pactl(server)
            try await waitUntil("the streams to go") { try await pactl.sourceOutputs().isEmpty }
        }
    }

    /// Other tests open files of their own meanwhile.
    private func openFiles(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
            .filter { $0.hasPrefix(folder.path) && $0.hasSuffix(".wav") }
    }

    @Test("Four threads at once do no harm")
    func hammer() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            recorder.isMeteringEnabled = true
            try await offPool {
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    var state = UInt64(thread + 1)
                    for _ in 0..<60 {
                        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        switch state >> 60 {
                        case 0...3: recorder.record()
                        case 4...6: recorder.pause()
                        case 7: recorder.stop()
                        case 8: recorder.prepareToRecord()
                        case 9: recorder.record(forDuration: 0.01)
                        case 10: recorder.deleteRecording()
                        case 11: try? session.setActive(false)
                        case 12: try? session.setCategory(.playAndRecord, options: .mixWithOthers)
                        case 13: recorder.isMeteringEnabled.toggle()
                        default:
                            recorder.updateMeters()
                            _ = (recorder.peakPower(forChannel: 0), recorder.currentTime, recorder.isRecording)
                            _ = (recorder.settings, recorder.format)
                        }
                    }
                }
            }
            recorder.stop()
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.2)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).seconds >= 0.2)
        }
    }
}
