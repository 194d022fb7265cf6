import Foundation
import HeadlessServer
import PipeWireClient
import PulseClient
import TestSupport
import Testing

/// Judged by ear: what the sink's monitor delivers while another program plays a tone.
extension ServerTests {
    @Suite struct DuckingTests {
        struct Scene {
            let server: HeadlessServer
            let monitor: MonitorRecording
            let stream: ForeignStream
            let pactl: Pactl
            var index: UInt32 { UInt32(stream.index) }
            func ducker() -> SoftVolumeDucker {
                SoftVolumeDucker(remote: server.pipeWireRemote, failure: { Issue.record("\($0)") })
            }
            func userVolume() async throws -> Double? {
                try await pactl.sinkInputs().first { $0.index == stream.index }?.volume
            }
        }

        func scene(_ body: (Scene) async throws -> Void) async throws {
            try await withServer(.pipeWire) { server in
                let monitor = try await MonitorRecording.start(on: server)
                let stream = try await ForeignStream.start(on: server, playing: Tone.content)
                try await monitor.wait(forLevel: Tone.level)
                try await body(Scene(server: server, monitor: monitor, stream: stream, pactl: Pactl(server)))
            }
        }

        @Test func lowersAndGivesBack() async throws {
            try await scene { scene in
                let ducker = scene.ducker()
                ducker.apply([scene.index: 0.1])
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                #expect(try await scene.userVolume() == 1)
                let lowered = scene.monitor.frames
                ducker.apply([:])
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
                #expect(try await scene.userVolume() == 1)
                // No leap: half a second was asked for, and a busy machine may take longer.
                let levels = scene.monitor.soFar(from: lowered).levels
                let rising = levels.filter { $0 > Tone.level - 19 && $0 < Tone.level - 1 }
                #expect(rising.count > 20, "\(levels)")
                // Nothing is left behind: the user's volume counts.
                try await scene.pactl.setVolume(0.5, sinkInput: scene.stream.index)
                try await scene.monitor.wait(forLevel: Tone.level - 18, tolerance: 0.2)
            }
        }

