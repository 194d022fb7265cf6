import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A recording into which nothing comes from the beginning", .limited)
struct RecorderDeadInputTests {
    private func recorder(
        on server: HeadlessServer, in session: AVAudioSession
    ) throws -> (AVAudioRecorder, RecorderEvents) {
        let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
        let events = RecorderEvents()
        recorder.delegate = events
        return (recorder, events)
    }

    /// PipeWire's own source of that kind gives silence as long as nobody writes.
    @Test("An input that never gives a frame: told once, silence stands for it, and what has a duration ends")
    func neverAlive() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let arguments = ["source_name=pipe", "file=\(server.file("pipe").path)"]
            _ = try await Pactl(server).loadModule("module-pipe-source", arguments)
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "pipe" })
            let (recorder, events) = try recorder(on: server, in: session)
            #expect(recorder.record(forDuration: 1))
            try await events.waitForFinish()
            #expect(events.finished == [true] && events.errors.isEmpty)
            #expect(events.inputChanges == [.lost])
            #expect(try DecodedFile(recorder.url).frames == 44_100)
        }
    }

    /// What is stopped only when silence stands for the input has frames, on a machine that is too slow for less.
    @Test("An input that is stopped before it gave a frame, or is put to sleep by then: no success without a frame")
    func fruitless() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let pactl = Pactl(server)
            let arguments = ["source_name=pipe", "file=\(server.file("pipe").path)"]
            _ = try await pactl.loadModule("module-pipe-source", arguments)
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "pipe" })
            for isSuspended in [false, true] {
                let (recorder, events) = try recorder(on: server, in: session)
                #expect(recorder.record())
                let start = recorder.deviceCurrentTime
                if isSuspended {
                    try await pactl.run("suspend-source", "pipe", "1")
                    // The session is interrupted by it.
                    try await waitUntil("the interruption", timeout: hangLimit) { !recorder.isRecording }
                } else {
                    try await waitUntil("a second", timeout: hangLimit) { recorder.deviceCurrentTime > start + 1.2 }
                }
                recorder.stop()
                try await events.waitForFinish()
                let isThere = try DecodedFile(recorder.url).frames > 0
                #expect(events.finished == [isThere])
                let codes = isThere ? [] : [AVAudioSession.ErrorCode.cannotStartRecording.rawValue]
                #expect(events.errors.map(\.code) == codes)
            }
        }
    }

    @Test(
        "A server that hangs before the first frame: what is stopped then is as long as it lasted",
        arguments: HeadlessServer.Kind.allCases)
    func hangsAtFirst(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let (recorder, events) = try await recorder(on: server, in: server.recordingSession())
            #expect(recorder.prepareToRecord())
            server.suspendProcess()
            defer { server.resumeProcess() }
            let early = recorder.deviceCurrentTime
            #expect(recorder.record())
            let late = recorder.deviceCurrentTime
            try await waitUntil("the news") { events.inputChanges == [.lost] }
            let end = recorder.deviceCurrentTime
            recorder.stop()
            let seconds = try DecodedFile(recorder.url).seconds
            #expect((end - late - 0.05...end - early + 0.05).contains(seconds), "\(seconds) of \(end - late) s")
        }
    }

    @Test(
        "A server that hangs while a paused recording goes on: told, silence stands for it, and what comes is in time",
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func hangsAtResumption(kind: HeadlessServer.Kind, returns: Bool) async throws {
        try await withServer(kind) { server in
            let (recorder, events) = try await recorder(on: server, in: server.recordingSession())
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.3)
            let restored = { () -> Double? in
                for case .restored(let silence) in events.inputChanges { return silence }
                return nil
            }
            server.suspendProcess()
            defer { server.resumeProcess() }
            recorder.pause()
            let paused = recorder.currentTime
            // A time far ahead lets the microphone go at once, or would.
            #expect(recorder.record(atTime: recorder.deviceCurrentTime + 100))
            recorder.pause()
            let early = recorder.deviceCurrentTime
            #expect(recorder.record())
            let late = recorder.deviceCurrentTime
            try await waitUntil("the news") { events.inputChanges == [.lost] }
            if returns {
                server.resumeProcess()
                // Both servers catch up with some of the time that they missed; the rest is silence.
                try await waitUntil("the return") { restored() != nil }
                try await recorder.wait(untilTime: recorder.currentTime + 0.3)
            }
            let end = recorder.deviceCurrentTime
            recorder.stop()
            let seconds = try DecodedFile(recorder.url).seconds - paused
            #expect((end - late - 0.05...end - early + 0.05).contains(seconds), "\(seconds) of \(end - late) s")
            #expect(returns ? restored().map((0...seconds).contains) == true : events.inputChanges == [.lost])
        }
    }
}
