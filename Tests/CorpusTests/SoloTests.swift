import Foundation
import SoundAnalysis
import TestSupport
import Testing

/// What an app of the corpus says by itself, and what is heard of it.
private struct Expectation {
    let app: String
    /// Its lines; `*` is any line.
    let says: [String]
    /// Tones in Hz, and for how long each is heard at least, in seconds.
    let hears: [Double: Double]

    init(_ app: String, says: [String], hears: [Double: Double] = [:]) {
        self.app = app
        self.says = says
        self.hears = hears
    }

    /// Runs the app, and returns what was heard for a closer look.
    @discardableResult
    func judge(in theatre: Theatre) async throws -> Recording {
        let show = try theatre.start(app)
        let lines = try await show.end()
        let matches = lines.count == says.count && zip(lines, says).allSatisfy { $1 == "*" ? !$0.isEmpty : $0 == $1 }
        #expect(matches, "\(app) said \(lines), and not \(says)")
        let heard = try await show.heard()
        for (frequency, seconds) in hears {
            let actual = heard.seconds(of: frequency)
            #expect(actual > seconds - 0.05, "\(app): \(frequency) Hz was heard for \(actual) s, and not \(seconds)")
        }
        return heard
    }
}

/// Apps that need nobody else.
@Suite("The corpus: an app alone", .limited)
struct SoloTests {
    @Test("Players", arguments: Edition.all)
    func players(edition: Edition) async throws {
        let expectations = [
            Expectation("SimplePlayer", says: ["*", "playing true", "at 0.0"], hears: [440: 0.6]),
            Expectation("DelegatePlayer", says: ["playing true", "finished [true] playing false"], hears: [440: 0.6]),
            Expectation("PlaylistPlayer", says: ["effect", "voice", "the end"], hears: [1760: 0.2, 1000: 0.4]),
            Expectation(
                "PodcastPlayer", says: ["at 15 of 30", "back 15 at rate 2.0", "at 0.0"], hears: [440: 0.4]),
            Expectation(
                "DataPlayer",
                says: ["nonsense false NSOSStatusErrorDomain", "sound true", "url nil channels 2"], hears: [660: 0.4]),
            Expectation("SleepTimer", says: ["asleep"], hears: [440: 0.3]),
            Expectation("LevelDisplay", says: ["peak -12"], hears: [440: 0.6]),
            Expectation("ItemPlayer", says: ["rising true several true"], hears: [440: 0.6]),
            Expectation("ItemObserver", says: ["played true", "failed with NSURLErrorDomain"], hears: [660: 0.4]),
            Expectation("OldPlayer", says: ["refused -50", "outputs 1 interruptions 0"], hears: [440: 0.6]),
            Expectation(
                "Subclasses", says: ["one true", #"2 ["effect.wav", "voice.wav"]"#, "true 2", "1"],
                hears: [1760: 0.2, 1000: 0.4]),
            Expectation(
                "TaggedPlayer", says: ["Prélude by A. Tester, 2019, a picture of 70 bytes", "before: Prélude"]),
            Expectation("OptionalDelegate", says: ["finished 1"], hears: [1760: 0.2]),
        ]
        try await withTheatre(edition) { theatre in
            for expectation in expectations { try await expectation.judge(in: theatre) }
        }
    }

    @Test("Players of two channels, and ticks on time", .judges(.gap(frames: 44)), arguments: Edition.all)
    func placesAndTimes(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let balance = try await Expectation("Balance", says: ["pan -1.0", "pan 1.0"]).judge(in: theatre)
            for channel in 0..<2 {
                let seconds = balance.seconds(of: 1000, channel: channel)
                #expect((0.3...0.5).contains(seconds), "one of the two sounds on channel \(channel): \(seconds) s")
            }
            let ears = balance.firsts
            #expect(ears.count == 2 && ears[0] + 10_000 < ears[1], "the left ear first: \(ears)")
            let tracks = try await Expectation("MultiTrack", says: ["over"], hears: [440: 0.3]).judge(in: theatre)
            #expect(tracks.firsts.count == 2 && Set(tracks.firsts).count == 1, "both begin together: \(tracks.firsts)")

            let ticks = try await Expectation("Metronome", says: ["ticked"]).judge(in: theatre).onsets
            let distances = zip(ticks, ticks.dropFirst()).map { $1 - $0 }
            // 480 beats a minute; a tick's first samples may be below the threshold.
            #expect(distances.count == 7 && distances.allSatisfy { abs($0 - 44_100 / 8) < 44 }, "\(distances)")
            // Seven beats of the second are rendered, and its stop may come before the last one is heard.
            for (name, line, least) in [("ClickTrack", "beats at least 8, then 0", 6), ("BeatScheduler", "ticked", 5)] {
                let ticks = try await Expectation(name, says: [line]).judge(in: theatre).onsets
                let distances = zip(ticks, ticks.dropFirst()).map { $1 - $0 }
                #expect(distances.count >= least, "\(name): \(ticks)")
                #expect(distances.allSatisfy { abs($0 - 44_100 / 8) < 44 }, "\(name): \(distances)")
            }
            let beats = try await Expectation("TimerMetronome", says: ["beats 4"]).judge(in: theatre).onsets
            #expect(beats.count >= 2, "a timer is late on a busy machine, but not silent: \(beats)")
        }
    }

