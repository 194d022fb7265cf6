import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("What the devices are, and what was wished", .serialized, .limited)
struct HardwareTests {
    private static let sink = HeadlessServer.NullSink(name: "desk")

    private func session(on server: HeadlessServer, _ category: AVAudioSession.Category = .playback) throws
        -> AVAudioSession
    {
        let session = AVAudioSession(server: server.address)
        try session.setCategory(category)
        return session
    }

    /// The rates of the streams that play.
    private func rates(on server: HeadlessServer) async throws -> [String] {
        try await Pactl(server).run("list", "sink-inputs").split(separator: "\n")
            .filter { $0.contains("Sample Specification:") }.compactMap {
                $0.split(separator: " ").last.map(String.init)
            }
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch { return (error as NSError).code }
        return nil
    }

    @Test(
        "S71, S72, S73: a wish is kept as it was asked for, and the plain value is the device's",
        arguments: HeadlessServer.Kind.allCases)
    func wishes(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try session(on: server)
            #expect(session.preferredSampleRate == 0 && session.preferredIOBufferDuration == 0)
            #expect(session.sampleRate == 44_100)
            try session.setPreferredSampleRate(96_000)
            try session.setPreferredIOBufferDuration(0.005)
            #expect(session.preferredSampleRate == 96_000 && session.preferredIOBufferDuration == 0.005)
            #expect(session.sampleRate == 44_100)
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 20).wavData, session: session)
            #expect(player.play())
            try await waitUntil("some sound") { player.currentTime > 0.2 }
            #expect(try await rates(on: server) == ["96000Hz"])
            // No server grants less than it can do, and none so much that it would not be what was asked for.
            #expect(session.ioBufferDuration > 0.001 && session.ioBufferDuration < 0.05)
            let least = session.ioBufferDuration
            try session.setPreferredIOBufferDuration(0.09)
            try await waitUntil("a larger buffer") { session.ioBufferDuration > least + 0.02 }
            player.stop()
            try session.setActive(false)
            try session.setPreferredSampleRate(0)
            #expect(player.play())
            // A server may have given the device another rate meanwhile.
            try await waitUntil("the device's own rate") {
                let rates = try await rates(on: server)
                return rates == ["\(Int(session.sampleRate))Hz"] && rates != ["96000Hz"]
            }
            player.stop()
        }
    }

    @Test("S74, S75: what is no rate and no duration is refused, and nothing has changed")
    func refusals() throws {
        let session = AVAudioSession(server: "unix:/nonexistent/pulse")
        try session.setPreferredSampleRate(44_100)
        for rate in [-1, .nan, .infinity] {
            #expect(code { try session.setPreferredSampleRate(rate) } == -50)
            #expect(code { try session.setPreferredIOBufferDuration(rate) } == -50)
        }
        #expect(code { try session.setOutputVolume(.nan) } == -50)
        #expect(session.preferredSampleRate == 44_100 && session.preferredIOBufferDuration == 0)
        #expect(session.sampleRate == 0 && session.outputVolume == 0 && session.outputLatency == 0)
    }

    @Test(
        "S77: a direction that the category does not have counts nothing, and cannot be wished for",
        arguments: HeadlessServer.Kind.allCases)
    func directions(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try session(on: server)
            #expect(session.inputNumberOfChannels == 0 && session.maximumInputNumberOfChannels == 0)
            #expect(session.outputNumberOfChannels == 2 && session.maximumOutputNumberOfChannels == 2)
            let incompatible = AVAudioSession.ErrorCode.incompatibleCategory.rawValue
            #expect(code { try session.setPreferredInputNumberOfChannels(1) } == incompatible)
            #expect(code { try session.setPreferredOutputNumberOfChannels(0) } == -50)
            #expect(code { try session.setPreferredOutputNumberOfChannels(3) } == -50)
            #expect(session.preferredOutputNumberOfChannels == 0)
            try session.setPreferredOutputNumberOfChannels(1)
            #expect(session.preferredOutputNumberOfChannels == 1 && session.outputNumberOfChannels == 1)
            try session.setCategory(.record)
            #expect(session.outputNumberOfChannels == 0 && session.outputVolume == 0)
            #expect(session.inputNumberOfChannels == 2 && session.sampleRate == 44_100)
            #expect(code { try session.setPreferredOutputNumberOfChannels(1) } == incompatible)
            #expect(code { try session.setPreferredInputNumberOfChannels(9) } == -50)
            #expect(code { try session.setAggregatedIOPreference(.aggregated) } == incompatible)
        }
    }

    @Test(
        "a wish for a number of input channels counts for recordings whose settings leave that open",
        arguments: HeadlessServer.Kind.allCases)
    func inputChannels(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try await server.recordingSession()
            func channels(_ settings: [String: Any]) async throws -> AVAudioChannelCount {
                let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: settings, session: session)
                try #require(recorder.record())
                defer { recorder.stop() }
                return recorder.format.channelCount
            }
            let open: [String: Any] = [AVFormatIDKey: kAudioFormatLinearPCM]
            #expect(try await channels(open) == 2 && session.inputNumberOfChannels == 2)
            try session.setPreferredInputNumberOfChannels(1)
            #expect(try await channels(open) == 1 && session.inputNumberOfChannels == 1)
            #expect(try await channels(open.merging([AVNumberOfChannelsKey: 2]) { $1 }) == 2)
        }
    }

    @Test("a session that wishes for one channel is heard in both")
    func mono() async throws {
        try await withServer(.pulseAudio, sinks: [Self.sink]) { server in
            let session = try session(on: server)
            try session.setPreferredOutputNumberOfChannels(1)
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 20).wavData, session: session)
            let monitor = try await MonitorRecording.start(on: server, sink: Self.sink)
            #expect(player.play())
            try await monitor.waitForSound()
            try await monitor.wait(seconds: 0.3)
            player.stop()
            let heard = try await monitor.stop()
            let range = try #require(heard.soundRange())
            #expect(abs(heard.peakLevel(range) + 12) < 0.5)
        }
    }

    @Test(
        "S78, S79, S81: volumes are the user's; gains are not settable; there are no layouts to choose from",
        arguments: HeadlessServer.Kind.allCases)
    func volume(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try session(on: server)
            let pactl = Pactl(server)
            try await pactl.setVolume(0.5, sink: "desk")
            try await waitUntil("half the volume") { abs(session.outputVolume - 0.5) < 0.01 }
            try await pactl.setVolume(1.3, sink: "desk")
            try await waitUntil("not more than all") { session.outputVolume == 1 }
            try session.setOutputVolume(0.25)
            try await waitUntil("what the app set") { abs(session.outputVolume - 0.25) < 0.01 }
            #expect(!session.isInputGainSettable && (0...1).contains(session.inputGain))
            let missing = AVAudioSession.ErrorCode.resourceNotAvailable.rawValue
            #expect(code { try session.setInputGain(0.5) } == missing)
            #expect(session.supportedOutputChannelLayouts.isEmpty)
        }
    }

    @Test(
        "S79: before anything plays, the values and the volume are those of the output that the app chose",
        arguments: HeadlessServer.Kind.allCases)
    func chosenOutput(kind: HeadlessServer.Kind) async throws {
        let hall = HeadlessServer.NullSink(name: "hall", rate: 48_000, channels: 1)
        try await withServer(kind, sinks: [Self.sink, hall]) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = try session(on: server)
            try session.setPreferredOutput(session.availableOutputs.first { $0.uid == "hall" })
            try session.setOutputVolume(0.25)
            try await waitUntil("the hall's volume") { abs((try await pactl.sink("hall")?.volume ?? 0) - 0.25) < 0.01 }
            #expect(session.sampleRate == 48_000)
            try session.setPreferredOutput(nil)
            try session.setOutputVolume(0.75)
            try await waitUntil("the desk's volume") { abs((try await pactl.sink("desk")?.volume ?? 0) - 0.75) < 0.01 }
            #expect(session.sampleRate == 44_100)
        }
    }

    @Test(
        "S64: the values of a preferred input that went away are those of what is recorded from in its place",
        arguments: HeadlessServer.Kind.allCases)
    func goneInput(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try await server.recordingSession(.record)
            let pactl = Pactl(server)
            let usb = try await pactl.loadModule("module-null-sink", ["sink_name=usb", "rate=48000", "norewinds=1"])
            try await waitUntil("one more") { session.availableInputs?.contains { $0.uid == "usb.monitor" } == true }
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "usb.monitor" })
            #expect(session.sampleRate == 48_000)
            try await pactl.unloadModule(usb)
            try await waitUntil("one less") { session.availableInputs?.contains { $0.uid == "usb.monitor" } == false }
            try await waitUntil("the desk's rate") { session.sampleRate == 44_100 }
            #expect(session.inputNumberOfChannels == 2)
        }
    }

    @Test("S78: a new volume keeps the user's balance", arguments: HeadlessServer.Kind.allCases)
    func balance(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try session(on: server)
            let pactl = Pactl(server)
            for (left, right, expected) in [(40, 80, 0.2), (80, 40, 0.4), (0, 0, 0.4)] {
                try await pactl.run("set-sink-volume", "desk", "\(left)%", "\(right)%")
                let loudest = Float(max(left, right)) / 100
                try await waitUntil("what the user set") { abs(session.outputVolume - loudest) < 0.01 }
                try session.setOutputVolume(0.4)
                try await waitUntil("what the app set") { abs(session.outputVolume - 0.4) < 0.01 }
                let volume = try #require(try await pactl.sink("desk")).volume
                #expect(abs(volume - expected) < 0.01, "the left channel, which was at \(left) %")
            }
        }
    }

    @Test("S80: latencies do not count the I/O buffer", arguments: HeadlessServer.Kind.allCases)
    func latency(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let session = try session(on: server, .playAndRecord)
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 20).wavData, session: session)
            #expect(player.play())
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            // A sink of software has none to speak of.
            #expect((0..<0.06).contains(session.outputLatency), "\(session.outputLatency)")
            #expect((0..<0.06).contains(session.inputLatency), "\(session.inputLatency)")
            player.stop()
        }
    }

    @Test(
        "S67: after a change of the route the values are those of the new device",
        arguments: HeadlessServer.Kind.allCases)
    func newValues(kind: HeadlessServer.Kind) async throws {
        // A device of its own clock on PulseAudio, one that takes its time on PipeWire.
        let hall = HeadlessServer.NullSink(name: "hall", rate: 48_000, channels: 1)
        try await withServer(kind, sinks: kind == .pulseAudio ? [Self.sink, hall] : [Self.sink]) { server in
            let distant =
                kind == .pipeWire
                ? try await DistantDevice.start("hall", isSource: false, milliseconds: 200, on: server) : nil
            defer { withExtendedLifetime(distant) {} }
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            // Who is there already has made the device take less at a time than the session wishes.
            let other = try await ForeignStream.start(on: server, sink: "hall")
            let session = try session(on: server)
            try session.setPreferredIOBufferDuration(0.09)
            let events = RouteEvents(of: session)
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 20).wavData, session: session)
            #expect(player.play())
            try await waitUntil("the desk") { session.currentRoute.outputs.map(\.uid) == ["desk"] }
            #expect(session.sampleRate == 44_100 && session.outputNumberOfChannels == 2)
            // The distant one has no clock of its own, and so the desk goes with it.
            if distant == nil { try await waitUntil("a long buffer") { session.ioBufferDuration > 0.04 } }
            #expect(session.outputLatency < 0.06)
            try await pactl.setDefault(sink: "hall")
            try await waitUntil("the hall") { events.all.last?.current == ["hall"] }
            // At once: an app reads them in the notification.
            #expect(session.sampleRate == 48_000 && session.outputNumberOfChannels == (distant == nil ? 1 : 2))
            let buffer = session.ioBufferDuration
            if distant == nil {
                #expect(abs(buffer - (try await configuredLatency(of: "hall", pactl))) < 0.001)
                #expect(session.outputLatency < 0.06)
            } else {
                // Cycles of the graph, which runs at the first sink's rate.
                let cycles = buffer * 44_100 / 1024
                #expect(cycles > 0.9 && abs(cycles - cycles.rounded()) < 0.01, "\(buffer) s")
                try await waitUntil("its latency") { session.outputLatency > 0.1 }
                #expect((0.2 - buffer - 0.005...0.2).contains(session.outputLatency), "\(session.outputLatency) s")
            }
            #expect(events.all.map(\.reason) == [.override] && events.all.first?.previous == ["desk"])
            player.stop()
            try await other.stop()
        }
    }

    /// How much a sink takes at a time, in seconds, by its server's word.
    private func configuredLatency(of sink: String, _ pactl: Pactl) async throws -> Double {
        let list = try await pactl.run("list", "sinks")
        let lines = list.split(separator: "\n").drop { !$0.hasSuffix("Name: \(sink)") }
        let latency = try #require(lines.first { $0.contains("Latency: ") })
        let words = latency.split(separator: " ")
        let value = try #require(words.firstIndex(of: "configured").map { words[$0 + 1] })
        return try #require(Double(value)) / 1e6
    }

    @Test(
        "S57: another default while playing: the sound is away for less than 100 ms, and there is one change of route",
        .judges(.time(seconds: 0.1)), arguments: HeadlessServer.Kind.allCases)
    func gapOfSwitch(kind: HeadlessServer.Kind) async throws {
        let sinks = ["desk", "hall"].map { HeadlessServer.NullSink(name: $0, rate: 48_000, channels: 2) }
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = try session(on: server)
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 20).wavData, session: session)
            let before = try await MonitorRecording.start(on: server, sink: sinks[0])
            let after = try await MonitorRecording.start(on: server, sink: sinks[1])
            #expect(player.play())
            try await before.waitForSound()
            try await waitUntil("the desk") { session.currentRoute.outputs.map(\.uid) == ["desk"] }
            let events = RouteEvents(of: session)
            try await pactl.setDefault(sink: "hall")
            // A monitor without sound may stand still, so it is the clock that counts, to some 20 ms.
            var scanned = 0
            var lastSound = ContinuousClock.now
            try await waitUntil("sound in the hall") {
                let news = before.soFar(from: scanned)
                scanned += news.frames
                if news.soundRange() != nil { lastSound = .now }
                return after.soFar().soundRange() != nil
            }
            let gap = ContinuousClock.now - lastSound
            #expect(gap < .milliseconds(100))
            try await after.wait(seconds: 0.3)
            // What is missing behind the first of it counts too.
            let gaps = after.soFar().gaps()
            #expect(gaps.reduce(0) { $0 + $1.count } < 4_800, "\(gaps)")
            try await waitUntil("the news") { events.all.last?.current == ["hall"] }
            #expect(events.all.map(\.reason) == [.override] && events.all.first?.previous == ["desk"])
            player.stop()
        }
    }

    /// All that an app has said, and what came of it.
    private func state(of session: AVAudioSession) -> [String] {
        [
            session.category.rawValue, session.mode.rawValue, "\(session.categoryOptions.rawValue)",
            "\(session.currentRoute.inputs.map(\.uid)) \(session.currentRoute.outputs.map(\.uid))",
            "\(session.preferredInput?.uid ?? "none")", "\(session.preferredInputNumberOfChannels)",
            "\(session.preferredOutputNumberOfChannels)", "\(session.preferredSampleRate)",
            "\(session.preferredIOBufferDuration)", "\(session.inputNumberOfChannels)",
            "\(session.outputNumberOfChannels)", "\(session.inputGain)", "\(session.outputVolume)",
        ]
    }

    @Test(
        "S64, S70, S72, S78: what is wrong has Apple's code, and leaves everything as it was",
        arguments: HeadlessServer.Kind.allCases)
    func wrongWishes(kind: HeadlessServer.Kind) async throws {
        let hall = HeadlessServer.NullSink(name: "hall")
        try await withServer(kind, sinks: [Self.sink, hall]) { server in
            let pactl = Pactl(server)
            let module = try await pactl.loadModule("module-null-sink", ["sink_name=usb", "norewinds=1"])
            let session = try await server.recordingSession(.playAndRecord)
            try await waitUntil("one more") { session.availableInputs?.contains { $0.uid == "usb.monitor" } == true }
            let gone = try #require(session.availableInputs?.first { $0.uid == "usb.monitor" })
            try await pactl.unloadModule(module)
            try await waitUntil("one less") { session.availableInputs?.contains { $0.uid == "usb.monitor" } == false }
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "hall.monitor" })
            try session.setPreferredInputNumberOfChannels(1)
            try session.setPreferredOutputNumberOfChannels(2)
            let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 60).wavData, session: session)
            #expect(player.play())
            try await waitUntil("the route") { session.currentRoute.inputs.map(\.uid) == ["hall.monitor"] }
            let before = state(of: session)
            let (param, category) = (-50, Int(AVAudioSession.ErrorCode.incompatibleCategory.rawValue))
            func refuses(_ expected: Int, _ what: String, _ wish: () throws -> Void) {
                let old = state(of: session)
                #expect(code(wish) == expected, "\(what)")
                #expect(state(of: session) == old, "\(what)")
            }
            refuses(param, "an input that is gone") { try session.setPreferredInput(gone) }
            for count in [-1, 0, 3, 33] {
                refuses(param, "\(count) inputs") { try session.setPreferredInputNumberOfChannels(count) }
                refuses(param, "\(count) outputs") { try session.setPreferredOutputNumberOfChannels(count) }
            }
            let missing = Int(AVAudioSession.ErrorCode.resourceNotAvailable.rawValue)
            for gain in [0, 0.5, 1, .nan] as [Float] {
                refuses(missing, "gain \(gain)") { try session.setInputGain(gain) }
            }
            refuses(param, "a rate") { try session.setPreferredSampleRate(-1) }
            refuses(param, "a buffer") { try session.setPreferredIOBufferDuration(-1) }
            #expect(state(of: session) == before && player.isPlaying)
            for other in [AVAudioSession.Category.playback, .ambient, .soloAmbient, .multiRoute, .record] {
                try session.setCategory(other)
                refuses(param, "the speaker in \(other.rawValue)") { try session.overrideOutputAudioPort(.speaker) }
                let hall = AVAudioSessionPortDescription(portType: .virtual, portName: "Hall", uid: "hall.monitor")
                guard other != .multiRoute else { continue }
                if other == .record {
                    refuses(category, "outputs") { try session.setPreferredOutputNumberOfChannels(1) }
                } else {
                    refuses(category, "an input") { try session.setPreferredInput(hall) }
                    refuses(category, "inputs") { try session.setPreferredInputNumberOfChannels(1) }
                }
            }
            player.stop()
        }
    }
}
