import AudioRealtime
import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import SoundHost

@Suite("A voice without sound, among others", .limited)
struct OutputStarvingTests {
    @Test("It is waited for as long as the server has something to play, however far the listener is from the sink")
    func farSink() async throws {
        try await withServer(.pulseAudio) { server in
            let drain = try await PipeDrain(on: server)
            defer { drain.stop() }
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            let mix = try host.openOutput(role: nil)
            let sound = steadyVoice(in: mix, seconds: 20)
            let nothing = steadyVoice(in: mix, seconds: 0)
            #expect(host.withLock { mix.play(sound) })
            func heard(_ seconds: Double) async throws {
                try await waitUntil("\(seconds) s") {
                    host.withLock { Double(mix.position(of: sound)) >= seconds * Double(mix.format.rate) }
                }
            }
            try await heard(0.5)
            #expect(host.withLock { mix.sinkLatency ?? 0 } > 0.1)
            #expect(host.withLock { mix.play(nothing) })
            // More than was queued before.
            try await heard(3)
            host.withLock { mix.close() }
        }
    }
}

/// A sink that plays into a FIFO, and who empties that as fast as it sounds: what is in it is a third of a second.
// SAFETY: `stopped` is guarded by `lock`.
private final class PipeDrain: @unchecked Sendable {
    private let lock = NSLock()
    private var stopped = false

    init(on server: HeadlessServer) async throws {
        let path = server.directory.appendingPathComponent("far").path
        let pactl = Pactl(server)
        _ = try await pactl.loadModule(
            "module-pipe-sink", ["sink_name=far", "file=\(path)", "format=s16le", "rate=44100", "channels=2"])
        try await pactl.setDefault(sink: "far")
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        Thread.detachNewThread { [self] in empty(descriptor) }
    }

    func stop() { lock.withLock { stopped = true } }

    private func empty(_ descriptor: Int32) {
        var piece = [UInt8](repeating: 0, count: 1_764)
        var due = DispatchTime.now().uptimeNanoseconds
        while !lock.withLock({ stopped }) {
            due += 10_000_000
            let now = DispatchTime.now().uptimeNanoseconds
            // A loudspeaker plays when it is due: this wait is the sink's clock, and no test waits by it.
            if due > now { usleep(UInt32((due - now) / 1_000)) }
            _ = read(descriptor, &piece, piece.count)
        }
        close(descriptor)
    }
}
