import AVFAudio
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("A recording in time", .limited)
struct RecorderTimeTests {
    /// Records what a program plays whose every frame says which one it is.
    private func withCounter(
        _ kind: HeadlessServer.Kind, seconds: Double,
        _ body: (HeadlessServer, (String) throws -> AVAudioRecorder, Double) async throws -> Void
    ) async throws {
        let sink = kind.usualSink
        try await withServer(kind, sinks: [sink]) { server in
            let session = try await server.recordingSession()
            let counter = try TestSignal.counter(seconds: seconds, sampleRate: sink.rate)
                .writeWAV(to: server.file("counter.wav"))
            let monitor = try await MonitorRecording.start(on: server, sink: sink)
            let foreign = try await ForeignStream.start(on: server, playing: .file(counter))
            try await monitor.waitForSound()
            let settings: [String: Any] = [AVSampleRateKey: sink.rate, AVNumberOfChannelsKey: 2]
            try await body(
                server, { try AVAudioRecorder(url: server.file($0), settings: settings, session: session) },
                Double(sink.rate))
            try await foreign.kill()
        }
    }

    @Test(
        "S119: the duration of what records already is that of the whole recording, to the frame",
        arguments: HeadlessServer.Kind.allCases)
    func durationOfRunning(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let recorders = try (0..<4).map {
                try AVAudioRecorder(url: server.file("\($0).wav"), settings: stereoSettings, session: session)
            }
            // Each is somewhere else between two deliveries when it is asked.
            for recorder in recorders {
                #expect(recorder.record())
                try await recorder.wait(untilTime: 0.1)
            }
            try await recorders[3].wait(untilTime: 1)
            for recorder in recorders { #expect(recorder.record(forDuration: 4) && recorder.isRecording) }
            try await waitUntil("the ends") { recorders.allSatisfy { !$0.isRecording } }
            for recorder in recorders {
                recorder.stop()
                #expect(try DecodedFile(recorder.url).frames == 176_400)
            }
        }
    }

