import AudioFiles
import AudioHost
import AudioSession
import Foundation
import ScriptedHost
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// Arguments, states and delegate calls of a recorder, which need no server.
@Suite("What a recorder says of itself", .limited)
struct RecorderStateTests {
    @Test("S116: /dev/null is accepted, in any format", arguments: [kAudioFormatLinearPCM, kAudioFormatFLAC])
    func devNull(format: AudioFormatID) async throws {
        try await ScriptedLab.with(.record) { lab in
            let recorder = try AVAudioRecorder(
                url: URL(fileURLWithPath: "/dev/null"), settings: [AVFormatIDKey: format], session: lab.session)
            let events = RecorderEvents()
            recorder.delegate = events
            #expect(recorder.record(forDuration: 0.2))
            try await lab.pass(until: "the end") { !events.finished.isEmpty }
            #expect(events.finished == [true] && events.errors == [])
        }
    }

    @Test("S117, S122: prepareToRecord creates the file, record() after stop begins it anew")
    func overwrite() async throws {
        try await ScriptedLab.with(.record) { lab in
            let file = lab.file("a.aiff")
            try Data(repeating: 1, count: 1_000_000).write(to: file)
            let recorder = try lab.recorder("a.aiff")
            #expect(try Data(contentsOf: file).count == 1_000_000)
            #expect(recorder.prepareToRecord())
            #expect(try Data(contentsOf: file).count < 200)
            #expect(!recorder.isRecording)
            #expect(recorder.prepareToRecord())
            #expect(recorder.record())
            try await lab.pass(seconds: 0.5)
            recorder.stop()
            #expect(try DecodedFile(file).frames == 22_050)
            #expect(recorder.record(forDuration: 0.1))
            try await lab.pass(until: "the end") { !recorder.isRecording }
            recorder.stop()
            #expect(try DecodedFile(file).frames == 4_410)
        }
    }

