import AudioHost
import Foundation
import HeadlessServer
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// What a capture has handed over.
// SAFETY: the values are guarded by `lock`.
private final class Deliveries: @unchecked Sendable {
    private let lock = NSLock()
    private var sizes: [Int] = []
    private var rests = 0

    /// Interleaved frames of one 16-bit channel.
    func append(bytes: Int) { lock.withLock { sizes.append(bytes / 2) } }
    func rest() { lock.withLock { rests += 1 } }

    /// Frames of each delivery.
    var all: [Int] { lock.withLock { sizes } }
    /// Frames of all deliveries.
    var frames: Int { lock.withLock { sizes.reduce(0, +) } }
    /// How often the last frames before a pause had come.
    var restCount: Int { lock.withLock { rests } }
}

@Suite("How much a capture is delivered at a time", .limited)
struct CaptureDeliveryTests {
    private static let rate = 48_000

    /// Opens a capture of a calm sink: without `norewinds`, which keeps PulseAudio's to 50 ms at most.
    private func withCapture(
        _ kind: HeadlessServer.Kind, _ body: (BareSession, Capture, Deliveries) async throws -> Void
    ) async throws {
        try await withServer(kind, sinks: [], modules: ["module-null-sink sink_name=calm"]) { server in
            let pactl = Pactl(server)
            try await pactl.waitForDefaultSource { $0.contains(".monitor") }
            let session = try BareSession(on: server)
            try session.activate(.of(.record))
            let deliveries = Deliveries()
            let capture = try session.host.openCapture(
                CaptureRequest(format: .int16, rate: Self.rate, channels: 1, role: nil),
                handlers: .init(
                    data: { deliveries.append(bytes: $1) }, interrupted: { _ in }, rested: { deliveries.rest() },
                    ended: {}))
            session.host.withLock { capture.resume() }
            try await waitUntil("a second") { deliveries.frames > Self.rate }
            try await body(session, capture, deliveries)
            session.host.withLock { capture.close() }
        }
    }

    /// The usual delivery of the next ones, in seconds.
    private func usual(_ deliveries: Deliveries) async throws -> Double {
        let first = deliveries.all.count
        try await waitUntil("five deliveries") { deliveries.all.count >= first + 5 }
        return Double(deliveries.all[first..<first + 5].sorted()[2]) / Double(Self.rate)
    }

    @Test("Much at a time, and little for who watches the levels", arguments: HeadlessServer.Kind.allCases)
    func pace(kind: HeadlessServer.Kind) async throws {
        try await withCapture(kind) { session, capture, deliveries in
            let calm = kind == .pipeWire ? 0.39...0.41 : 0.04...0.11
            #expect(try await calm.contains(usual(deliveries)))
            session.host.withLock { capture.setPace(.watched) }
            // What was on its way comes as it was asked for.
            let asked = deliveries.frames
            try await waitUntil("the change") { deliveries.frames > asked + Self.rate / 2 }
            #expect(try await usual(deliveries) < 0.06)
            session.host.withLock { capture.setPace(.usual) }
            try await waitUntil("the change back") { deliveries.frames > asked + 2 * Self.rate }
            #expect(try await calm.contains(usual(deliveries)))
        }
    }

    @Test(
        "What was heard before an interruption, or before its end, comes, to the frame, and soon",
        arguments: HeadlessServer.Kind.allCases)
    func ends(kind: HeadlessServer.Kind) async throws {
        try await withCapture(kind) { session, capture, deliveries in
            var expected = 0
            // The lock keeps frames from coming in between.
            session.host.withLock {
                let heard = deliveries.frames + capture.undelivered
                session.host.stopIO(interrupting: false)
                expected = deliveries.frames + capture.undelivered
                #expect(expected >= heard)
                #expect(!capture.isRunning)
            }
            try await waitUntil("the last frames") { deliveries.restCount == 1 }
            #expect(deliveries.frames == expected)
            // Going on, and being stopped by the app.
            session.host.withLock { capture.resume() }
            try await waitUntil("two more seconds") { deliveries.frames > expected + 2 * Self.rate }
            session.host.withLock {
                expected = deliveries.frames + capture.undelivered
                capture.finish()
            }
            #expect(deliveries.frames >= expected)
            #expect(deliveries.frames < expected + Self.rate / 5)
            #expect(deliveries.restCount == 1)
        }
    }

    @Test(
        "A capture that is to go on, or to end, before the last frames have come has them first",
        arguments: HeadlessServer.Kind.allCases)
    func atOnce(kind: HeadlessServer.Kind) async throws {
        try await withCapture(kind) { session, capture, deliveries in
            for isLast in [false, true] {
                var expected = 0
                let before = deliveries.frames
                session.host.withLock {
                    let heard = deliveries.frames + capture.undelivered
                    session.host.stopIO(interrupting: false)
                    expected = deliveries.frames + capture.undelivered
                    #expect(expected >= heard)
                    if isLast { capture.finish() } else { capture.resume() }
                    #expect(deliveries.frames == expected)
                    #expect(capture.isRunning == !isLast)
                }
                if !isLast { try await waitUntil("another second") { deliveries.frames > before + Self.rate } }
            }
            #expect(deliveries.restCount == 2)
        }
    }
}
