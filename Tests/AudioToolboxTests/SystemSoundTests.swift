import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SystemSounds

/// Judged on the sink's monitor, and by what the server lists.
@Suite("System sounds", .serialized, .limited)
struct SystemSoundTests {
    @Test(
        "S134: Sounds play asynchronously, at system volume, one at a time, without looping",
        arguments: HeadlessServer.Kind.allCases)
    func oneAtATime(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let long = try await lab.sound(lab.sine(500, seconds: 25))
            let short = try await lab.sound(lab.sine(2_000, seconds: 1))
            lab.service.play(long)
            try await lab.waitUntilHeard(500)
            let stream = try #require(try await lab.streams().first)
            #expect(stream.properties["media.role"] == "event" || stream.properties["media.role"] == "Notification")
            // The volume that mixers show for all system sounds, and none of its own.
            #expect(stream.properties["module-stream-restore.id"]?.hasPrefix("avaudiosession") != true)
            lab.service.play(short)
            try await lab.waitUntilHeard(2_000)
            try await waitUntil("the end of the first") { lab.levelNow(500) < -40 }
            #expect(try await lab.streams().count <= 1)
            try await lab.waitForSilence()
            try await lab.waitForNoStream()
            let heard = lab.monitor.soFar()
            // A second of it, once.
            let second = try #require(heard.soundRange())
            #expect(heard.level(ofFrequency: 2_000, second.upperBound - lab.rate / 4..<second.upperBound) > -14)
        }
    }

    @Test("S135: An alert sound plays as a system sound", arguments: HeadlessServer.Kind.allCases)
    func alert(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let file = try TestSignal.sine(seconds: 25).writeWAV(to: server.directory.appendingPathComponent("a.wav"))
            let monitor = try await MonitorRecording.start(on: server)
            let peer = try await SoundPeer(on: server)
            let id = try await peer.create(file)
            #expect(try await peer.send("alert \(id)") == 0)
            try await monitor.waitForSound(timeout: hangLimit)
            #expect(try await peer.send("dispose \(id)") == 0)
            try await monitor.waitForSilence(timeout: hangLimit)
            #expect(try await peer.send("completeAlert \(id)") == 0)
            try await peer.process.event("completed", timeout: hangLimit)
        }
    }

    @Test(
        "S136: The block runs for every attempt, success or failure, on a serial queue",
        arguments: HeadlessServer.Kind.allCases)
    func completion(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let notes = Notes()
            let running = NSLock()
            func play(_ id: SystemSoundID, _ name: String) {
                lab.service.play(id) {
                    #expect(running.try(), "two blocks at once")
                    notes.add(name)
                    running.unlock()
                }
            }
            let long = try await lab.sound(lab.sine(500, seconds: 25))
            let short = try await lab.sound(lab.sine(2_000, seconds: 0.1))
            let other = try await lab.sound(lab.sine(500, seconds: 1.5))
            play(other, "cut off")
            try await lab.waitUntilHeard(500)
            play(short, "heard")
            try await notes.wait(for: 2)
            #expect(notes.all == ["heard", "cut off"], "it takes as long as if it had been heard")
            play(12_345, "unknown")
            try await notes.wait(for: 3)
            play(kSystemSoundID_Vibrate, "vibration")
            try await notes.wait(for: 4)
            play(long, "disposed")
            try await lab.waitUntilHeard(500)
            #expect(lab.service.dispose(long) == kAudioServicesNoError)
            try await notes.wait(for: 5)
            // One after the other, before the server can answer.
            for number in 0..<50 { play(short, "\(number)") }
            try await notes.wait(for: 55)
            let numbers: [String] = (0..<50).map { "\($0)" }
            #expect(Set(notes.all.dropFirst(5)) == Set(numbers))
        }
    }

    @Test(
        "S137: Completion functions are called on the main thread or a run loop, until they are removed",
        arguments: HeadlessServer.Kind.allCases)
    func listeners(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let signal = TestSignal.sine(seconds: 0.05)
            let file = try signal.writeWAV(to: server.directory.appendingPathComponent("a.wav"))
            let peer = try await SoundPeer(on: server)
            let id = try await peer.create(file)
            #expect(try await peer.send("listen \(id) main") == 0)
            try await peer.send("play \(id)")
            let first = try await peer.process.event("told", timeout: hangLimit)
            #expect(first.string("thread") == "main" && first.number("data") == 4711)
            #expect(first.number("id") == Double(id))
            #expect(try await peer.send("listen \(id) other") == 0)
            try await peer.send("play \(id)")
            let second = try await peer.process.event("told", from: first.number + 1, timeout: hangLimit)
            #expect(second.string("thread") == "other")
            #expect(try await peer.send("unlisten \(id)") == 0)
            try await peer.send("complete \(id)")
            try await peer.process.event("completed", timeout: hangLimit)
            // Whatever was told is told before the next one's completion.
            try await peer.send("complete \(id)")
            try await waitUntil("the second") { peer.events("completed").count == 2 }
            #expect(peer.events("told").count == 2)
            #expect(try await peer.send("listen 4 main") == Int(kAudioServicesSystemSoundUnspecifiedError))
            #expect(try await peer.send("listen \(kSystemSoundID_Vibrate) main") == 0)
        }
    }

    @Test(
        "S138: Dispose frees the sound and says so; playing a disposed one does nothing",
        arguments: HeadlessServer.Kind.allCases)
    func dispose(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let signal = lab.sine(500, seconds: 25)
            let id = try await lab.sound(signal)
            // The same sound again costs the server nothing.
            let twin = try await lab.sound(signal, isUploaded: false)
            #expect(twin != id)
            lab.service.play(twin)
            try await lab.waitUntilHeard(500)
            #expect(lab.service.dispose(id) == kAudioServicesNoError)
            #expect(try await lab.samples().count == 1)
            #expect(lab.levelNow(500) > -14)
            #expect(lab.service.dispose(twin) == kAudioServicesNoError)
            try await lab.waitForSilence()
            try await waitUntil("removed samples") { try await lab.samples().isEmpty }
            try await lab.waitForNoStream()
            #expect(lab.service.dispose(twin) == kAudioServicesSystemSoundUnspecifiedError)
            let notes = Notes()
            lab.service.play(twin) { notes.add("over") }
            try await notes.wait(for: 1)
            #expect(try await lab.streams().isEmpty)
            #expect(try await lab.samples().isEmpty)
        }
    }

    @Test(
        "S139: During an interruption system sounds are silent, and usable again afterwards without extra work",
        arguments: HeadlessServer.Kind.allCases)
    func interruption(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let long = try await lab.sound(lab.sine(500, seconds: 25))
            let short = try await lab.sound(lab.sine(2_000, seconds: 0.2))
            try lab.session.setCategory(.playback)
            try lab.session.setActive(true)
            lab.service.play(long)
            try await lab.waitUntilHeard(500)
            let other = AVAudioSession(apartOn: lab.server.address)
            try other.setCategory(.playback)
            try other.setActive(true)
            try await waitUntil("the interruption") { !lab.session.permitsSystemSounds }
            try await lab.waitForNoStream()
            try await lab.waitForSilence()
            let frame = lab.monitor.frames
            let notes = Notes()
            lab.service.play(short) { notes.add("silent") }
            try await notes.wait(for: 1)
            try await lab.monitor.wait(seconds: 0.2)
            #expect(lab.monitor.soFar(from: frame).soundRange() == nil)
            try other.setActive(false, options: .notifyOthersOnDeactivation)
            try await waitUntil("the end of the interruption", timeout: hangLimit) { lab.session.permitsSystemSounds }
            lab.service.play(long)
            try await lab.waitUntilHeard(500)
        }
    }

    @Test(
        "S140: Vibration is a legal sound that does nothing, and the user's alert plays nothing",
        arguments: HeadlessServer.Kind.allCases)
    func legalAndSilent(kind: HeadlessServer.Kind) async throws {
        #expect(kSystemSoundID_Vibrate == 0xFFF && kSystemSoundID_FlashScreen == 0xFFE)
        #expect(kSystemSoundID_UserPreferredAlert == 0x1000)
        try await withSoundLab(kind) { lab in
            let first = try await lab.sound(lab.sine(500, seconds: 0.1))
            #expect(first > kSystemSoundID_UserPreferredAlert)
            let frame = lab.monitor.frames
            let notes = Notes()
            for id in [kSystemSoundID_Vibrate, kSystemSoundID_FlashScreen, kSystemSoundID_UserPreferredAlert] {
                lab.service.play(id) { notes.add("over") }
            }
            try await notes.wait(for: 3)
            #expect(try await lab.streams().isEmpty)
            try await lab.monitor.wait(seconds: 0.1)
            #expect(lab.monitor.soFar(from: frame).soundRange() == nil)
        }
    }

    @Test(
        "S141: A user interface sound obeys the user's setting, another one always plays",
        arguments: HeadlessServer.Kind.allCases)
    func userInterface(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind, playsUISounds: false) { lab in
            let decoration = try await lab.sound(lab.sine(500, seconds: 0.2))
            let important = try await lab.sound(lab.sine(2_000, seconds: 25))
            let specifier = withUnsafeBytes(of: important) { SoundSpecifier($0.baseAddress, size: 4) }
            #expect(lab.service.property(kAudioServicesPropertyIsUISound, of: specifier) == (0, 1))
            #expect(lab.service.setProperty(kAudioServicesPropertyIsUISound, of: specifier, to: false) == 0)
            #expect(lab.service.property(kAudioServicesPropertyIsUISound, of: specifier) == (0, 0))
            let notes = Notes()
            lab.service.play(decoration) { notes.add("silent") }
            try await notes.wait(for: 1)
            #expect(lab.monitor.soFar().soundRange() == nil)
            lab.service.play(important)
            try await lab.waitUntilHeard(2_000)
        }
    }

    @Test(
        "S141: A sound ends with the app, or is heard to its end if it was told to; no sample stays either way",
        arguments: HeadlessServer.Kind.allCases)
    func outlive(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let file = try lab.file(lab.sine(500, seconds: 2))
            for outlives in [false, true] {
                let peer = try await SoundPeer(on: lab.server)
                let id = try await peer.create(file)
                if outlives { #expect(try await peer.send("outlive \(id)") == 0) }
                let frame = lab.monitor.frames
                try await peer.send("play \(id)")
                try await lab.monitor.waitForSound(from: frame, timeout: hangLimit)
                try peer.process.write(line: "exit")
                try await peer.process.wait()
                #expect(try await lab.samples().isEmpty)
                let left = try await lab.streams().count
                try await lab.waitForNoStream()
                try await lab.waitForSilence()
                let heard = lab.monitor.soFar(from: frame).soundRange()?.count ?? 0
                #expect(left == (outlives ? 1 : 0) || heard == 2 * lab.rate)
                if outlives { #expect(heard >= 2 * lab.rate - lab.rate / 20) }
            }
        }
    }
}
