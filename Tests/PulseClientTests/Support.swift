import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

extension SampleSpec {
    /// The format of the test sinks.
    static let disc = SampleSpec(format: .int16, rate: 44_100, channels: 2)
}

/// A connection to a test server that is ready.
func connected(
    to server: HeadlessServer, name: String = "tests", properties: PropertyList = [:], mainloop: Mainloop? = nil
) async throws -> PulseConnection {
    let connection = PulseConnection(name: name, properties: properties, mainloop: try mainloop ?? Mainloop())
    try await connection.connect(to: server.address, timeout: .seconds(5))
    return connection
}

/// Feeds a playback stream with a sound, as the server asks for it.
///
/// When the sound is over it goes on with silence, or stops writing.
// SAFETY: only touched on the stream's loop.
final class Feeder: @unchecked Sendable {
    private let bytes: [UInt8]
    private let thenSilence: Bool
    private var offset = 0

    init(_ signal: TestSignal, thenSilence: Bool = false) {
        bytes = signal.samples.withUnsafeBytes { Array($0) }
        self.thenSilence = thenSilence
    }

    func feed(_ stream: isolated PlaybackStream, _ wanted: Int) {
        let count = min(wanted, bytes.count - offset)
        if count > 0 {
            bytes[offset..<offset + count].withUnsafeBytes { part in
                do { try stream.write(part) } catch { Issue.record(error) }
            }
            offset += count
        } else if thenSilence {
            _ = try? stream.write(wanted) { room in
                room.initializeMemory(as: UInt8.self, repeating: 0)
                return room.count
            }
        }
    }
}

/// A playback stream that is ready and plays a sound.
func playing(
    _ signal: TestSignal, on connection: PulseConnection, sink: String? = nil, properties: PropertyList = [:],
    thenSilence: Bool = false, latency: Double = 0.1, flags: StreamFlags = [], journal: Journal<StreamEvent> = Journal()
) async throws -> PlaybackStream {
    let stream = PlaybackStream(connection: connection, name: "test sound", spec: .disc, properties: properties)
    let feeder = Feeder(signal, thenSilence: thenSilence)
    await stream.setHandlers(request: { feeder.feed($0, $1) }, event: { journal.add($1) })
    let attributes = BufferAttributes(targetLength: UInt32(SampleSpec.disc.bytes(latency)))
    let flags = flags.union([.interpolateTiming, .autoTimingUpdate])
    try await stream.connect(to: sink, attributes: attributes, flags: flags)
    try await journal.wait(for: "a stream that is ready") { $0 == .stateChanged(.ready) }
    return stream
}

/// How many files and threads this process has.
func resources() throws -> (files: Int, threads: Int) {
    (
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    )
}
