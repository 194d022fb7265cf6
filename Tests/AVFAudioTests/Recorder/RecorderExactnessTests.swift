import AVFAudio
import AudioFiles
import Glibc
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("What the source gives arrives in the file", .limited)
struct RecorderExactnessTests {
    /// A file's name and the settings that make it.
    private static func targets(rate: Int) -> [(name: String, settings: [String: Any])] {
        let common: [String: Any] = [AVSampleRateKey: rate, AVNumberOfChannelsKey: 2]
        func pcm(_ bits: Int, float: Bool = false) -> [String: Any] {
            common.merging([
                AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: bits, AVLinearPCMIsFloatKey: float,
            ]) { $1 }
        }
        return [
            ("16.wav", pcm(16)), ("16.aiff", pcm(16)), ("16.caf", pcm(16)), ("24.wav", pcm(24)), ("32.caf", pcm(32)),
            ("float.wav", pcm(32, float: true)), ("float.aifc", pcm(32, float: true)),
            ("16.flac", common.merging([AVFormatIDKey: kAudioFormatFLAC]) { $1 }),
        ]
    }

    @Test(
        "Bit for bit, into every format, by eight recorders at once", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func bitExact(kind: HeadlessServer.Kind) async throws {
        let sink = kind.usualSink
        try await withServer(kind, sinks: [sink]) { server in
            let session = try await server.recordingSession()
            let recorders = try Self.targets(rate: sink.rate).map {
                try AVAudioRecorder(url: server.file($0.name), settings: $0.settings, session: session)
            }
            for recorder in recorders { try #require(recorder.record(), "\(recorder.url.lastPathComponent)") }
            try await waitUntil("all to record") { recorders.allSatisfy { $0.currentTime > 0.1 } }
            let signal = TestSignal.noise(seconds: 1.5, sampleRate: sink.rate)
            let noise = try signal.writeWAV(to: server.file("noise.wav"))
            let foreign = try await ForeignStream.start(on: server, playing: .file(noise))
            try await foreign.process.wait()
            let times = recorders.map { $0.currentTime + 0.3 }
            for (recorder, time) in zip(recorders, times) { try await recorder.wait(untilTime: time) }
            for recorder in recorders { recorder.stop() }
            for recorder in recorders {
                let heard = try DecodedFile(recorder.url).recording
                let name = recorder.url.lastPathComponent
                try #require(!heard.pcm16.isEmpty, "\(name) holds other than 16-bit samples")
                #expect(heard.firstFrame(of: signal.samples) != nil, "\(name) does not hold the noise")
            }
        }
    }

    @Test(
        "Of many recorders none waits for the others, and none leaves a client behind",
        arguments: HeadlessServer.Kind.allCases)
    func even(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            func clients() async throws -> Int {
                try await Pactl(server).clients().filter {
                    $0.processID == getpid() && $0.properties[ServerView.mark] == nil
                }.count
            }
            var recorders = try (0..<8).map {
                try AVAudioRecorder(url: server.file("\($0).wav"), settings: stereoSettings, session: session)
            }
            for recorder in recorders { try #require(recorder.record()) }
            try await waitUntil("all to record") { recorders.allSatisfy { $0.currentTime > 0.1 } }
            let begun = recorders.map(\.currentTime)
            var furthestBehind = 0.0
            try await waitUntil("two seconds more") {
                let elapsed = zip(recorders, begun).map { $0.currentTime - $1 }
                furthestBehind = max(furthestBehind, (elapsed.max() ?? 0) - (elapsed.min() ?? 0))
                return elapsed.allSatisfy { $0 > 2 }
            }
            #expect(furthestBehind < 0.4, "a recorder was \(furthestBehind) s behind the others")
            // What is beside the session's own connection says whose it is.
            let owners = try await Pactl(server).sourceOutputs().compactMap { $0.properties["avaudiosession.owner"] }
            #expect(owners.count == (kind == .pipeWire ? 7 : 0) && Set(owners).count <= 1)
            for recorder in recorders { recorder.stop() }
            recorders = []
            try await waitUntil("the recorders' clients to go") { try await clients() == 1 }
        }
    }

    @Test("Of recorders that begin at the same moment, too, each but one has a connection of its own on PipeWire")
    func atTheSameMoment() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            try session.setActive(true)
            let recorders = try (0..<4).map {
                try AVAudioRecorder(url: server.file("\($0).wav"), settings: stereoSettings, session: session)
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for recorder in recorders { group.addTask { try await offPool { recorder.prepareToRecord() } } }
                for try await isPrepared in group { #expect(isPrepared) }
            }
            let owners = try await Pactl(server).sourceOutputs().map { $0.properties["avaudiosession.owner"] }
            #expect(owners.count == 4 && owners.filter { $0 == nil }.count == 1)
            withExtendedLifetime(recorders) {}
        }
    }

    @Test("Beside another one, on a PipeWire server that takes no more connections, a recorder records all the same")
    func fullServer() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            let recorders = try (0..<2).map {
                try AVAudioRecorder(url: server.file("\($0).wav"), settings: stereoSettings, session: session)
            }
            #expect(recorders[0].record())
            try await waitUntil("the first") { recorders[0].currentTime > 0.1 }
            let loop = try Mainloop()
            var crowd: [PulseConnection] = []
            while crowd.count < 80 {
                let one = PulseConnection(name: "crowd", mainloop: loop)
                do { try await one.connect(to: server.address, timeout: .seconds(5)) } catch { break }
                crowd.append(one)
            }
            #expect(crowd.count < 64)
            #expect(recorders[1].record())
            try await waitUntil("both") { recorders.allSatisfy { $0.currentTime > 0.5 } }
            for recorder in recorders { recorder.stop() }
            for one in crowd { await one.close() }
        }
    }

    @Test("A source of another rate and with one channel is converted by the server, in time and level")
    func converted() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let settings: [String: Any] = [AVSampleRateKey: 16_000, AVNumberOfChannelsKey: 1]
            let recorder = try AVAudioRecorder(url: server.file("mono.wav"), settings: settings, session: session)
            let tone = try await server.tone(1_000)
            #expect(recorder.record(forDuration: 1))
            try await waitUntil("the end") { !recorder.isRecording }
            recorder.stop()
            let file = try DecodedFile(recorder.url)
            #expect(file.frames == 16_000)
            #expect(file.format.channels == 1)
            let sound = file.recording
            #expect(abs((sound.frequency(8_000..<16_000) ?? 0) - 1_000) < 1)
            #expect(abs(sound.peakLevel(8_000..<16_000) + 12) < 0.2)
            try await tone.stop()
        }
    }
}
