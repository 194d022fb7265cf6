import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("A recording from beginning to end", .limited)
struct RecorderLifecycleTests {
    @Test("S119: record(forDuration:) stops by itself at the frame and tells once")
    func duration() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            for (name, seconds, frames) in [("a.wav", 0.5, 22_050), ("b.flac", 0.7317, 32_268), ("c.caf", 0.00002, 1)] {
                let events = RecorderEvents()
                let file = server.file(name)
                let recorder = try AVAudioRecorder(url: file, settings: stereoSettings, session: session)
                recorder.delegate = events
                #expect(recorder.record(forDuration: seconds))
                try await events.waitForFinish()
                #expect(!recorder.isRecording)
                #expect(try DecodedFile(file).frames == frames)
                recorder.stop()
                #expect(recorder.deleteRecording())
                #expect(events.finished == [true])
                #expect(events.errors == [])
            }
        }
    }

    @Test(
        "S118, S121: pause keeps the file open, record() appends to it without silence",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func pause(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            let events = RecorderEvents()
            recorder.delegate = events
            let monitor = try await MonitorRecording.start(on: server)
            let tone = try await server.tone(1_000)
            try await monitor.waitForSound()
            #expect(recorder.record())
            for time in [0.4, 0.8, 1.2] {
                try await recorder.wait(untilTime: time)
                recorder.pause()
                #expect(!recorder.isRecording)
                let paused = recorder.currentTime
                #expect(paused >= time && paused < time + 0.3)
                try await monitor.wait(seconds: 0.5)
                #expect(recorder.currentTime == paused)
                #expect(events.finished == [])
                #expect(recorder.record())
                #expect(recorder.isRecording)
            }
            recorder.stop()
            try await events.waitForFinish()
            let sound = try DecodedFile(recorder.url).recording
            #expect(sound.duration >= 1.2 && sound.duration < 1.9)
            let start = try #require(sound.soundRange()?.lowerBound)
            #expect(start < 11_025)
            // A cut through the tone is heard, a hole would be half a second.
            #expect(sound.gaps(in: start..<sound.frames) == [])
            #expect(sound.discontinuities(frequency: 1_000).count <= 3)
            try await tone.stop()
        }
    }

    @Test("deleteRecording removes a file and nothing else")
    func deleteFolder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("takes-\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let precious = folder.appendingPathComponent("precious.txt")
        try Data([1]).write(to: precious)
        let recorder = try AVAudioRecorder(url: folder, settings: [:], session: AVAudioSession(server: "unix:/nowhere"))
        #expect(!recorder.deleteRecording())
        #expect(FileManager.default.fileExists(atPath: precious.path))
    }

    @Test("Whoever stops a recorder and lets go of it is told that it finished")
    func letGo() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            // On the main thread, so that nothing is delivered between two of these lines.
            try await MainActor.run {
                var recorder: AVAudioRecorder? = try AVAudioRecorder(
                    url: server.file("a.wav"), settings: stereoSettings, session: session)
                recorder?.delegate = events
                #expect(recorder?.record() == true)
                recorder?.stop()
                recorder = nil
            }
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }

    @Test("D10: what was recorded up to a second ago can be played while the recording goes on")
    func readableMeanwhile() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let recorders = try ["a.wav", "a.aiff", "a.caf", "a.flac"].map {
                try AVAudioRecorder(url: server.file($0), settings: stereoSettings, session: session)
            }
            for recorder in recorders { #expect(recorder.record()) }
            for time in [1.5, 3] {
                for recorder in recorders {
                    try await recorder.wait(untilTime: time)
                    let recorded = recorder.currentTime
                    let copy = server.file("copy-" + recorder.url.lastPathComponent)
                    try? FileManager.default.removeItem(at: copy)
                    try FileManager.default.copyItem(at: recorder.url, to: copy)
                    #expect(try DecodedFile(copy).seconds > recorded - 1, "\(copy.lastPathComponent)")
                }
            }
        }
    }

    @Test("A recorder that is released closes its file")
    func released() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let file = server.file("a.flac")
            var recorder: AVAudioRecorder? = try AVAudioRecorder(url: file, settings: stereoSettings, session: session)
            weak let witness = recorder
            #expect(recorder?.record() == true)
            try await recorder?.wait(untilTime: 0.4)
            recorder = nil
            try await waitUntil("the recorder to go") { witness == nil }
            #expect(try DecodedFile(file).seconds >= 0.4)
            let pactl = Pactl(server)
            try await waitUntil("the stream to go") { try await pactl.sourceOutputs().isEmpty }
        }
    }
}
