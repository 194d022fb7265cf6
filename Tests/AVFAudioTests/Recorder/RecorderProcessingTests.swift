import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("What is done to the sound of a microphone", .limited)
struct RecorderProcessingTests {
    /// What PulseAudio has loaded on a desktop.
    private static let filters = [mic, "module-filter-heuristics", "module-filter-apply"]
    /// PulseAudio filters no monitor.
    private static let mic = "module-null-source source_name=mic"

    private static let cleanSource =
        "module-echo-cancel source_name=clean.echo-cancel source_master=mic aec_method=null"

    private func source(of server: HeadlessServer) async throws -> String? {
        let pactl = Pactl(server)
        guard let stream = try await pactl.sourceOutputs().first(where: { $0.processID == getpid() }) else {
            return nil
        }
        return try await pactl.sources().first { $0.index == stream.device }?.name
    }

    @Test("voiceChat and videoChat: what is played is taken out of what is recorded; the session says so")
    func voice() async throws {
        try await withServer(.pulseAudio, modules: Self.filters) { server in
            try await Pactl(server).setDefault(source: "mic")
            for mode in [AVAudioSession.Mode.voiceChat, .videoChat] {
                let session = try await server.recordingSession()
                try session.setCategory(.playAndRecord, mode: mode)
                #expect(session.isEchoCancelledInputAvailable)
                #expect(!session.isEchoCancelledInputEnabled)
                let file = try TestSignal.sine(seconds: 20).writeWAV(to: server.file("tone.wav"))
                let player = try AVAudioPlayer(contentsOf: file, session: session)
                #expect(player.play())
                let recorder = try AVAudioRecorder(
                    url: server.file("a.wav"), settings: stereoSettings, session: session)
                #expect(recorder.record())
                try await waitUntil("the filter") { session.isEchoCancelledInputEnabled }
                #expect(try await source(of: server)?.contains("echo-cancel") == true)
                try await recorder.wait(untilTime: 0.5)
                recorder.stop()
                player.stop()
                #expect(!session.isEchoCancelledInputEnabled)
                try? session.setActive(false)
                #expect(try DecodedFile(recorder.url).seconds >= 0.5)
            }
        }
    }

    @Test("measurement: the microphone itself, even where the default source is a filter")
    func measurement() async throws {
        try await withServer(.pulseAudio, modules: [Self.mic, Self.cleanSource]) { server in
            try await Pactl(server).setDefault(source: "clean.echo-cancel")
            for (mode, name) in [
                (AVAudioSession.Mode.default, "clean.echo-cancel"), (.measurement, "mic"),
            ] {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.record, mode: mode)
                let recorder = try AVAudioRecorder(
                    url: server.file("a.wav"), settings: stereoSettings, session: session)
                #expect(recorder.record())
                try await waitUntil("a stream") { try await source(of: server) != nil }
                #expect(try await source(of: server) == name)
                #expect(session.isEchoCancelledInputEnabled == (mode == .default))
                recorder.stop()
                try? session.setActive(false)
            }
        }
    }

    @Test(
        "setPrefersEchoCancelledInput counts in playAndRecord with mode default, where a source without echo is there")
    func preference() async throws {
        try await withServer(.pulseAudio, modules: [Self.mic, Self.cleanSource]) { server in
            try await Pactl(server).setDefault(source: "mic")
            let session = try await server.recordingSession()
            #expect(!session.prefersEchoCancelledInput)
            for prefers in [false, true] {
                try session.setPrefersEchoCancelledInput(prefers)
                #expect(session.prefersEchoCancelledInput == prefers)
                let recorder = try AVAudioRecorder(
                    url: server.file("a.wav"), settings: stereoSettings, session: session)
                #expect(recorder.record())
                #expect(session.isEchoCancelledInputEnabled == prefers)
                recorder.stop()
            }
            #expect(session.isEchoCancelledInputAvailable)
            try session.setCategory(.record)
            #expect(!session.isEchoCancelledInputAvailable)
        }
    }

    @Test("What is recorded without echo stays so when the speaker is chosen, and goes where the app prefers it")
    func placing() async throws {
        let shape = #"source_properties="device.api=alsa device.bus=pci device.form_factor=internal""#
        let inside = "module-remap-source source_name=inside master=mic \(shape)"
        try await withServer(.pulseAudio, modules: [Self.mic, Self.cleanSource, inside]) { server in
            try await Pactl(server).setDefault(source: "test_out.monitor")
            let session = try await server.recordingSession()
            try session.setCategory(.playAndRecord, mode: .voiceChat)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            try await waitUntil("a route") { session.currentRoute.inputs.map(\.uid) == ["clean.echo-cancel"] }
            try await recorder.wait(untilTime: 0.3)
            try session.overrideOutputAudioPort(.speaker)
            #expect(try await source(of: server) == "clean.echo-cancel")
            try session.overrideOutputAudioPort(.none)
            #expect(try await source(of: server) == "clean.echo-cancel")
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "mic" })
            try await waitUntil("what is preferred") { try await source(of: server) == "mic" }
            try session.setPreferredInput(nil)
            try await waitUntil("no echo again") { try await source(of: server) == "clean.echo-cancel" }
            recorder.stop()
        }
    }

    @Test("Without a filter nothing is pretended", arguments: HeadlessServer.Kind.allCases)
    func absent(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            try session.setCategory(.playAndRecord, mode: .voiceChat)
            #expect(!session.isEchoCancelledInputAvailable)
            let recorder = try AVAudioRecorder(
                url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record(forDuration: 0.2))
            #expect(!session.isEchoCancelledInputEnabled)
            try await waitUntil("the end") { !recorder.isRecording }
        }
    }

    @Test(
        "channelAssignments: one channel of two, and both the other way round",
        arguments: HeadlessServer.Kind.allCases)
    func channels(kind: HeadlessServer.Kind) async throws {
        let sink = kind.usualSink
        try await withServer(kind, sinks: [sink]) { server in
            let session = try await server.recordingSession()
            let counter = TestSignal.counter(seconds: 10, sampleRate: sink.rate)
            // 1000 on the left, 2000 on the right.
            let samples = counter.samples.indices.map { Int16($0 % 2 == 0 ? 1_000 : 2_000) }
            let file = try TestSignal(samples: samples, sampleRate: sink.rate).writeWAV(to: server.file("levels.wav"))
            let foreign = try await ForeignStream.start(on: server, playing: .file(file))
            let channels = try #require(session.availableInputs?.first?.channels)
            #expect(channels.map(\.channelNumber) == [1, 2])
            for wanted in [[1], [0], [1, 0], [0, 1]] {
                let settings: [String: Any] = [AVSampleRateKey: sink.rate, AVNumberOfChannelsKey: wanted.count]
                let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: settings, session: session)
                #expect(recorder.channelAssignments == nil)
                recorder.channelAssignments = wanted.map { channels[$0] }
                #expect(recorder.record())
                try await recorder.wait(untilTime: 0.4)
                recorder.stop()
                let heard = try DecodedFile(recorder.url).recording
                let last = Array(heard.pcm16.suffix(wanted.count))
                #expect(last == wanted.map { Int16(1_000 * ($0 + 1)) }, "\(wanted)")
            }
            try await foreign.kill()
        }
    }
}
