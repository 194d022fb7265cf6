import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Long recordings: some seconds as a rule; with `AVFAUDIO_SOAK`, as `make soak` sets it, an hour at forty times its
/// speed on PulseAudio and ten minutes on PipeWire.
@Suite("Long recordings", .serialized, .limited)
struct RecorderEnduranceTests {
    private static let isSoak = ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"] != nil
    private static let rate = 48_000
    /// What is recorded, over and over: its length is prime, so that nothing can be missing unnoticed but all of it.
    private static let samples = TestSignal.noise(seconds: 2, sampleRate: rate).samples.prefix(2 * 65_521)
    private static let pattern = TestSignal(samples: Array(samples), sampleRate: rate).rawData

    // Each in a process of its own, where nothing else takes memory; a body that runs there cannot take arguments.

    @Test(
        "An hour (in CI two minutes) at forty times its speed: every frame, and no more memory: PulseAudio",
        .oneSlot)
    func fast() async {
        await #expect(processExitsWith: .success) { try await RecorderEnduranceTests().hour() }
    }

    @Test(
        "Ten minutes (in CI six seconds) of another program's sound: in time, and no more memory: PipeWire",
        .oneSlot)
    func slow() async {
        await #expect(processExitsWith: .success) { try await RecorderEnduranceTests().tenMinutes() }
    }

    private func hour() async throws {
        let seconds = Self.isSoak ? 3_600 : 120
        try await withServer(.pulseAudio) { server in
            let pipe = server.file("pipe").path
            let pactl = Pactl(server)
            try await pactl.run(
                "load-module", "module-pipe-source", "file=\(pipe)", "source_name=pipe", "format=s16le",
                "rate=\(Self.rate)", "channels=2")
            try await pactl.setDefault(source: "pipe")
            let recorder = try await recorder(on: server)
            #expect(recorder.record(forDuration: Double(seconds)))
            let feeder = try Feeder(pipe, of: Self.pattern, bytesPerSecond: 40 * 4 * Self.rate)
            defer { feeder.stop() }
            try await follow(recorder, seconds: seconds, timeout: .seconds(seconds / 10 + 60))
            let heard = try Pieces(recorder.url, of: Self.pattern)
            #expect(heard.frames == seconds * Self.rate)
            #expect(heard.count == 1, "the sound is torn into \(heard.count) pieces")
        }
    }

    private func tenMinutes() async throws {
        let seconds = Self.isSoak ? 600 : 6
        try await withServer(.pipeWire, sinks: [.init(rate: Self.rate)]) { server in
            let recorder = try await recorder(on: server)
            let periods = (seconds + 10) * Self.rate / 65_521 + 1
            let long = TestSignal(samples: (0..<periods).flatMap { _ in Self.samples }, sampleRate: Self.rate)
            let wave = try long.writeWAV(to: server.file("long.wav"))
            let foreign = try await ForeignStream.start(on: server, playing: .file(wave))
            #expect(recorder.record(forDuration: Double(seconds)))
            try await follow(recorder, seconds: seconds, timeout: .seconds(seconds + 60))
            try await foreign.kill()
            let heard = try Pieces(recorder.url, of: Self.pattern)
            #expect(heard.frames == seconds * Self.rate)
            // A young PipeWire loses a cycle now and then, whoever records.
            #expect(heard.count < 2 + seconds / 10, "the sound is torn into \(heard.count) pieces")
        }
    }

    private func recorder(on server: HeadlessServer) async throws -> AVAudioRecorder {
        let session = try await server.recordingSession(.record)
        let settings: [String: Any] = [AVSampleRateKey: Self.rate, AVNumberOfChannelsKey: 2]
        return try AVAudioRecorder(url: server.file("long-take.wav"), settings: settings, session: session)
    }

    /// Waits for the end; memory is to be that of the beginning.
    private func follow(_ recorder: AVAudioRecorder, seconds: Int, timeout: Duration) async throws {
        try await waitUntil("the first tenth", timeout: timeout) { recorder.currentTime > Double(seconds) / 10 }
        let before = try anonymousMemory()
        try await waitUntil("the end", timeout: timeout) { !recorder.isRecording }
        let after = try anonymousMemory()
        recorder.stop()
        #expect(Sanitizer.isPresent || after - before < 2 << 20, "from \(before >> 10) to \(after >> 10) KiB")
    }
}

/// Writes a pattern into a pipe, at an even pace, on a thread of its own.
private final class Feeder: Sendable {
    private let end = Flag()

    init(_ path: String, of pattern: Data, bytesPerSecond: Int) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0, "\(path): \(String(cString: strerror(errno)))")
        // A reader that is gone ends the thread, not the process.
        signal(SIGPIPE, SIG_IGN)
        Thread.detachNewThread { [end] in
            // By nobody else: the number may be another file's afterwards.
            defer { close(descriptor) }
            let begin = ContinuousClock.now
            var sent = 0
            while !end.isSet {
                // A clock, not a wait for something: a source has a pace of its own.
                let due = begin + .seconds(Double(sent) / Double(bytesPerSecond))
                let early = due - ContinuousClock.now
                if early > .zero { usleep(UInt32(early / .microseconds(1))) }
                let start = sent % pattern.count
                let piece = pattern[start..<min(start + bytesPerSecond / 100, pattern.count)]
                let count = piece.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    /// Ends the pipe, within a hundredth of a second.
    func stop() { end.set() }
}

/// How a WAV file's sound follows a pattern that is repeated: without a break it is one piece.
private struct Pieces {
    private(set) var count = 0
    private(set) var frames = 0

    init(_ url: URL, of pattern: Data) throws {
        let file = try Data(contentsOf: url, options: .alwaysMapped)
        let header = try #require(file.prefix(1 << 16).firstRange(of: Data("data".utf8)))
        let sound = file[(header.upperBound + 4)...]
        frames = sound.count / 4
        var position = sound.startIndex
        while position + 64 <= sound.endIndex {
            // The first sixteen frames say where in the pattern they are.
            guard let place = Self.place(of: sound[position..<position + 64], in: pattern) else {
                position += 4
                continue
            }
            count += 1
            position += Self.match(sound[position...], pattern, from: place)
        }
    }

    /// Where some bytes are in the pattern, at the beginning of a frame; nil for silence too.
    private static func place(of bytes: Data, in pattern: Data) -> Int? {
        guard bytes.contains(where: { $0 != 0 }), let place = pattern.firstRange(of: bytes)?.lowerBound else {
            return nil
        }
        return place % 4 == 0 ? place : nil
    }

    /// How many bytes are as in the pattern, from there on.
    private static func match(_ sound: Data, _ pattern: Data, from place: Int) -> Int {
        var matched = 0
        var place = place
        while matched < sound.count {
            let length = min(pattern.count - place, sound.count - matched)
            let start = sound.startIndex + matched
            let piece = sound[start..<start + length]
            guard piece == pattern[place..<place + length] else {
                return matched + zip(piece, pattern[place..<place + length]).prefix { $0 == $1 }.count & ~3
            }
            matched += length
            place = 0
        }
        return matched
    }
}
