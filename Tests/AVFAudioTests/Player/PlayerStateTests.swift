import AudioSession
import Foundation
import ScriptedHost
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// Arguments, states and delegate calls of a player, which need no server.
@Suite("What a player says of itself", .limited)
struct PlayerStateTests {
    @Test("S91: url is nil for data, and data is nil for a URL; both play, and keep what they were made of")
    func sources() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let signal = lab.sine(seconds: 0.3)
            let file = try lab.file(signal)
            let first = try AVAudioPlayer(contentsOf: file, session: lab.session)
            let second = try AVAudioPlayer(data: signal.wavData, session: lab.session)
            for (player, url, data) in [(first, file, nil), (second, nil, signal.wavData)] as [(_, URL?, Data?)] {
                let before = lab.host.framesHeard
                #expect(player.url == url && player.data == data)
                #expect(player.play())
                try await lab.pass(until: "the end") { !player.isPlaying }
                #expect(lab.host.framesHeard - before == signal.frames)
                #expect(player.url == url && player.data == data)
            }
        }
    }

    @Test("S93: play returns false where it cannot start: a category without output, no server")
    func playReturnsFalse() async throws {
        try await ScriptedLab.with(.record) { lab in
            let player = try lab.player(lab.sine(seconds: 0.2))
            #expect(!player.play() && !player.prepareToPlay() && !player.play(atTime: 1) && !player.isPlaying)
            #expect(lab.host.log.allSatisfy { !$0.hasPrefix("activate") }, "nobody is interrupted for that")
            try lab.session.setCategory(.playback)
            let lost = SessionError(.mediaServicesFailed, "There is no server.")
            lab.host.answer { $0.connectionError = lost }
            #expect(!player.play() && !player.prepareToPlay() && !player.play(atTime: 1) && !player.isPlaying)
            #expect(player.deviceCurrentTime == 0)
            lab.host.answer { $0.connectionError = nil }
            #expect(player.play() && player.isPlaying)
            try await lab.pass(until: "the end") { !player.isPlaying }
        }
    }

    @Test("S94: play is a no-op that returns true while playing")
    func playWhilePlaying() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let signal = lab.sine(seconds: 4)
            let player = try lab.player(signal)
            for _ in 0..<40 {
                #expect(player.play() && player.isPlaying)
                try await lab.pass(seconds: 0.05)
            }
            #expect(abs(player.currentTime - 2) < 0.001)
            try await lab.pass(until: "the end") { !player.isPlaying }
            #expect(lab.host.framesHeard == signal.frames)
        }
    }

    @Test("S96, S97: currentTime says where play goes on, before play, while paused and while playing, to the frame")
    func seeking() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let rate = Double(lab.rate)
            let player = try lab.player(lab.sine(seconds: 6))
            player.currentTime = 12_345 / rate
            #expect(player.currentTime == 12_345 / rate)
            #expect(player.play())
            for (index, frame) in [12_345, 100_000, 200_001, 0].enumerated() {
                if index == 1 { player.pause() }
                if index > 0 { player.currentTime = Double(frame) / rate }
                #expect(player.currentTime == Double(frame) / rate && player.isPlaying == (index != 1))
                #expect(player.play())
                try await lab.pass(seconds: 0.3)
                #expect(player.currentTime == (Double(frame) + 0.3 * rate) / rate)
            }
        }
    }

    @Test("S97: seeking beyond the end finishes what plays, and rewinds what does not; nonsense is the beginning")
    func seekingBeyondTheEnd() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(seconds: 5), events: events)
            for time in [100, -1, .nan, .infinity, -Double.infinity, .greatestFiniteMagnitude] {
                player.currentTime = time
                #expect(player.currentTime == 0)
            }
            #expect(player.play())
            for time in [-1, .nan, .infinity, -Double.infinity, -Double.greatestFiniteMagnitude] {
                try await lab.pass(seconds: 0.1)
                player.currentTime = time
                #expect(player.isPlaying && player.currentTime == 0, "\(time)")
            }
            for (round, time) in [5, .greatestFiniteMagnitude].enumerated() {
                player.currentTime = time
                try await lab.pass(until: "the end") { events.finished.count == round + 1 }
                #expect(!player.isPlaying && player.currentTime == 0)
                player.currentTime = time
                #expect(player.currentTime == 0 && player.play())
            }
            player.pause()
            player.currentTime = 4.9
            let before = lab.host.framesHeard
            #expect(player.play())
            try await lab.pass(until: "the third end") { events.finished.count == 3 }
            #expect(events.finished == [true, true, true])
            #expect(lab.host.framesHeard - before == lab.rate / 10)
        }
    }

    @Test("S100: after its end a player is not playing, stands at 0, told so once, after the last of its loops")
    func naturalEnd() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(seconds: 0.5), events: events)
            for (round, loops) in [0, 0, 2, 1].enumerated() {
                let before = lab.host.framesHeard
                player.numberOfLoops = loops
                #expect(player.play())
                try await lab.pass(until: "the end") { events.finished.count == round + 1 }
                #expect(!player.isPlaying && player.currentTime == 0)
                #expect(lab.host.framesHeard - before == (loops + 1) * lab.rate / 2)
            }
            try await lab.pass(seconds: 1)
            await mainQueueIsEmpty()
            #expect(events.finished == [true, true, true, true] && events.errors.isEmpty)
        }
    }

    @Test("S101: stop and pause do not finish")
    func stopIsNoEnd() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(seconds: 0.5), events: events)
            for round in 0..<3 {
                #expect(player.play())
                try await lab.pass(seconds: 0.1)
                player.pause()
                #expect(!player.isPlaying)
                player.stop()
                try await lab.pass(seconds: 0.5)
                #expect(!player.isPlaying && abs(player.currentTime - 0.1 * Double(round + 1)) < 0.001)
            }
            await mainQueueIsEmpty()
            #expect(events.finished.isEmpty)
        }
    }

    @Test("S101, S113: an interruption pauses the player where it is, tells its delegate, and is no end")
    func interruption() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let signal = lab.sine(seconds: 4)
            let player = try lab.player(signal, events: events)
            #expect(player.play())
            try await lab.pass(seconds: 0.7)
            lab.host.report(.interruptionBegan(.foreignCall))
            #expect(!player.isPlaying)
            try await waitUntil("the delegate's call") { events.interruptions == [.began] }
            try await lab.pass(seconds: 0.3)
            #expect(player.currentTime == 0.7, "it stands")
            lab.host.report(.interruptionEnded(.foreignCall, shouldResume: true))
            try await waitUntil("the delegate's second call") { events.interruptions.count == 2 }
            #expect(events.interruptions == [.began, .ended(options: 1)])
            #expect(!player.isPlaying && events.finished.isEmpty)
            #expect(player.play())
            try await lab.pass(until: "the end") { !events.finished.isEmpty }
            #expect(events.finished == [true] && lab.host.framesHeard == signal.frames)
        }
    }

    @Test("S106, S107: meters are off at first, show what is heard, and fall silent with the player")
    func meters() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let loud = TestSignal.sine(level: -10, seconds: 1, sampleRate: lab.rate)
            let player = try lab.player(loud + .sine(level: -30, seconds: 2, sampleRate: lab.rate))
            #expect(!player.isMeteringEnabled)
            player.play()
            try await lab.pass(seconds: 0.1)
            player.updateMeters()
            #expect(player.averagePower(forChannel: 0) == -160 && player.peakPower(forChannel: 0) == -160)
            player.isMeteringEnabled = true
            #expect(player.peakPower(forChannel: 0) == -160, "only updateMeters takes levels")
            try await lab.pass(seconds: 0.4)
            player.updateMeters()
            for channel in 0...1 {
                #expect(abs(player.peakPower(forChannel: channel) - -10) < 0.2)
                #expect(abs(player.averagePower(forChannel: channel) - -13.01) < 0.2)
            }
            #expect(player.peakPower(forChannel: 2) == -160 && player.peakPower(forChannel: -1) == -160)
            let frozen = player.peakPower(forChannel: 0)
            try await lab.pass(until: "the quiet part") { player.currentTime > 1.2 }
            #expect(player.peakPower(forChannel: 0) == frozen)
            player.updateMeters()
            #expect(abs(player.peakPower(forChannel: 0) - -30) < 0.2)
            player.volume = 0.1
            try await lab.pass(seconds: 0.2)
            player.updateMeters()
            #expect(abs(player.peakPower(forChannel: 0) - -50) < 0.2, "after the volume")
            player.pause()
            player.updateMeters()
            #expect(player.peakPower(forChannel: 0) == -160)
        }
    }

    @Test("S106: a player that waits for its time shows no level, also when it was heard before")
    func waitingMeters() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let player = try lab.player(.sine(level: -10, seconds: 9, sampleRate: lab.rate))
            player.isMeteringEnabled = true
            player.play()
            try await lab.pass(seconds: 0.3)
            player.pause()
            let time = player.deviceCurrentTime + 1
            player.play(atTime: time)
            try await lab.pass(seconds: 0.3)
            player.updateMeters()
            #expect(player.isPlaying && player.deviceCurrentTime < time && player.currentTime == 0.3)
            #expect(player.peakPower(forChannel: 0) == -160 && player.averagePower(forChannel: 0) == -160)
            try await lab.pass(until: "measured sound again") { player.currentTime > 0.6 }
            #expect(player.deviceCurrentTime > time + 0.29)
            player.updateMeters()
            #expect(abs(player.peakPower(forChannel: 0) - -10) < 0.2)
        }
    }

    @Test("currentDevice is nil at first; the session's device can be named, and on an unknown one nothing plays")
    func device() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let player = try lab.player(lab.sine(seconds: 0.2))
            #expect(player.currentDevice == nil)
            player.currentDevice = "no such device"
            #expect(player.currentDevice == "no such device")
            #expect(!player.prepareToPlay() && !player.play() && !player.isPlaying)
            for device in ["scripted", nil] {
                player.currentDevice = device
                #expect(player.currentDevice == device && player.play())
                try await lab.pass(until: "the end") { !player.isPlaying }
            }
            #expect(lab.host.framesHeard == 2 * lab.rate / 5)
        }
    }

    @Test("A player and a recorder without sound and file ask a host that is there for nothing")
    func placeholders() async throws {
        try await ScriptedLab.with(.playAndRecord) { lab in
            let (player, recorder) = (
                PlayerCore(withoutSoundIn: lab.session), RecorderCore(withoutFileIn: lab.session)
            )
            #expect(!player.play() && !player.prepare() && !recorder.record() && !recorder.prepare())
            #expect(lab.session.core.activation == nil && lab.host.log == [])
        }
    }
}
