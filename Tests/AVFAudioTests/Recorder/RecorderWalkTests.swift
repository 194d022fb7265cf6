import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What `RecorderStateTests` and `RecorderFileStateTests` judge on the scripted host, once on each server.
@Suite("A recorder's states on a server", .limited)
struct RecorderWalkTests {
    @Test(
        "S116, S117, S118, S120, S121, S122, S123, S124, S126, S127, S128, S131: one recorder from making to deletion",
        arguments: HeadlessServer.Kind.allCases)
    func states(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession(.playback)
            let file = server.file("a.wav")
            let events = RecorderEvents()
            let recorder = try AVAudioRecorder(
                url: file, settings: [AVNumberOfChannelsKey: NSNumber(value: 2)], session: session)
            recorder.delegate = events
            #expect(!recorder.record() && !recorder.prepareToRecord() && !recorder.record(forDuration: 1))
            #expect(!recorder.isRecording && !FileManager.default.fileExists(atPath: file.path))
            try session.setCategory(.playAndRecord)
            #expect(recorder.currentTime == 0 && !recorder.deleteRecording())
            #expect(recorder.settings[AVSampleRateKey] == nil)
            try Data(repeating: 1, count: 1_000_000).write(to: file)
            #expect(recorder.prepareToRecord() && recorder.prepareToRecord() && !recorder.isRecording)
            #expect(try Data(contentsOf: file).count < 200)
            #expect(recorder.settings[AVSampleRateKey] as? Double == 44_100)
            #expect(recorder.settings[AVLinearPCMBitDepthKey] as? Int == 16 && recorder.format.channelCount == 2)
            for refused in [recorder.record(atTime: .nan), recorder.record(atTime: 0, forDuration: .nan)] {
                #expect(!refused && !recorder.isRecording)
            }
            try await recordPauseAndStop(recorder, session)
            try await waitUntil("the end") { events.finished == [true] }
            #expect(recorder.record(forDuration: 0))
            try await waitUntil("the empty take's end") { events.finished == [true, true] }
            #expect(try DecodedFile(file).frames == 0)
            #expect(recorder.record(forDuration: 0.1))
            try await waitUntil("the short take's end") { events.finished == [true, true, true] }
            #expect(try DecodedFile(file).frames == 4_410)
            #expect(recorder.deleteRecording() && !FileManager.default.fileExists(atPath: file.path))
            #expect(!recorder.deleteRecording() && events.errors == [] && events.interruptions == [])
            let nothing = try AVAudioRecorder(
                url: URL(fileURLWithPath: "/dev/null"), settings: [AVFormatIDKey: kAudioFormatFLAC], session: session)
            #expect(nothing.record(forDuration: 0.05))
            try await waitUntil("the end of nothing") { !nothing.isRecording }
        }
    }

    private func recordPauseAndStop(_ recorder: AVAudioRecorder, _ session: AVAudioSession) async throws {
        #expect(recorder.record(atTime: recorder.deviceCurrentTime + 1_000) && recorder.isRecording)
        recorder.pause()
        #expect(!recorder.isRecording && recorder.currentTime == 0)
        #expect(recorder.record(forDuration: .infinity))
        try await recorder.wait(untilTime: 0.2)
        #expect(!recorder.deleteRecording())
        recorder.pause()
        #expect(!recorder.isRecording && !recorder.deleteRecording())
        let paused = recorder.currentTime
        #expect(recorder.record())
        try await recorder.wait(untilTime: paused + 0.1)
        // A deactivation pauses it, and it activates again.
        let error = #expect(throws: NSError.self) { try session.setActive(false) }
        #expect(error?.code == AVAudioSession.ErrorCode.isBusy.rawValue && !recorder.isRecording)
        let stood = recorder.currentTime
        #expect(stood >= paused + 0.1 && recorder.record() && recorder.isRecording)
        try await recorder.wait(untilTime: stood + 0.1)
        recorder.stop()
        recorder.stop()
        #expect(recorder.currentTime == 0)
        try expectTrueHeader(of: recorder.url)
        #expect(try DecodedFile(recorder.url).seconds >= stood + 0.1)
    }

    @Test("Of two recorders of one file that which records keeps it, and one that is only prepared lets go of it")
    func rivals() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let (events, others) = (RecorderEvents(), RecorderEvents())
            let (first, second) = try (
                AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session),
                AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            )
            (first.delegate, second.delegate) = (events, others)
            #expect(second.prepareToRecord() && first.record())
            try await first.wait(untilTime: 0.2)
            #expect(!second.prepareToRecord() && !second.record() && !second.isRecording)
            try await waitUntil("the reasons") { others.errors.count == 2 }
            let reason = try #require(others.errors.first?.localizedDescription)
            #expect(reason.contains("is being recorded into by another recorder"), "\(reason)")
            try await first.wait(untilTime: 0.3)
            first.stop()
            try await events.waitForFinish()
            #expect(events.finished == [true] && events.errors.isEmpty && others.finished == [])
            #expect(try DecodedFile(first.url).seconds >= 0.3)
            #expect(second.record(), "the take has ended")
            second.stop()
        }
    }
}
