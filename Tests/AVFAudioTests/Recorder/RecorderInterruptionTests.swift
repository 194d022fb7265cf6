import AVFAudio
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("A take that is interrupted, or broken off", .limited)
struct RecorderInterruptionTests {
    @Test(
        "S125: an interruption makes the take safe at once, tells no end, and record() goes on in the same take",
        arguments: HeadlessServer.Kind.allCases)
    func safeAtOnce(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorders = try ["a.wav", "a.aiff", "a.caf", "a.flac"].map {
                let recorder = try AVAudioRecorder(url: server.file($0), settings: stereoSettings, session: session)
                recorder.delegate = events
                return recorder
            }
            for recorder in recorders { #expect(recorder.record()) }
            for recorder in recorders { try await recorder.wait(untilTime: 0.9) }
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await waitUntil("the interruption") { events.interruptions.filter { $0 == "began" }.count == 4 }
            let times = recorders.map(\.currentTime)
            for (recorder, time) in zip(recorders, times) {
                #expect(!recorder.isRecording)
                let copy = server.file("copy-" + recorder.url.lastPathComponent)
                let kept = recorder.url.pathExtension == "flac" ? time - 0.2 : time - 0.000_1
                try await waitUntil("\(copy.lastPathComponent) to hold \(kept) s") {
                    try? FileManager.default.removeItem(at: copy)
                    try FileManager.default.copyItem(at: recorder.url, to: copy)
                    return try DecodedFile(copy).seconds >= kept
                }
            }
            try await call.stop()
            try await waitUntil("its end") { events.interruptions.filter { $0 == "ended 1" }.count == 4 }
            #expect(events.finished == [])
            for (recorder, time) in zip(recorders, times) {
                #expect(recorder.currentTime == time)
                #expect(recorder.record())
            }
            for (recorder, time) in zip(recorders, times) {
                try await recorder.wait(untilTime: time + 0.3)
                recorder.stop()
                #expect(try DecodedFile(recorder.url).seconds >= time + 0.3)
            }
            try await waitUntil("the ends") { events.finished == [true, true, true, true] }
            #expect(recorders[0].record(forDuration: 0.1))
            try await waitUntil("the new take") { events.finished.count == 5 }
            #expect(try DecodedFile(recorders[0].url).frames == 4_410)
        }
    }

    @Test(
        "S39, D10: what the app stops while it is interrupted hears of no end, which would be answered with another take"
    )
    func stoppedMeanwhile() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            let takes = RecorderEvents()
            recorder.delegate = takes
            let tone = try TestSignal.sine(seconds: 20).writeWAV(to: server.file("tone.wav"))
            // The second one stops as it hears of the beginning, as many apps do that play at the end.
            let events = [PlayerEvents(), PlayerEvents(stopsWhenInterrupted: true), PlayerEvents()]
            let players = try events.map { events in
                let player = try AVAudioPlayer(contentsOf: tone, session: session)
                player.delegate = events
                return player
            }
            #expect(recorder.record())
            for player in players { #expect(player.play()) }
            try await recorder.wait(untilTime: 0.3)
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await waitUntil("the interruption") {
                events.allSatisfy { $0.interruptions == [.began] } && takes.interruptions == ["began"]
            }
            recorder.stop()
            players[0].stop()
            players[2].pause()
            try await call.stop()
            try await waitUntil("its end") {
                events[1...].allSatisfy { $0.interruptions == [.began, .ended(options: 1)] }
            }
            // All are told in one go.
            await MainActor.run {}
            #expect(takes.interruptions == ["began"])
            #expect(events[0].interruptions == [.began])
        }
    }

    @Test("D10: a new take after one that was broken off leaves that one under another name")
    func unfinished() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            recorder.delegate = events
            let mixer = try await server.mixer()
            for (round, name) in ["a (unfinished).wav", "a (unfinished 2).wav"].enumerated() {
                #expect(recorder.record())
                try await recorder.wait(untilTime: 1)
                let stream = try #require(try await Pactl(server).sourceOutputs().first)
                try await mixer.killSourceOutput(at: UInt32(stream.index))
                try await waitUntil("the end") { events.finished.count == round + 1 }
                #expect(events.finished.last == false)
                #expect(!FileManager.default.fileExists(atPath: server.file(name).path))
                #expect(recorder.prepareToRecord())
                #expect(try DecodedFile(server.file(name)).seconds >= 0.5)
            }
            recorder.stop()
            #expect(try DecodedFile(recorder.url).frames == 0)
            #expect(recorder.record(forDuration: 0.1))
            try await waitUntil("the end") { events.finished.count == 4 }
            let files = try FileManager.default.contentsOfDirectory(atPath: server.directory.path)
            let takes = files.filter { $0.hasSuffix(".wav") }.sorted()
            #expect(takes == ["a (unfinished 2).wav", "a (unfinished).wav", "a.wav"])
        }
    }

    @Test("D10: a recording that cannot begin costs no earlier one")
    func cannotBegin() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let file = server.file("a.wav")
            try TestSignal.sine(seconds: 1).writeWAV(to: file)
            let recorder = try AVAudioRecorder(url: file, settings: stereoSettings, session: session)
            try session.setActive(true)
            try await Pactl(server).run("unload-module", "module-null-sink")
            #expect(!recorder.record())
            #expect(!recorder.prepareToRecord())
            #expect(try DecodedFile(file).seconds == 1)
        }
    }
}
