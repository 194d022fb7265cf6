import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("The recorder's meters", .limited)
struct RecorderMeterTests {
    @Test(
        "S129: off at first, −160 then; a tone's peak and average to half a decibel",
        arguments: ["c.flac"])
    func tone(name: String) async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let settings = stereoSettings.merging([AVEncoderBitDepthHintKey: 24]) { $1 }
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
        "Levels that are watched for a while in the middle of a take tear nothing", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func watchedForAWhile(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [kind.usualSink]) { server in
            let session = try await server.recordingSession()
            let settings: [String: Any] = [AVSampleRateKey: kind.usualSink.rate, AVNumberOfChannelsKey: 2]
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: settings, session: session)
            let monitor = try await MonitorRecording.start(on: server)
            let tone = try await server.tone(1_000)
            try await monitor.waitForSound()
            #expect(recorder.record())
            for _ in 0..<2 {
                try await recorder.wait(untilTime: recorder.currentTime + 0.7)
                recorder.isMeteringEnabled = true
                try await recorder.wait(untilTime: recorder.currentTime + 0.7)
                recorder.isMeteringEnabled = false
            }
            recorder.stop()
            let sound = try DecodedFile(recorder.url).recording
            // PipeWire's first buffer for a stream that joins others may be torn.
            #expect(sound.discontinuities(frequency: 1_000, in: 4_410..<sound.frames - 441) == [])
            try await tone.stop()
        }
    }

    @Test(
        "The time goes on between deliveries, and a stop keeps it", .judges(.time(seconds: 0.025)),
        arguments: HeadlessServer.Kind.allCases)
    func time(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let recorder = try AVAudioRecorder(
                url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 1)
            var times = [recorder.currentTime]
            try await waitUntil("another second") {
                let time = recorder.currentTime
                #expect(time >= times[times.count - 1])
                if time > times[times.count - 1] { times.append(time) }
                return time >= times[0] + 1
            }
            #expect(times.count > 40)
            recorder.pause()
            let time = recorder.currentTime
            #expect(time >= times[times.count - 1] - 0.01)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).seconds == time)
        }
    }
}