        @Test func lowersEachOfManyChannels() async throws {
            try await withServer(.pipeWire) { server in
                // The most that it takes; `pw-play` of 1.4 makes no stream of 63.
                let channels = server.isPipeWire(before: "1.0") ? 64 : server.isPipeWire(before: "1.5") ? 32 : 128
                let file = server.directory.appendingPathComponent("many.wav")
                try TestSignal.silence(seconds: 20, sampleRate: 8_000, channels: channels).wavData.write(to: file)
                let player = try ChildProcess(tool: "pw-play", [file.path], on: server)
                let connection = try PipeWireConnection(remote: server.pipeWireRemote)
                var node: StreamNode? { connection.nodes.first { $0.channelVolumes.count == channels } }
                try await waitUntil("the stream") { node != nil }
                // A server that is sent too few gives all channels their mean.
                let volumes = (1...channels).map { Float($0) / 128 }
                _ = connection.setSoftVolumes(volumes, ofNode: try #require(node).id)
                try await waitUntil("the volume of each") {
                    let now = node?.softVolumes ?? []
                    return now.count == channels && zip(now, volumes).allSatisfy { abs($0 - $1) < 1e-3 }
                }
                player.send(SIGTERM)
                try await player.wait()
            }
        }

        @Test func usersVolumeIsTheNewBase() async throws {
            try await scene { scene in
                let ducker = scene.ducker()
                ducker.apply([scene.index: 0.1])
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                try await scene.pactl.setVolume(0.5, sinkInput: scene.stream.index)
                try await scene.monitor.wait(forLevel: Tone.level - 18 - 20)
                #expect(try #require(await scene.userVolume()).rounded(to: 3) == 0.5)
                ducker.apply([:])
                try await scene.monitor.wait(forLevel: Tone.level - 18, tolerance: 0.2)
                #expect(try #require(await scene.userVolume()).rounded(to: 3) == 0.5)
            }
        }

        @Test func usersMuteStays() async throws {
            try await scene { scene in
                try await scene.pactl.setMute(true, sinkInput: scene.stream.index)
                try await scene.monitor.waitForSilence(from: scene.monitor.frames)
                let muted = scene.monitor.frames
                let ducker = scene.ducker()
                ducker.apply([scene.index: 0.1])
                try await scene.monitor.wait(seconds: 0.5)
                #expect(scene.monitor.soFar(from: muted).peakLevel() < -60, "lowering must not unmute")
                try await scene.pactl.setMute(false, sinkInput: scene.stream.index)
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                // Mute and unmute end soft volumes without any value being different afterwards.
                for _ in 0..<5 {
                    try await scene.pactl.setMute(true, sinkInput: scene.stream.index)
                    try await scene.pactl.setMute(false, sinkInput: scene.stream.index)
                }
                try await scene.monitor.wait(seconds: 0.3)
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                ducker.apply([:])
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
            }
        }

        @Test func nextStreamOfTheProgramIsLoud() async throws {
            try await scene { scene in
                let ducker = scene.ducker()
                ducker.apply([scene.index: 0.1])
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                try await scene.stream.stop()
                try await scene.monitor.waitForSilence(from: scene.monitor.frames)
                let next = try await ForeignStream.start(on: scene.server, playing: Tone.content)
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
                // And can be lowered while the ducker still lowers the one that is gone.
                ducker.apply([scene.index: 0.1, UInt32(next.index): 0.1], rampDown: 0)
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                #expect(ducker.restoreAll())
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
                try await next.stop()
            }
        }

        @Test func deadDuckersStreamsAreRepaired() async throws {
            try await scene { scene in
                let holder = try ChildProcess("session-peer", ["soft-volume", "\(scene.index)"], on: scene.server)
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                holder.send(SIGKILL)
                try await holder.wait()
                try await scene.monitor.wait(seconds: 0.3)
                try await scene.monitor.wait(forLevel: Tone.level - 20)
                let ducker = scene.ducker()
                ducker.repair([scene.index])
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
                #expect(try await scene.userVolume() == 1)
                ducker.close()
            }
        }

        /// The daemon goes on, and with it what it was told.
        @Test(arguments: [true, false]) func lostConnectionIsMadeAgainToGiveBack(closing: Bool) async throws {
            try await scene { scene in
                let witness = try PulseConnection(name: "witness")
                try await witness.connect(to: scene.server.address, timeout: .seconds(5))
                let failures = Journal<PipeWireError>()
                let ducker = SoftVolumeDucker(remote: scene.server.pipeWireRemote, failure: { failures.add($0) })
                ducker.apply([scene.index: 0], rampDown: 0.02)
                try await scene.monitor.waitForSilence(from: scene.monitor.frames)
                var own: [UInt32] = []
                try await waitUntil("the ducker's connection", timeout: hangLimit) {
                    own = try await witness.clients().filter { client in
                        client.properties["client.api"] != "pipewire-pulse"
                            && ["application.process.id", "pipewire.sec.pid"].contains {
                                client.properties[$0] == "\(getpid())"
                            }
                    }.map(\.index)
                    return !own.isEmpty
                }
                for client in own { try await witness.killClient(at: client) }
                try await waitUntil("the loss", timeout: hangLimit) {
                    failures.all.map(\.reason) == [.connectionLost]
                }
                if closing { #expect(ducker.close()) } else { ducker.apply([:], rampUp: 0.02) }
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
                #expect(failures.all.count == 1)
                #expect(try await scene.userVolume() == 1)
                await witness.close()
            }
        }

        /// Two that lower the same stream must not answer each other for ever.
        @Test func twoDuckersComeToRest() async throws {
            try await scene { scene in
                let first = scene.ducker()
                let second = scene.ducker()
                first.apply([scene.index: 0.1])
                second.apply([scene.index: 0.2])
                try await scene.monitor.wait(seconds: 0.5)
                let observer = try PipeWireConnection(remote: scene.server.pipeWireRemote)
                let changes = Journal<StreamNode>()
                observer.setHandlers(changed: { node, _ in changes.add(node) })
                try await scene.monitor.wait(seconds: 0.5)
                #expect(changes.all.count < 5)
                #expect(second.restoreAll())
                #expect(first.restoreAll())
                try await scene.monitor.wait(forLevel: Tone.level, tolerance: 0.1)
            }
        }
    }

}

extension Double {
    func rounded(to digits: Int) -> Double { (self * pow(10, Double(digits))).rounded() / pow(10, Double(digits)) }
}
