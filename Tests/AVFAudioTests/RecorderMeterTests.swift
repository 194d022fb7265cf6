import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("The recorder's meters", .timeLimit(.minutes(60)))
struct RecorderMeterTests {
    @Test(
        "S129: off at first, −160 then; a tone's peak and average to half a decibel",
        arguments: ["a.wav", "b.wav", "c.flac"])
    func tone(name: String) async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let extra: [String: Any] = name == "b.wav" ? [AVLinearPCMIsFloatKey: true] : [AVEncoderBitDepthHintKey: 24]
            let settings = stereoSettings.merging(extra) { $1 }
            let recorder = try AVAudioRecorder(url: server.file(name), settings: settings, session: session)
            #expect(!recorder.isMeteringEnabled)
            let monitor = try await MonitorRecording.start(on: server)
            let tone = try await server.tone(1_000)
            try await monitor.waitForSound()
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.3)
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) == -160)
            #expect(recorder.averagePower(forChannel: 0) == -160)
            recorder.isMeteringEnabled = true
            recorder.updateMeters()
            try await recorder.wait(untilTime: 1)
            recorder.updateMeters()
            for channel in 0...1 {
                #expect(abs(recorder.peakPower(forChannel: channel) + 12) < 0.5)
                #expect(abs(recorder.averagePower(forChannel: channel) + 15.01) < 0.5)
            }
            #expect(recorder.peakPower(forChannel: 2) == -160)
            #expect(recorder.averagePower(forChannel: -1) == -160)
            recorder.pause()
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) == -160)
            #expect(recorder.record())
            try await tone.stop()
            try await monitor.waitForSilence(duration: 0.2)
            try await recorder.wait(untilTime: recorder.currentTime + 0.3)
            recorder.updateMeters()
            try await recorder.wait(untilTime: recorder.currentTime + 0.3)
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) == -160)
            recorder.isMeteringEnabled = false
            recorder.stop()
        }
    }

    @Test(
        "Sound is handed over more often while it is metered, from the moment on at which that is asked for",
        arguments: HeadlessServer.Kind.allCases)
    func pace(kind: HeadlessServer.Kind) async throws {
        // Without `norewinds`, which keeps PulseAudio's sink to 50 ms at most.
        try await withServer(kind, sinks: [], modules: ["module-null-sink sink_name=calm"]) { server in
            let session = try await server.recordingSession()
            let recorder = try AVAudioRecorder(
                url: server.file("pace.wav"), settings: stereoSettings, session: session)
            /// The usual step of the time, which grows with each delivery.
            func step() async throws -> Double {
                var times = [recorder.currentTime]
                try await waitUntil("twenty deliveries") {
                    let time = recorder.currentTime
                    if time > times[times.count - 1] { times.append(time) }
                    return times.count > 20
                }
                return zip(times.dropFirst(), times).map { $0 - $1 }.sorted()[10]
            }
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.3)
            let usual = try await step()
            recorder.isMeteringEnabled = true
            let metered = try await step()
            recorder.isMeteringEnabled = false
            let again = try await step()
            recorder.stop()
            #expect(metered < 0.06 && usual > 0.08 && again > 0.08, "\(usual), \(metered), \(again) s")
        }
    }
}
