import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A format, as the `ffmpeg` program makes it.
struct SeamFormat: Sendable, CustomTestStringConvertible {
    let ending: String
    let arguments: [String]
    /// What comes out is what went in.
    var isLossless = false

    var testDescription: String { ending }

    static let all: [SeamFormat] = [
        .init(ending: "wav", arguments: ["-c:a", "pcm_s16le"], isLossless: true),
        .init(ending: "flac", arguments: ["-c:a", "flac"], isLossless: true),
        .init(ending: "ogg", arguments: ["-c:a", "libvorbis", "-q:a", "6"]),
        .init(ending: "opus", arguments: ["-c:a", "libopus", "-b:a", "160k"]),
        .init(ending: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "192k"]),
        .init(ending: "m4a", arguments: ["-c:a", "aac", "-b:a", "192k"]),
        .init(ending: "alac.m4a", arguments: ["-c:a", "alac"], isLossless: true),
    ]

    static let ffmpeg = ReferenceProgram("ffmpeg")

    /// Writes the sound in this format.
    func write(_ signal: TestSignal, in folder: URL) async throws -> URL {
        let wave = try signal.writeWAV(to: folder.appendingPathComponent("\(UUID().uuidString).wav"))
        defer { try? FileManager.default.removeItem(at: wave) }
        let file = folder.appendingPathComponent("\(UUID().uuidString).\(ending)")
        let program = try ChildProcess(
            #require(Self.ffmpeg).url, ["-nostdin", "-v", "error", "-i", wave.path] + arguments + [file.path])
        let exit = try await program.wait(timeout: .seconds(30))
        #expect(exit.status == 0, "\(program.errorText)")
        return file
    }
}

/// Encoders add run-in and padding, which a player has to cut off again: to the sample, or loops stumble.
@Suite(
    "S98, S99: durations are exact and loops have no seam", .serialized, .limited,
    .enabled(if: SeamFormat.ffmpeg != nil, "needs ffmpeg"))
struct PlayerSeamTests {
    private static let rate = 48_000
    private static let frequency = 440.0

    @Test(
        "S98, S99: four rounds of a whole number of periods are one steady tone, in every format",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, SeamFormat.all)
    func rounds(kind: HeadlessServer.Kind, format: SeamFormat) async throws {
        var sink = kind.sink
        sink.rate = Self.rate
        try await withPlayerLab(kind, sink: sink) { lab in
            let signal = TestSignal.sine(
                frequency: Self.frequency, level: -12, seconds: 0.5, sampleRate: Self.rate)
            let file = try await format.write(signal, in: lab.server.directory)
            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
            player.delegate = events
            #expect(player.duration == 0.5)
            player.numberOfLoops = 3
            #expect(player.play())
            try await events.waitForFinish()
            let heard = try await lab.heard()
            let start = try #require(heard.soundRange(threshold: -50)).lowerBound - 1
            if format.isLossless {
                let wanted = signal.samples + signal.samples + signal.samples + signal.samples
                let first = try #require(heard.samples16.firstIndex { $0 != 0 }) / 2 * 2 - 2
                #expect(heard.samples16[first...].prefix(wanted.count).elementsEqual(wanted))
                return
            }
            expectSteady(heard, from: start, rounds: 4, of: signal.frames)
        }
    }

    /// The rounds are as long as they should be, all of the same phase, and none begins or ends with a hole.
    private func expectSteady(_ heard: Recording, from start: Int, rounds: Int, of frames: Int) {
        // What a codec makes of the very first and last frames is not silence to the sample.
        let end = heard.soundRange(threshold: -50)?.upperBound ?? 0
        #expect(abs(end - start - rounds * frames) < 100, "\(end - start) frames")
        // The middle half of a second fits into each round, away from the seams.
        let phases = (0..<rounds).map { round in
            phase(heard, start + round * frames + frames / 4..<start + round * frames + frames * 3 / 4, from: start)
        }
        for phase in phases.dropFirst() {
            let change = (phase - phases[0]).remainder(dividingBy: 360)
            // One frame is 3.3 degrees.
            #expect(abs(change) < 1, "\(phases)")
        }
        for round in 1..<rounds {
            let seam = start + round * frames
            for piece in stride(from: seam - 480, to: seam + 480, by: 240) {
                let level = heard.rmsLevel(piece..<piece + 240)
                #expect(abs(level - -15.01) < 1.5, "\(level) dB at \(piece - seam) frames from the seam")
            }
        }
        let seams = start + frames / 2..<start + rounds * frames - frames / 2
        #expect(heard.discontinuities(frequency: Self.frequency, tolerance: 0.03, in: seams).isEmpty)
    }

    /// In degrees, of the tone within a range, as if it had begun at `origin`.
    private func phase(_ heard: Recording, _ range: Range<Int>, from origin: Int) -> Double {
        var (sine, cosine) = (0.0, 0.0)
        for frame in range {
            let angle = 2 * Double.pi * Self.frequency * Double(frame - origin) / Double(Self.rate)
            sine += Double(heard.channels[0][frame]) * sin(angle)
            cosine += Double(heard.channels[0][frame]) * cos(angle)
        }
        return atan2(cosine, sine) * 180 / .pi
    }

    @Test(
        "S98: the duration is that of the sound, whatever its length and rate",
        arguments: SeamFormat.all, [8000, 44_100])
    func durations(format: SeamFormat, rate: Int) async throws {
        // Opus knows 48 kHz only.
        let rate = format.ending == "opus" ? 48_000 : rate
        let session = AVAudioSession(server: "unix:/nonexistent")
        for frames in [1000, 11_111, 30_000] {
            let signal = TestSignal.sine(seconds: Double(frames) / Double(rate), sampleRate: rate)
            let file = try await format.write(signal, in: FileManager.default.temporaryDirectory)
            defer { try? FileManager.default.removeItem(at: file) }
            let player = try AVAudioPlayer(contentsOf: file, session: session)
            #expect(player.duration == Double(frames) / Double(rate), "\(player.duration * Double(rate)) of \(frames)")
        }
    }
}
