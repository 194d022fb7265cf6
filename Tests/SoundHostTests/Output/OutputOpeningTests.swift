import AudioRealtime
import Glibc
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("An output whose stream is on its way, or is replaced", .limited)
struct OutputOpeningTests {
    @Test("A buffer that is wished for meanwhile is asked for afterwards", arguments: HeadlessServer.Kind.allCases)
    func bufferMeanwhile(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            // With one lock: else its stream may stand before the wish.
            let mix = try host.withLock {
                let mix = try host.beginOutput(role: nil)
                try #require(mix.phase == .opening)
                mix.setBuffer(OutputBuffer(request: 0.05, device: 0.09))
                #expect(mix.grantedBuffer == nil)
                return mix
            }
            try host.awaitOutput(mix)
            try await waitUntil("a long one for the device") {
                host.withLock { mix.grantedBuffer.map { $0 > 0.06 } == true }
            }
            host.withLock { mix.close() }
        }
    }

    @Test("That another stream stands, whose place it has taken, says nothing of its own")
    func strangersReadiness() async throws {
        try await withServer(.pulseAudio) { server in
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            // With one lock: else its own stream may stand first.
            let mix = try host.withLock {
                let mix = try host.beginOutput(role: nil)
                let connection = try host.link.readyConnection()
                let stranger = host.outputs.players.makeStream(on: connection, role: nil, format: mix.format)
                try #require(mix.phase == .opening)
                mix.becameReady(stranger)
                #expect(mix.phase == .opening)
                return mix
            }
            try host.awaitOutput(mix)
            host.withLock { mix.close() }
        }
    }

    @Test("Beside a server that hangs, a voice stands where it was heard, not where it was rendered")
    func replacedWhileHanging() async throws {
        try await withServer(.pulseAudio) { server in
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            let mix = try host.openOutput(role: nil)
            let sound = steadyVoice(in: mix, seconds: 20, ends: true)
            #expect(host.withLock { mix.play(sound) })
            try await waitUntil("some sound") { host.withLock { mix.position(of: sound) > mix.format.rate / 2 } }
            server.suspendProcess()
            let heard = host.withLock { mix.position(of: sound) }
            try host.withLock {
                mix.awaitReplacement()
                let connection = try host.link.readyConnection()
                mix.replaceStream(host.outputs.players.makeStream(on: connection, role: nil, format: mix.format))
                #expect(mix.position(of: sound) < heard + mix.format.rate / 5)
                mix.close()
            }
            server.resumeProcess()
        }
    }

    @Test("A stream that PipeWire refuses, as its only sink belongs to another program alone, is asked for again")
    func refused() async throws {
        try await withOwnedSink { owner, host in
            let mix = try host.withLock { try host.beginOutput(role: nil) }
            let first = host.withLock { mix.stream }
            try await waitUntil("another stream") { host.withLock { mix.stream !== first } }
            owner.send(SIGKILL)
            try host.awaitOutput(mix)
            host.withLock { mix.close() }
        }
    }

    @Test("A stream that PipeWire refuses to the end could not be made")
    func refusedToTheEnd() async throws {
        try await withOwnedSink { owner, host in
            let error = #expect(throws: SessionError.self) { try host.openOutput(role: nil) }
            #expect(error?.message.hasPrefix("The sound server refuses: ") == true)
            #expect(error?.message.hasSuffix(": Input/Output error") == true)
            owner.send(SIGKILL)
            let mix = try host.openOutput(role: nil)
            host.withLock { mix.close() }
        }
    }

    @Test("A sink of 50 Hz, which anybody can load, is played on")
    func slowSink() async throws {
        try await withServer(.pulseAudio) { server in
            let pactl = Pactl(server)
            _ = try await pactl.loadModule("module-null-sink", ["sink_name=slow", "rate=50", "channels=1"])
            try await pactl.setDefault(sink: "slow")
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            let mix = try host.openOutput(role: nil)
            #expect(mix.format.rate == 8000)
            let sound = steadyVoice(in: mix, seconds: 0.2, ends: true)
            #expect(host.withLock { mix.play(sound) })
            try await waitUntil("all of it") { host.withLock { mix.position(of: sound) == mix.format.rate / 5 } }
            host.withLock { mix.close() }
        }
    }

    /// Runs `body` with a program that has PipeWire's only sink for itself, and a host on that server.
    private func withOwnedSink(_ body: (ChildProcess, PulseHost) async throws -> Void) async throws {
        try await withServer(.pipeWire) { server in
            let owner = try ChildProcess(
                tool: "pacat", ["--playback", "--raw", "--property=node.exclusive=true", "/dev/zero"], on: server)
            _ = try await Pactl(server).waitForSinkInput(of: owner.processID) { $0.device != nil }
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            try await body(owner, host)
        }
    }
}
