import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SoundHost
@testable import SystemSounds

/// The stream that stands by for short sounds on PipeWire.
@Suite("The stream that stands by", .serialized, .limited)
struct StandbyTests {
    @Test(
        "On PipeWire sounds that suit it go through one stream, which is corked between them", .judges(.gap(frames: 20))
    )
    func oneStream() async throws {
        try await withSoundLab(.pipeWire) { lab in
            let (id, standby) = try await ready(lab)
            #expect(standby.isCorked)
            let notes = Notes()
            for number in 1...3 {
                let frame = lab.monitor.frames
                lab.service.play(id) { notes.add("heard") }
                try await notes.wait(for: number)
                // Its length, and nothing of the sound before it.
                try await waitUntil("the sound, and silence", timeout: hangLimit) {
                    let heard = lab.monitor.soFar(from: frame)
                    guard let sound = heard.soundRange() else { return false }
                    return heard.frames - sound.upperBound > lab.rate / 20
                }
                let sound = try #require(lab.monitor.soFar(from: frame).soundRange())
                #expect(abs(sound.count - lab.rate / 5) <= 20)
                try await lab.waitForNoStream()
                #expect(try await lab.standby()?.index == standby.index)
            }
        }
    }

    @Test("A sound that is cut off is not heard again, and does not end the next one")
    func cutOff() async throws {
        try await withSoundLab(.pipeWire) { lab in
            let (long, _) = try await ready(lab, seconds: 1)
            let short = try await lab.sound(lab.sine(2_000, seconds: 0.3))
            let notes = Notes()
            lab.service.play(long) { notes.add("cut off") }
            try await lab.waitUntilHeard(500)
            let frame = lab.monitor.frames
            lab.service.play(short) { notes.add("heard") }
            try await notes.wait(for: 2)
            #expect(notes.all == ["heard", "cut off"])
            try await lab.waitForSilence()
            let heard = lab.monitor.soFar(from: frame)
            let end = try #require(heard.soundRange()).upperBound
            #expect(heard.level(ofFrequency: 500, end - lab.rate / 5..<end) < -60)
            #expect(heard.level(ofFrequency: 2_000, end - lab.rate / 4..<end) > -14)
            #expect(try await lab.streams().count <= 1)
        }
    }

    @Test("What does not suit it, and what comes when it was killed, is played by the cache")
    func unsuited() async throws {
        try await withSoundLab(.pipeWire) { lab in
            let (id, standby) = try await ready(lab, seconds: 1)
            let notes = Notes()
            for (number, signal) in [
                TestSignal.sine(frequency: 800, level: -12, seconds: 0.3, sampleRate: 44_100),
                lab.sine(900, seconds: 2),
            ].enumerated() {
                let other = try await lab.sound(signal)
                lab.service.play(other) { notes.add("heard") }
                try await waitUntil("a stream of the server's") {
                    try await lab.streams().contains { $0.index != standby.index }
                }
                try await notes.wait(for: number + 1)
            }
            try await lab.witness.killSinkInput(at: standby.index)
            try await waitUntil("its end") { try await lab.standby() == nil }
            lab.service.play(id) { notes.add("heard") }
            try await lab.waitUntilHeard(500)
            try await notes.wait(for: 3)
        }
    }

    @Test("It goes with the last sound that suits it, and there is none on PulseAudio")
    func gone() async throws {
        try await withSoundLab(.pipeWire) { lab in
            let (id, _) = try await ready(lab)
            _ = try await lab.sound(lab.sine(900, seconds: 2))
            #expect(lab.service.dispose(id) == kAudioServicesNoError)
            try await waitUntil("its end") { try await lab.standby() == nil }
        }
        try await withSoundLab(.pulseAudio) { lab in
            let id = try await lab.sound(lab.sine(500, seconds: 0.2))
            let notes = Notes()
            lab.service.play(id) { notes.add("heard") }
            try await notes.wait(for: 1)
            #expect(try await lab.standby() == nil)
        }
    }

    @Test("A sound that is to outlive the process does not go through it", arguments: [false, true])
    func outlives(outlives: Bool) async throws {
        try await withSoundLab(.pipeWire) { lab in
            let peer = try await SoundPeer(on: lab.server)
            let id = try await peer.create(try lab.file(lab.sine(500, seconds: 1)))
            // When the first one is over, the process knows of the stream, not the server only.
            #expect(try await peer.send("complete \(id)") == 0)
            try await peer.process.event("completed", timeout: hangLimit)
            try await lab.waitForNoStream()
            try await lab.waitForSilence()
            let frame = lab.monitor.frames
            if outlives { #expect(try await peer.send("outlive \(id)") == 0) }
            try await peer.send("play \(id)")
            if !outlives {
                try await waitUntil("what stands by") { try await lab.standby()?.isCorked == false }
            }
            try await lab.monitor.waitForSound(from: frame, timeout: hangLimit)
            if outlives { #expect(try await lab.standby()?.isCorked == true) }
            try peer.process.write(line: "exit")
            try await peer.process.wait()
            try await lab.waitForNoStream()
            try await lab.waitForSilence()
            let heard = lab.monitor.soFar(from: frame).soundRange()?.count ?? 0
            #expect((heard >= lab.rate * 19 / 20) == outlives)
        }
    }

    /// A sound of 500 Hz, and the stream that stands by for it.
    private func ready(_ lab: SoundLab, seconds: Double = 0.2) async throws -> (SystemSoundID, SinkInput) {
        let id = try await lab.sound(lab.sine(500, seconds: seconds))
        let sounds = try lab.systemSounds()
        try await waitUntil("what stands by") { sounds.isStandingBy }
        return (id, try #require(try await lab.standby()))
    }
}
