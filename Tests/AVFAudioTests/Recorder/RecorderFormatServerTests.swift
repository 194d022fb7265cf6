import AVFAudio
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("Every container, through a real server", .limited)
struct RecorderFormatServerTests {
    private static func sink(_ kind: HeadlessServer.Kind) -> HeadlessServer.NullSink {
        HeadlessServer.NullSink(rate: 48_000, format: kind.usualSink.format)
    }

    private static func rows(rate: Int) -> [FormatRow] {
        // One of each container and codec; `RecorderFormatMatrixTests` has all of their settings.
        let lossless = [
            "a.wav", "a.rf64", "a.w64", "a.aiff", "a.aifc", "a.caf", "a.au",
        ].compactMap { name in FormatRow.linear.last { $0.name == name } }
        let lossy = FormatRow.lossy.filter { $0.name != "a.mp4" && $0.codec != "pcm_alaw" && $0.name != "a.opus" }
        return (lossless + FormatRow.coded + lossy).filter { $0.holds(rate: rate, channels: 2) }
    }

    @Test(
        "Issue 6, S130: what the source gives arrives in every format: the lossless ones bit for bit",
        .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func everyContainer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink(kind)]) { server in
            let session = try await server.recordingSession()
            let signal = TestSignal.noise(seconds: 1, sampleRate: 48_000)
            let noise = try signal.writeWAV(to: server.file("noise.wav"))
            // Some at a time, as many as a small machine carries.
            let rows = Self.rows(rate: 48_000)
            for start in stride(from: 0, to: rows.count, by: 4) {
                let part = Array(rows[start..<min(start + 4, rows.count)])
                let recorders = try part.enumerated().map { index, row in
                    try AVAudioRecorder(
                        url: server.file("\(start + index)-\(row.name)"),
                        settings: row.settings(rate: 48_000, channels: 2), session: session)
                }
                for recorder in recorders { try #require(recorder.record(), "\(recorder.url.lastPathComponent)") }
                try await waitUntil("all to record", timeout: hangLimit) {
                    recorders.allSatisfy { $0.currentTime > 0.1 }
                }
                let foreign = try await ForeignStream.start(on: server, playing: .file(noise))
                try await foreign.process.wait()
                let times = recorders.map { $0.currentTime + 0.3 }
                for (recorder, time) in zip(recorders, times) { try await recorder.wait(untilTime: time) }
                for recorder in recorders { recorder.stop() }
                for (row, recorder) in zip(part, recorders) { try check(row, recorder.url, signal) }
            }
        }
    }

    private func check(_ row: FormatRow, _ url: URL, _ signal: TestSignal) throws {
        let heard = try DecodedFile(url).recording
        if FormatRow.lossless.contains(where: { $0.codec == row.codec && $0.name == row.name }) {
            try #require(!heard.pcm16.isEmpty, "\(row) holds other than 16-bit samples")
            #expect(heard.firstFrame(of: signal.samples) != nil, "\(row) does not hold the noise")
        } else {
            let sound = try #require(heard.soundRange(threshold: -40), "\(row)")
            // White noise at full scale has −4.8 dBFS; no codec keeps all of it.
            let level = heard.rmsLevel(sound)
            #expect(abs(level + 4.8) < 3, "\(row): \(level) dBFS")
            #expect(abs(Double(sound.count) / Double(heard.sampleRate) - 1) < 0.05, "\(row): \(sound)")
        }
        if let said = try OtherPrograms.ffprobe(url.path) {
            #expect(
                said["codec_name"] == row.codec && said["sample_rate"] == "48000" && said["channels"] == "2", "\(said)")
        }
    }

    @Test(
        "Issue 6: the converter's algorithm and quality: converted here, in time, level and length",
        arguments: HeadlessServer.Kind.allCases)
    func converter(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink(kind)]) { server in
            let session = try await server.recordingSession()
            let tone = try await server.tone(1_000)
            let choices: [[String: Any]] = [
                [AVSampleRateConverterAlgorithmKey: AVSampleRateConverterAlgorithm_Mastering],
                [AVSampleRateConverterAlgorithmKey: AVSampleRateConverterAlgorithm_MinimumPhase],
                [AVSampleRateConverterAudioQualityKey: AVAudioQuality.max],
            ]
            for choice in choices {
                let settings = stereoSettings.merging(choice) { $1 }
                let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: settings, session: session)
                #expect(recorder.record(forDuration: 1))
                try await waitUntil("the end") { !recorder.isRecording }
                recorder.stop()
                let file = try DecodedFile(recorder.url)
                #expect(file.frames == 44_100, "\(choice)")
                let sound = file.recording
                #expect(abs((sound.frequency(20_000..<44_000) ?? 0) - 1_000) < 0.5, "\(choice)")
                #expect(abs(sound.peakLevel(20_000..<44_000) + 12) < 0.1, "\(choice)")
            }
            try await tone.stop()
        }
    }

    @Test(
        "D10: recorder is killed at random moments, in every container: a second at most is lost",
        arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        let isSoak = ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"] != nil
        let types = ["wav", "rf64", "w64", "aiff", "aifc", "caf", "m4a", "aac", "flac", "ogg"]
        for _ in 0..<(isSoak ? 10 : 1) {
            try await withServer(kind) { server in
                _ = try await server.recordingSession()
                let tone = try await server.tone(440)
                let programs = try types.map { type in
                    let file = server.file("a." + type)
                    let arguments = ["--json", "--option", "mixWithOthers", "--sample-rate", "48000", file.path]
                    return (file, try ChildProcess("recorder", arguments, on: server))
                }
                for (file, program) in programs {
                    let moment = Double.random(in: 1..<3)
                    let progress = try await program.event("progress") { ($0.number("position") ?? 0) >= moment }
                    program.send(SIGKILL)
                    try await program.wait()
                    let seconds = try DecodedFile(file).seconds
                    let position = progress.number("position") ?? 0
                    #expect(seconds > position - 1, "\(file.lastPathComponent): \(seconds) of \(position) s")
                    let said = try OtherPrograms.ffprobe(file.path)
                    #expect(said == nil || said?["sample_rate"] == "48000", "\(file.lastPathComponent)")
                }
                try await tone.stop()
            }
        }
    }

    @Test("Without FFmpeg, the error names the package, and there is no file")
    func withoutFFmpeg() async throws {
        try await withServer(.pulseAudio) { server in
            // An empty file in front of the library is as bad as none.
            let folder = server.file("empty")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            for number in 50..<70 { try Data().write(to: folder.appendingPathComponent("libavutil.so.\(number)")) }
            let file = server.file("a.m4a")
            let program = try ChildProcess(
                "recorder", ["--duration", "1", file.path], on: server, environment: ["LD_LIBRARY_PATH": folder.path])
            let exit = try await program.wait()
            #expect(exit.status == 73)
            // More than one package where the build knows more than one FFmpeg.
            let advice = /install (the package|one of the packages) libavutil/
            #expect(program.errorText.contains(advice), "\(program.errorText)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }
}