    @Test("S118: false in a category without input, and without a server; no file is made")
    func notPossible() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let recorder = try lab.recorder("a.wav", [:])
            func refuses() -> Bool {
                !recorder.record() && !recorder.prepareToRecord() && !recorder.record(forDuration: 1)
                    && !recorder.isRecording
            }
            #expect(refuses())
            #expect(lab.host.log.allSatisfy { !$0.hasPrefix("activate") }, "nobody is interrupted for that")
            try lab.session.setCategory(.record)
            let lost = SessionError(.mediaServicesFailed, "There is no server.")
            lab.host.answer { $0.connectionError = lost }
            #expect(refuses())
            recorder.pause()
            recorder.stop()
            #expect(!FileManager.default.fileExists(atPath: recorder.url.path))
            lab.host.answer { $0.connectionError = nil }
            #expect(recorder.record() && recorder.isRecording)
        }
    }

    @Test("S118, S121: after a pause record() goes on in the same file, and the time stands meanwhile")
    func pause() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let recorder = try lab.recorder("a.wav", events: events)
            for round in 1...3 {
                #expect(recorder.record() && recorder.isRecording)
                try await lab.pass(seconds: 0.4)
                recorder.pause()
                #expect(!recorder.isRecording && abs(recorder.currentTime - 0.4 * Double(round)) < 0.000_1)
                try await lab.pass(seconds: 0.5)
                #expect(abs(recorder.currentTime - 0.4 * Double(round)) < 0.000_1)
            }
            #expect(events.finished == [])
            recorder.stop()
            try await events.waitForFinish()
            #expect(events.finished == [true])
            #expect(try DecodedFile(recorder.url).frames == 3 * 17_640)
        }
    }

    @Test("S119: record(forDuration:) stops by itself at the frame and tells once")
    func duration() async throws {
        try await ScriptedLab.with(.record) { lab in
            for (name, seconds, frames) in [("a.wav", 0.5, 22_050), ("b.flac", 0.7317, 32_268), ("c.caf", 0.00002, 1)] {
                let events = RecorderEvents()
                let recorder = try lab.recorder(name, events: events)
                #expect(recorder.record(forDuration: seconds))
                try await lab.pass(until: "the end") { !events.finished.isEmpty }
                #expect(!recorder.isRecording && recorder.currentTime == 0)
                #expect(try DecodedFile(recorder.url).frames == frames)
                recorder.stop()
                #expect(recorder.deleteRecording())
                await mainQueueIsEmpty()
                #expect(events.finished == [true] && events.errors == [])
            }
        }
    }

    @Test("S119: the duration of what records already is that of the whole, and one that has passed ends it")
    func durationOfRunning() async throws {
        try await ScriptedLab.with(.record) { lab in
            for (whole, frames) in [(1.0, 44_100), (0, 22_050), (0.25, 22_050)] {
                let events = RecorderEvents()
                let recorder = try lab.recorder("a.wav", events: events)
                #expect(recorder.record())
                try await lab.pass(seconds: 0.5)
                #expect(recorder.record(forDuration: whole) && recorder.isRecording == (whole > 0.5))
                try await lab.pass(until: "the end") { !events.finished.isEmpty }
                #expect(try DecodedFile(recorder.url).frames == frames)
            }
        }
    }

    @Test("S119: after a pause a duration is that of the whole recording, and without one there is no limit")
    func durationAfterPause() async throws {
        try await ScriptedLab.with(.record) { lab in
            for (next, frames) in [(1.5, 66_150), (nil, 88_200)] as [(Double?, Int)] {
                let events = RecorderEvents()
                let recorder = try lab.recorder("a.wav", events: events)
                #expect(recorder.record(forDuration: 1))
                try await lab.pass(seconds: 0.5)
                recorder.pause()
                #expect(next.map { recorder.record(forDuration: $0) } ?? recorder.record())
                if next == nil {
                    try await lab.pass(seconds: 1.5)
                    #expect(recorder.isRecording)
                } else {
                    try await lab.pass(until: "the end") { !recorder.isRecording }
                }
                recorder.stop()
                try await events.waitForFinish()
                #expect(events.finished == [true])
                #expect(try DecodedFile(recorder.url).frames == frames)
            }
        }
    }

    @Test("Nothing to record is a recording too; not a number is none; for ever has no limit")
    func strangeDurations() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let recorder = try lab.recorder("a.wav", events: events)
            #expect(!recorder.record(forDuration: .nan))
            #expect(recorder.record(forDuration: 0))
            try await events.waitForFinish()
            #expect(try DecodedFile(recorder.url).frames == 0)
            #expect(recorder.record(forDuration: -.infinity))
            #expect(recorder.record(forDuration: .infinity))
            try await lab.pass(seconds: 10)
            #expect(recorder.isRecording)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).frames == 441_000)
        }
    }

    @Test("S120: a time that is past is now; one that is none is refused; a pause before it begins calls it off")
    func strangeTimes() async throws {
        try await ScriptedLab.with(.record) { lab in
            let recorder = try lab.recorder("a.wav")
            #expect(!recorder.record(atTime: .nan))
            #expect(!recorder.record(atTime: .infinity))
            #expect(!recorder.record(atTime: 0, forDuration: .nan))
            #expect(!recorder.isRecording)
            #expect(recorder.record(atTime: recorder.deviceCurrentTime + 1_000))
            #expect(recorder.isRecording)
            try await lab.pass(seconds: 10)
            #expect(recorder.isRecording && recorder.currentTime == 0)
            recorder.pause()
            #expect(!recorder.isRecording && recorder.currentTime == 0)
            #expect(recorder.record(atTime: -1))
            try await lab.pass(seconds: 0.3)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).frames == 13_230)
            #expect(recorder.deviceCurrentTime > 0)
        }
    }

    @Test("S121, S131: stop closes a file whose header is true, and tells once")
    func header() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let recorder = try lab.recorder("a.wav", events: events)
            #expect(recorder.record())
            try await lab.pass(seconds: 0.3)
            recorder.stop()
            recorder.stop()
            try expectTrueHeader(of: recorder.url, frames: 13_230)
            try await events.waitForFinish()
            await mainQueueIsEmpty()
            #expect(events.finished == [true])
        }
    }

    @Test("S123, S124: deleteRecording only when stopped; currentTime is 0 then")
    func delete() async throws {
        try await ScriptedLab.with(.record) { lab in
            let recorder = try lab.recorder("a.caf")
            #expect(recorder.currentTime == 0 && !recorder.deleteRecording())
            #expect(recorder.record())
            try await lab.pass(seconds: 0.2)
            #expect(!recorder.deleteRecording())
            recorder.pause()
            #expect(!recorder.deleteRecording() && recorder.currentTime == 0.2)
            recorder.stop()
            #expect(recorder.currentTime == 0)
            #expect(FileManager.default.fileExists(atPath: recorder.url.path))
            #expect(recorder.deleteRecording())
            #expect(!FileManager.default.fileExists(atPath: recorder.url.path))
            #expect(!recorder.deleteRecording())
        }
    }

    @Test("Whoever stops a recorder and lets go of it is told that it finished")
    func letGo() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            // On the main thread, so that nothing is delivered between two of these lines.
            try await MainActor.run {
                var recorder: AVAudioRecorder? = try lab.recorder("a.wav", events: events)
                #expect(recorder?.record() == true)
                recorder?.stop()
                recorder = nil
            }
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }

    @Test("A deactivation pauses the recorder; record() activates again and goes on in the same file")
    func deactivation() async throws {
        try await ScriptedLab.with(.playAndRecord) { lab in
            let events = RecorderEvents()
            try lab.session.setActive(true)
            let recorder = try lab.recorder("a.wav", events: events)
            #expect(recorder.record())
            try await lab.pass(seconds: 0.5)
            let error = #expect(throws: NSError.self) { try lab.session.setActive(false) }
            #expect(error?.code == AVAudioSession.ErrorCode.isBusy.rawValue)
            try await lab.pass(seconds: 0.5)
            #expect(!recorder.isRecording && recorder.currentTime == 0.5)
            #expect(recorder.record() && recorder.isRecording)
            try await lab.pass(seconds: 0.5)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).frames == 44_100)
            try lab.session.setActive(false)
            try await events.waitForFinish()
            #expect(events.finished == [true] && events.interruptions == [])
        }
    }

    @Test("S26, S39, S125: an interruption pauses what records, tells it alone, and record() goes on in the same file")
    func interruption() async throws {
        try await ScriptedLab.with(.playAndRecord) { lab in
            let log = (RecorderEvents(), RecorderEvents())
            let recorder = try lab.recorder("a.wav", events: log.0)
            let paused = try lab.recorder("b.wav", events: log.1)
            #expect(recorder.record() && paused.record())
            try await lab.pass(seconds: 0.5)
            paused.pause()
            lab.host.report(.interruptionBegan(.foreignCall))
            #expect(!recorder.isRecording)
            try await waitUntil("the interruption") { log.0.interruptions == ["began"] }
            try await lab.pass(seconds: 1)
            lab.host.report(.interruptionEnded(.foreignCall, shouldResume: true))
            try await waitUntil("its end") { log.0.interruptions == ["began", "ended 1"] }
            #expect(log.0.finished == [] && recorder.currentTime == 0.5)
            #expect(recorder.record())
            try await lab.pass(seconds: 0.5)
            recorder.stop()
            #expect(try DecodedFile(recorder.url).frames == 44_100)
            #expect(log.1.interruptions == [])
        }
    }

    @Test(
        "S39, D10: what the app stops while it is interrupted hears of no end, which would be answered with another take"
    )
    func stoppedMeanwhile() async throws {
        try await ScriptedLab.with(.playAndRecord) { lab in
            let takes = RecorderEvents()
            let recorder = try lab.recorder("a.wav", events: takes)
            // The second one stops as it hears of the beginning, as many apps do that play at the end.
            let events = [PlayerEvents(), PlayerEvents(stopsWhenInterrupted: true), PlayerEvents()]
            let players = try events.map { try lab.player(lab.sine(seconds: 20), events: $0) }
            #expect(recorder.record())
            for player in players { #expect(player.play()) }
            try await lab.pass(seconds: 0.3)
            lab.host.report(.interruptionBegan(.foreignCall))
            try await waitUntil("the interruption") {
                events.allSatisfy { $0.interruptions == [.began] } && takes.interruptions == ["began"]
            }
            recorder.stop()
            players[0].stop()
            players[2].pause()
            lab.host.report(.interruptionEnded(.foreignCall, shouldResume: true))
            await mainQueueIsEmpty()
            #expect(events[1...].allSatisfy { $0.interruptions == [.began, .ended(options: 1)] })
            #expect(takes.interruptions == ["began"] && events[0].interruptions == [.began])
        }
    }

    @Test("S129: off at first, −160 then; a tone's peak and average", arguments: ["a.wav", "b.wav", "c.flac"])
    func meters(name: String) async throws {
        try await ScriptedLab.with(.record) { lab in
            let extra: [String: Any] = name == "b.wav" ? [AVLinearPCMIsFloatKey: true] : [AVEncoderBitDepthHintKey: 24]
            let recorder = try lab.recorder(name, stereoSettings.merging(extra) { $1 })
            #expect(!recorder.isMeteringEnabled)
            lab.host.answer { $0.sound = { pow(10, -0.6) * sin(2 * .pi * 1_000 * $0) } }
            #expect(recorder.record())
            try await lab.pass(seconds: 0.3)
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) == -160 && recorder.averagePower(forChannel: 0) == -160)
            recorder.isMeteringEnabled = true
            recorder.updateMeters()
            try await lab.pass(seconds: 0.7)
            #expect(recorder.peakPower(forChannel: 0) == -160, "only updateMeters takes levels")
            recorder.updateMeters()
            for channel in 0...1 {
                #expect(abs(recorder.peakPower(forChannel: channel) + 12) < 0.1)
                #expect(abs(recorder.averagePower(forChannel: channel) + 15.01) < 0.1)
            }
            #expect(recorder.peakPower(forChannel: 2) == -160 && recorder.averagePower(forChannel: -1) == -160)
            recorder.pause()
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) == -160)
            #expect(recorder.record())
            lab.host.answer { $0.sound = { _ in 0 } }
            try await lab.pass(seconds: 0.3)
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) == -160)
            recorder.isMeteringEnabled = false
            recorder.stop()
        }
    }
}

/// Expects the header of a 16-bit stereo file to say how many frames follow it.
func expectTrueHeader(
    of url: URL, frames: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let bytes = try [UInt8](Data(contentsOf: url))
    func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
    #expect(number(at: 4) == bytes.count - 8, sourceLocation: sourceLocation)
    #expect(bytes[72..<76].elementsEqual("data".utf8), sourceLocation: sourceLocation)
    #expect(number(at: 76) == bytes.count - 80, sourceLocation: sourceLocation)
    if let frames { #expect(number(at: 76) == 4 * frames, sourceLocation: sourceLocation) }
}
