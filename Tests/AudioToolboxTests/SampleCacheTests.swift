import AVFAudio
import AudioHost
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SoundHost
@testable import SystemSounds

/// What system sounds cost the server, and what they leave there.
@Suite("System sounds and the sample cache", .serialized, .limited)
struct SampleCacheTests {
    @Test("Playing a sound is one request to the server", arguments: HeadlessServer.Kind.allCases)
    func oneRequest(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let proxy = try CountingProxy(to: lab.server)
            defer { proxy.stop() }
            let session = AVAudioSession(server: proxy.address)
            let service = SystemSoundService(session: session)
            let file = try lab.file(lab.sine(500, seconds: 0.1))
            let id = service.create(file, accepting: .systemSounds).id
            try await waitUntil("the upload") { try await !lab.samples().isEmpty }
            let notes = Notes()
            // What creating it asked for is over when the first one has been heard.
            service.play(id) { notes.add("first") }
            try await notes.wait(for: 1)
            try await lab.waitForNoStream()
            // So is the list of the devices, of which the session hears from a moment after connecting on.
            try await waitUntil("the list of cards", timeout: hangLimit) {
                proxy.commands.contains(CountingProxy.cards)
            }
            // PipeWire's stream that stands by is uncorked for the first sound, and runs on for a moment: the others
            // cost nothing.
            let expected: [[UInt32]] =
                kind == .pulseAudio
                ? Array(repeating: [CountingProxy.playSample], count: 5)
                : [[CountingProxy.cork], [], [], [], []]
            var commands: [[UInt32]] = []
            for number in 1...5 {
                proxy.forget()
                service.play(id) { notes.add("heard") }
                try await notes.wait(for: 1 + number)
                commands.append(proxy.commands)
            }
            #expect(commands == expected)
            proxy.forget()
            try await lab.waitForNoStream()
            #expect(proxy.commands == (kind == .pulseAudio ? [] : [CountingProxy.cork, CountingProxy.flush]))
            #expect(lab.monitor.soFar().soundRange() != nil)
        }
    }

    @Test(
        "1 000 sounds in a row leave nothing behind, and are never more than a few streams",
        arguments: HeadlessServer.Kind.allCases)
    func thousand(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let ids = [try await lab.sound(lab.sine(500, seconds: 1)), try await lab.sound(lab.sine(800, seconds: 1))]
            let notes = Notes()
            let player = try lab.systemSounds()
            var most = 0
            for number in 0..<1_000 {
                lab.service.play(ids[number % 2]) { notes.add("over") }
                // Each one begins: the next must not come so early that this one is skipped.
                try await waitUntil("sound \(number)", timeout: hangLimit) { player.isSettled }
                if number % 100 == 99 { most = max(most, try await lab.streams().count) }
            }
            #expect(most <= 4)
            // A thousand at once: the server sees the first and the last.
            for number in 0..<1_000 { lab.service.play(ids[number % 2]) { notes.add("over") } }
            try await notes.wait(for: 2_000)
            try await lab.waitForNoStream()
            lab.service.play(ids[0])
            try await lab.waitUntilHeard(500)
            for id in ids { #expect(lab.service.dispose(id) == kAudioServicesNoError) }
            try await waitUntil("no samples") { try await lab.samples().isEmpty }
            try await lab.waitForNoStream()
        }
    }

    @Test("What the cache does not take is played through a stream", arguments: HeadlessServer.Kind.allCases)
    func stream(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            // 16.9 MB; the cache takes 16.8.
            let huge = TestSignal.sine(frequency: 500, seconds: 22, sampleRate: 192_000)
            let id = try await lab.sound(huge, isUploaded: false)
            let short = try await lab.sound(lab.sine(2_000, seconds: 0.2))
            let notes = Notes()
            lab.service.play(id) { notes.add("cut off") }
            try await lab.waitUntilHeard(500)
            #expect(try await lab.samples().count == 1)
            let stream = try #require(try await lab.streams().first)
            #expect(stream.properties["media.role"] == "event" || stream.properties["media.role"] == "Notification")
            lab.service.play(short) { notes.add("heard") }
            try await notes.wait(for: 1)
            #expect(notes.all == ["heard"], "the other one would take longer")
            try await lab.waitForNoStream()
            try await lab.waitForSilence()
        }
    }

    @Test(
        "A sound that is too large is heard to its end through its stream", .judges(.gap(frames: 10)),
        arguments: HeadlessServer.Kind.allCases)
    func wholeStream(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let connection = try PulseConnection(name: "streams")
            try await connection.connect(to: lab.server.address, timeout: .seconds(5))
            let signal = lab.sine(500, seconds: 0.7)
            let clip = try #require(
                SoundClip(
                    storage: .int16, rate: lab.rate, channels: 2, frames: signal.samples.withUnsafeBytes { [UInt8]($0) }
                ))
            let sound = StreamedSound(clip, properties: ["media.role": "event"], on: connection)
            let notes = Notes()
            connection.mainloop.withLock { sound.play { notes.add($0 ? "heard" : "failed") } }
            try await notes.wait(for: 1)
            #expect(notes.all == ["heard"])
            try await lab.waitForSilence()
            let heard = try #require(lab.monitor.soFar().soundRange())
            #expect(heard.count >= Int(0.7 * Double(lab.rate)) - 10)
        }
    }

    @Test(
        "Sounds play on after the server lost them, and after it was started again",
        arguments: HeadlessServer.Kind.allCases)
    func lostSamples(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let id = try await lab.sound(lab.sine(500, seconds: 25))
            for name in try await lab.samples() { try await lab.witness.removeSample(named: name) }
            lab.service.play(id)
            try await lab.waitUntilHeard(500)
            #expect(try await lab.samples().count == 1)
            let notes = Notes()
            lab.server.kill()
            try await waitUntil("the loss") { !lab.session.permitsSystemSounds }
            let short = lab.service.create(try lab.file(lab.sine(800, seconds: 0.1)), accepting: .systemSounds).id
            lab.service.play(short) { notes.add("over") }
            try await notes.wait(for: 1)
            try await offPool { try lab.server.restart() }
            try await waitUntil("the server", timeout: hangLimit) { lab.session.permitsSystemSounds }
            let monitor = try await MonitorRecording.start(
                on: lab.server,
                sink: kind == .pipeWire ? .init(rate: 48_000, format: "float32le") : .init())
            lab.service.play(id)
            try await monitor.waitForSound(timeout: hangLimit)
            #expect(lab.service.dispose(id) == kAudioServicesNoError)
            try await monitor.waitForSilence()
        }
    }

    @Test(
        "What a killed process left is removed by the next one that makes a sound, and nothing else is",
        arguments: HeadlessServer.Kind.allCases)
    func strays(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let file = try lab.file(lab.sine(500, seconds: 1))
            try await lab.witness.uploadSample(
                named: "bell", spec: SampleSpec(format: .int16, rate: 44_100, channels: 1), frames: [0, 0, 0, 0])
            let killed = try await SoundPeer(on: lab.server)
            _ = try await killed.create(file)
            let living = try await SoundPeer(on: lab.server)
            _ = try await living.create(file)
            try await waitUntil("two samples") { try await lab.samples().count == 2 }
            killed.process.send(SIGKILL)
            try await killed.process.wait()
            let before = try await lab.samples()
            #expect(before.count == 2)
            let id = try await lab.sound(lab.sine(800, seconds: 0.2), isUploaded: false)
            try await waitUntil("the removal, and the upload") {
                let now = try await lab.samples()
                return now.count == 2 && Set(now).intersection(before).count == 1
            }
            #expect(try await lab.witness.samples().contains { $0.name == "bell" })
            #expect(try await living.send("complete 4097") == 0)
            try await living.process.event("completed", timeout: hangLimit)
            _ = lab.service.dispose(id)
        }
    }

    @Test(
        "The server goes on, whenever a process ends in the middle of its sounds",
        arguments: HeadlessServer.Kind.allCases)
    func leaving(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let file = try lab.file(lab.sine(500, seconds: 0.3))
            for number in 0..<12 {
                let before = Set(try await lab.streams().map(\.index))
                let peer = try await SoundPeer(on: lab.server)
                let id = try await peer.create(file)
                if number % 3 == 1 { try await peer.send("outlive \(id)") }
                try await peer.send("play \(id)")
                if number % 2 == 0 {
                    try await waitUntil("the stream") {
                        try await lab.streams().contains { !before.contains($0.index) }
                    }
                }
                number % 3 == 2 ? peer.process.send(SIGKILL) : try peer.process.write(line: "exit")
                try await peer.process.wait()
                // PipeWire 0.3.65 rarely keeps the stream of a sample whose program is gone.
                if kind == .pulseAudio { try await lab.waitForNoStream() }
                #expect(!lab.server.hasDied, "after \(number): \(lab.server.log.suffix(2_000))")
            }
        }
    }

    @Test(
        "S23: While the session records, system sounds are off unless they were allowed",
        arguments: HeadlessServer.Kind.allCases)
    func recording(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let id = try await lab.sound(lab.sine(500, seconds: 25))
            try lab.session.setCategory(.record)
            try lab.session.setActive(true)
            let notes = Notes()
            let short = try await lab.sound(lab.sine(800, seconds: 0.2))
            let frame = lab.monitor.frames
            lab.service.play(short) { notes.add("silent") }
            try await notes.wait(for: 1)
            try await lab.monitor.wait(seconds: 0.2)
            #expect(lab.monitor.soFar(from: frame).soundRange() == nil)
            try lab.session.setAllowHapticsAndSystemSoundsDuringRecording(true)
            lab.service.play(id)
            try await lab.waitUntilHeard(500)
        }
    }
}
