import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SoundHost
@testable import SystemSounds

/// Sounds that are made, disposed of or left while the server cannot be asked.
@Suite("System sounds while there is no answer", .serialized, .limited)
struct SoundOrderTests {
    @Test(
        "S138: A sound that was disposed of before there was a connection is not heard",
        arguments: HeadlessServer.Kind.allCases)
    func disposedEarly(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let file = try lab.file(lab.sine(500, seconds: 25))
            let notes = Notes()
            // While the server does not answer nobody is connected, and playing waits.
            lab.server.suspendProcess()
            let id = lab.service.create(file, accepting: .systemSounds).id
            lab.service.play(id) { notes.add("over") }
            let status = lab.service.dispose(id)
            lab.server.resumeProcess()
            #expect(status == kAudioServicesNoError)
            try await notes.wait(for: 1)
            try await lab.waitForNoStream()
            try await waitUntil("no samples") { try await lab.samples().isEmpty }
            #expect(lab.monitor.soFar().soundRange() == nil)
        }
    }

    @Test(
        "A server that hangs is waited for once by all sounds that were asked for meanwhile, and none is heard later",
        .judges(.time(seconds: 2.5)), arguments: [false, true])
    func askedForWhileHanging(answersLate: Bool) async throws {
        try await withSoundLab(.pulseAudio) { lab in
            let file = try lab.file(lab.sine(500, seconds: 0.05))
            let notes = Notes()
            lab.server.suspendProcess()
            let id = lab.service.create(file, accepting: .systemSounds).id
            let server = lab.server
            if answersLate {
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(800)) { server.resumeProcess() }
            }
            let start = ContinuousClock.now
            for _ in 0..<10 { lab.service.play(id) { notes.add("over") } }
            await #expect(throws: Never.self) { try await notes.wait(for: 10) }
            // The attempt that was under way gives up after a second and a half.
            #expect(ContinuousClock.now - start < .milliseconds(2500))
            lab.server.resumeProcess()
            // What was asked for before would be heard before this.
            let other = try await lab.sound(lab.sine(2_000, seconds: 0.5))
            lab.service.play(other)
            try await lab.waitUntilHeard(2_000)
            let heard = lab.monitor.soFar()
            #expect(heard.level(ofFrequency: 500, 0..<heard.frames) < -60)
        }
    }

    @Test(
        "A sound that was made while the server was away is sent once when it is back",
        arguments: HeadlessServer.Kind.allCases)
    func madeDuringOutage(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let file = try lab.file(lab.sine(500, seconds: 0.1))
            let player = try lab.systemSounds()
            // From now on the service has what plays, and need not connect.
            _ = try await lab.sound(lab.sine(800, seconds: 0.1))
            lab.server.kill()
            try await waitUntil("the loss") { !lab.session.permitsSystemSounds && !player.isConnected }
            let id = lab.service.create(file, accepting: .systemSounds).id
            try await offPool { try lab.server.restart() }
            try await waitUntil("the server", timeout: hangLimit) {
                player.isConnected && lab.session.permitsSystemSounds
            }
            let witness = try PulseConnection(name: "witness")
            try await witness.connect(to: lab.server.address, timeout: .seconds(5))
            let notes = Notes()
            var names: [String] = []
            for number in 1...2 {
                lab.service.play(id) { notes.add("heard") }
                try await notes.wait(for: number)
                names += try await witness.samples().map(\.name).filter { $0.hasPrefix(SystemSounds.prefix) }
            }
            // The same one both times.
            #expect(names.count == 2 && Set(names).count == 1, "\(names)")
        }
    }

    @Test(
        "A process that exits while the server takes a sound leaves nothing there",
        arguments: HeadlessServer.Kind.allCases)
    func leftWhileUploading(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let file = try lab.file(lab.sine(500, seconds: 0.1))
            let proxy = try CountingProxy(to: lab.server, holdingAnswerTo: CountingProxy.finishUpload)
            defer { proxy.stop() }
            let peer = try await SoundPeer(on: lab.server, environment: ["PULSE_SERVER": proxy.address])
            _ = try await peer.create(file)
            try await waitUntil("the sample") { try await lab.samples().count == 1 }
            try peer.process.write(line: "exit")
            try await peer.process.event("leaving", timeout: hangLimit)
            proxy.release()
            try await peer.process.wait()
            #expect(try await lab.samples().isEmpty)
        }
    }
}
