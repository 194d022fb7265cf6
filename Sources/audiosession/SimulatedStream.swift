import Foundation
import Locks
import PulseClient
import SessionPolicy

/// A stream like that of a telephone program or an alarm clock.
enum SimulatedStream {
    private static let rate: UInt32 = 48_000

    /// Plays with a role that interrupts sessions, for some time or until the stream is killed.
    ///
    /// Throws when the server refuses the stream or goes away.
    ///
    /// - Parameters:
    ///   - connection: A ready connection.
    ///   - event: `call` or `alarm`.
    ///   - isAudible: Whether the stream is a soft tone, rather than silence.
    ///   - seconds: The duration; nil for no limit.
    ///   - started: Called with the stream's index when the server has created it.
    static func play(
        _ connection: PulseConnection, _ event: String, isAudible: Bool, seconds: Double?,
        started: @Sendable (UInt32) -> Void
    ) async throws(PulseError) {
        let stream = PlaybackStream(
            connection: connection, name: "simulated \(event)",
            spec: SampleSpec(format: .float32, rate: rate, channels: 1),
            properties: [
                "media.role": event == "call" ? "phone" : "alarm", "application.name": "Simulated \(event)",
                // A stranger's, also where the environment is that of a command of `audiosession run`.
                StreamEnvironment.ownerKey: "",
            ])
        let ring = Ring(isAudible: isAudible)
        let (states, state) = AsyncStream.makeStream(of: StreamState.self)
        await stream.setHandlers(
            request: { stream, bytes in _ = try? stream.write(bytes) { ring.fill($0) } },
            event: { _, event in
                if case .stateChanged(let new) = event { state.yield(new) }
            })
        // A fifth of a second: few wake-ups, and an end that is heard soon.
        try await stream.connect(attributes: BufferAttributes(targetLength: rate / 5 * 4))
        for await state in states {
            if case .failed(let error) = state { throw error }
            if state == .ready { break }
        }
        started(await stream.index ?? 0)
        let clock = Task {
            guard let seconds else { return }
            try await Task.sleep(for: .seconds(seconds))
            await stream.close()
        }
        defer { clock.cancel() }
        for await state in states {
            if case .failed(let error) = state {
                // Whoever wants to end a call may do so from a mixer.
                if error.code == .killed { return }
                throw error
            }
            if state == .closed { return }
        }
    }
}

/// A tone that comes and goes once a second, or silence.
private final class Ring: Sendable {
    private let level: Float
    private let frame = Guarded(0)

    init(isAudible: Bool) { level = isAudible ? 0.06 : 0 }

    func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let samples = room.bindMemory(to: Float.self)
        let first = frame.withLock { frame in
            defer { frame += samples.count }
            return frame
        }
        for (index, frame) in zip(samples.indices, first...) {
            let time = Double(frame % 48_000) / 48_000
            // Half a second of sound with round shoulders, half a second of rest.
            let envelope = time < 0.5 ? sin(time * 2 * .pi) : 0
            samples[index] = level * Float(envelope * sin(time * 2 * .pi * 440))
        }
        return samples.count * MemoryLayout<Float>.stride
    }
}