    @Test("Recorders", arguments: Edition.all)
    func recorders(edition: Edition) async throws {
        let expectations = [
            Expectation("VoiceMemo", says: ["recording", "playing true"]),
            Expectation("Dictaphone", says: ["recording false", "long enough true channels 1", "deleted true false"]),
            // What the microphone hears anyhow may end it before its own sound begins.
            Expectation("BlowDetector", says: ["listening true", "blown out at most true"]),
            Expectation("TakeReview", says: ["reviewing true"]),
            Expectation("CaptureAuthorization", says: ["may true, by itself false", "granted true"]),
            Expectation("OldRecorder", says: ["allowed true permission true", "finished true"]),
        ]
        try await withTheatre(edition) { theatre in
            // What the microphone hears.
            let wave = try TestSignal.sine(frequency: 800, seconds: 60).writeWAV(
                to: theatre.folder.appendingPathComponent("world.wav"))
            let world = try await ForeignStream.start(on: theatre.server, playing: .file(wave))
            try await theatre.monitor.waitForSound()
            for expectation in expectations { try await expectation.judge(in: theatre) }
            for (name, seconds) in [("memo.caf", 0.5), ("take.wav", 0.2), ("old.wav", 0.2)] {
                let take = try Recording(contentsOf: theatre.folder.appendingPathComponent(name))
                #expect(take.duration >= seconds, "\(name)")
                #expect(abs((take.frequency() ?? 0) - 800) < 2, "\(name)")
            }
            withExtendedLifetime(world) {}
        }
    }

    @Test("Games, prompts, calls and wrappers", arguments: Edition.all)
    func others(edition: Edition) async throws {
        let expectations = [
            Expectation(
                "SoundManager", says: ["shots [true, true, false] playing 2", "off false"], hears: [1760: 0.2]),
            Expectation("ButtonClicks", says: ["missing true", "clicks 1"], hears: [1760: 0.2]),
            Expectation(
                "SoundBoard", says: ["effect.wav second.wav song.wav"], hears: [440: 0.6, 660: 0.4, 1760: 0.2]),
            Expectation("WorkoutCoach", says: ["work", "rest", "others lowered true"], hears: [1760: 0.2, 1000: 0.4]),
            Expectation(
                "CallController", says: ["active AVAudioSessionModeVoiceChat, inactive"], hears: [1000: 0.4]),
            Expectation("SessionManager", says: ["illegal(-50)", "busy", "playing false"]),
            Expectation("NotificationCasts", says: ["all alike true"]),
            Expectation(
                "FormatInspector",
                says: [
                    "lpcm true 2 channels", "44100 Hz, 0.6 s, timescale 44100", "standard true layout true",
                    "port MicrophoneBuiltIn 1936747378",
                ]),
            Expectation("DoneSound", says: ["rung, compressed true"], hears: [1760: 0.2]),
            Expectation("LockScreen", says: ["60.0 wide, Cover 6.0 wide", "Old"]),
            Expectation("ClosureObserver", says: ["resumed 1"]),
            Expectation("StateStream", says: ["playing, interrupted"]),
        ]
        try await withTheatre(edition) { theatre in
            for expectation in expectations { try await expectation.judge(in: theatre) }
        }
    }

    @Test("Engines", arguments: Edition.all)
    func engines(edition: Edition) async throws {
        let expectations = [
            Expectation("Bounce", says: ["frames true left 0.0", "right true"]),
            Expectation("OwnStream", says: ["rendered 0.25 heard 0.25"]),
            Expectation("TapRecorder", says: ["recorded true loud true"]),
            Expectation("InputMeter", says: ["level at most true"]),
            Expectation("SpeechTap", says: ["heard true"]),
            Expectation("KeywordListener", says: ["all alike true"]),
            Expectation("SinkListener", says: ["running false"]),
            Expectation("WaveformView", says: ["slices of 2048 told true"]),
            Expectation("GameAudio", says: ["running true"], hears: [1760: 0.4, 1000: 0.4]),
            Expectation("PracticePlayer", says: ["at 29.5 of 30.0", "ended rate 1.5"], hears: [440: 0.6]),
            Expectation("BufferStreamer", says: ["buffers 7"], hears: [440: 0.6]),
            Expectation("ToneGenerator", says: ["played"], hears: [440: 0.2, 880: 0.2]),
            Expectation(
                "MixRecorder", says: ["mix.wav channels 2 loud true", "mix.caf channels 2 loud true"],
                hears: [440: 0.9]),
            Expectation("EffectRack", says: ["bypassed [false, true, true]", "playing true"], hears: [440: 0.4]),
        ]
        try await withTheatre(edition) { theatre in
            for expectation in expectations { try await expectation.judge(in: theatre) }
        }
    }
}