    @Test(
        "S119: record(forDuration:) of no time at all ends what records already with what is heard now",
        arguments: HeadlessServer.Kind.allCases)
    func noMoreOfRunning(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let recorders = try (0..<4).map {
                try AVAudioRecorder(url: server.file("\($0).wav"), settings: stereoSettings, session: session)
            }
            // Each is somewhere else between two deliveries when it is asked.
            for recorder in recorders {
                #expect(recorder.record())
                try await recorder.wait(untilTime: 0.1)
            }
            try await recorders[3].wait(untilTime: 1.5)
            for recorder in recorders {
                let time = recorder.currentTime
                #expect(recorder.record(forDuration: 0))
                #expect(!recorder.isRecording)
                let seconds = try DecodedFile(recorder.url).seconds
                #expect(seconds > time - 0.001 && seconds < time + 0.3, "\(seconds), asked at \(time)")
            }
        }
    }

    @Test(
        "S120: record(atTime:) starts on the frame of that time to a millisecond, with forDuration: to the frame",
        .judges(.time(seconds: 0.005)), arguments: HeadlessServer.Kind.allCases)
    func atTime(kind: HeadlessServer.Kind) async throws {
        try await withCounter(kind, seconds: 12) { _, recorder, rate in
            let recorders = try ["a.wav", "b.caf", "c.aiff"].map(recorder)
            let start = recorders[0].deviceCurrentTime + 2.3
            let times = [start, start + 0.437, start + 1.0001]
            for (recorder, time) in zip(recorders, times) {
                #expect(recorder.record(atTime: time, forDuration: 0.5))
                #expect(recorder.isRecording)
                #expect(recorder.currentTime == 0)
            }
            let plain = try recorder("plain.wav")
            let plainStart = plain.deviceCurrentTime
            #expect(plain.record())
            try await waitUntil("the end") { recorders.allSatisfy { !$0.isRecording } }
            let end = plain.deviceCurrentTime
            #expect(end >= start + 1.5)
            plain.stop()
            let positions = try (recorders + [plain]).map { recorder in
                recorder.stop()
                return try DecodedFile(recorder.url).recording.counterPositions()
            }
            let tolerance = 0.001
            for (index, time) in times.enumerated() {
                #expect(positions[index].count == Int(rate / 2))
                #expect(zip(positions[index], positions[index].dropFirst()).allSatisfy { $1 == $0 + 1 })
                let distance = Double(positions[index][0] - positions[0][0]) / rate
                #expect(abs(distance - (time - start)) < tolerance, "\(index): \(distance) s after the first")
            }
            // By the clock too, as far as that of another recording is known.
            let first = positions[3].firstIndex(of: positions[0][0])
            let heard = try Double(#require(first)) / rate
            #expect(heard <= start - plainStart + 0.005)
            #expect(heard > start - plainStart - 0.3)
        }
    }

    @Test(
        "A far time given right after a pause lets go of the microphone; the recording begins in time all the same",
        arguments: HeadlessServer.Kind.allCases)
    func farAfterPause(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.3)
            recorder.pause()
            let paused = recorder.currentTime
            // The input is opened ten seconds before, and two are left to see that it is not open.
            let start = recorder.deviceCurrentTime + 12
            #expect(recorder.record(atTime: start, forDuration: 0.5))
            #expect(recorder.isRecording)
            let pactl = Pactl(server)
            try await waitUntil("the microphone to be let go") {
                try await pactl.sourceOutputs().map(\.isCorked) == [true]
            }
            #expect(recorder.isRecording && recorder.currentTime == paused)
            try await waitUntil("the end", timeout: .seconds(30)) { !recorder.isRecording }
            #expect(recorder.deviceCurrentTime >= start + 0.5 - paused)
            recorder.stop()
            // What was recorded before the pause counts.
            #expect(try DecodedFile(recorder.url).frames == 22_050)
        }
    }

    @Test(
        "S118, S121: ten pauses: no gap, no repeat, at the joints exactly the frames heard while it recorded",
        .judges(.gap(frames: 1024)), arguments: HeadlessServer.Kind.allCases)
    func tenPauses(kind: HeadlessServer.Kind) async throws {
        try await withCounter(kind, seconds: 18) { _, recorder, rate in
            let reference = try recorder("reference.wav")
            let origin = reference.deviceCurrentTime + 2.2
            #expect(reference.record(atTime: origin))
            try await reference.wait(untilTime: 0.3)
            let subject = try recorder("subject.wav")
            var spans: [(start: Double, end: Double, paused: Double)] = []
            for round in 0...10 {
                let start = subject.deviceCurrentTime
                #expect(subject.record())
                let time = subject.currentTime + 0.1 + 0.017 * Double(round % 4)
                try await subject.wait(untilTime: time)
                let end = subject.deviceCurrentTime
                subject.pause()
                spans.append((start, end, subject.currentTime))
                // The shortest pause is none.
                let goal = end + 0.03 * Double(round % 5)
                try await waitUntil("the end of the pause") { subject.deviceCurrentTime >= goal }
                #expect(subject.currentTime == spans[round].paused)
            }
            subject.stop()
            reference.stop()
            let first = try DecodedFile(reference.url).recording.counterPositions(0..<1)[0]
            let positions = try DecodedFile(subject.url).recording.counterPositions()
            #expect(positions.count == Int((spans[10].paused * rate).rounded()))
            // PipeWire's first cycle of a new stream, 1024 frames, is empty.
            let empty = positions.prefix { $0 == 0 }.count
            #expect(empty <= (kind == .pipeWire ? 1024 : 0))
            let joints = positions.indices.dropFirst(empty + 1).filter { positions[$0] != positions[$0 - 1] + 1 }
            // Where a pause was too short for the server to notice, sound goes on without a joint.
            #expect(joints.count <= 10)
            #expect(joints.allSatisfy { positions[$0] > positions[$0 - 1] }, "frames were repeated")
            let tolerance = 0.012
            for (round, span) in spans.enumerated() {
                let from = round == 0 ? empty : Int((spans[round - 1].paused * rate).rounded())
                let to = Int((span.paused * rate).rounded())
                let part = positions[from..<to]
                #expect(zip(part, part.dropFirst()).allSatisfy { $1 == $0 + 1 }, "round \(round) has a hole")
                let heardFrom = origin + Double(part[from] - first) / rate
                let heardTo = origin + Double(part[to - 1] + 1 - first) / rate
                #expect(heardFrom > span.start - tolerance && heardFrom < span.start + 0.25, "round \(round)")
                #expect(abs(heardTo - span.end) < tolerance, "round \(round) ends \(heardTo - span.end) s off")
            }
        }
    }
}
