import Glibc
import Locks
import PulseClient
import SoundHost

/// The peak levels of a server's sinks, from streams of their monitors.
///
/// The server computes the peaks, twenty a second, so that no sound passes through this process. A monitor's stream does not keep
/// PulseAudio from suspending its sink; on PipeWire the sink's node runs while it is there.
final class LevelMeters: Sendable {
    /// The receiver of the peak of a sink's last ``interval``, in dBFS; called on libpulse's loop.
    typealias Report = @Sendable (_ sink: String, _ peak: Double) -> Void

    /// The seconds of which each report has the peak.
    static let interval = 0.5
    /// The number of peaks a second that the server computes, of each channel.
    private static let rate: UInt32 = 20

    /// The sinks of each look; nil when the server is lost.
    private let wanted: AsyncStream<[Sink]?>.Continuation

    /// Meters without sinks.
    init(_ report: @escaping Report) {
        let (looks, wanted) = AsyncStream.makeStream(of: [Sink]?.self, bufferingPolicy: .bufferingNewest(1))
        self.wanted = wanted
        Task { await Self.follow(looks, report) }
    }

    deinit { wanted.finish() }

    /// Measures these sinks from now on, and no others; returns at once.
    func follow(_ sinks: [Sink]) { wanted.yield(sinks) }

    /// Forgets the sinks of a server that is gone.
    func lose() { wanted.yield(nil) }

    private static func follow(_ looks: AsyncStream<[Sink]?>, _ report: @escaping Report) async {
        var observer: ServerObserver?
        var streams: [UInt32: RecordStream] = [:]
        for await look in looks {
            if let known = observer, await known.connection.state != .ready || look == nil {
                await known.close()
                (observer, streams) = (nil, [:])
            }
            guard let sinks = look else { continue }
            if observer == nil { observer = try? await ServerObserver(name: "audiosession levels") }
            guard let observer else { continue }
            for (index, stream) in streams where !sinks.contains(where: { $0.index == index }) {
                await stream.close()
                streams[index] = nil
            }
            for sink in sinks where streams[sink.index] == nil {
                streams[sink.index] = await open(sink, observer.connection, report)
            }
        }
    }

    /// Opens the stream of a sink's monitor; nil if it cannot be recorded.
    private static func open(
        _ sink: Sink, _ connection: PulseConnection, _ report: @escaping Report
    ) async -> RecordStream? {
        guard let monitor = sink.monitorSource, let channels = sink.spec?.channels else { return nil }
        let spec = SampleSpec(format: .float32, rate: rate, channels: channels)
        let stream = RecordStream(connection: connection, name: "levels", spec: spec, map: sink.map)
        let meter = PeakMeter(samples: Int(interval * Double(rate)) * Int(channels)) { report(sink.name, $0) }
        await stream.setHandlers(
            data: { _, bytes, _ in if let bytes { meter.take(bytes.bindMemory(to: Float.self)) } }, event: nil)
        let fragment = UInt32(interval * Double(rate)) * UInt32(spec.bytesPerFrame)
        do throws(PulseError) {
            try await stream.connect(
                to: monitor, attributes: BufferAttributes(fragmentSize: fragment),
                flags: [.peakDetect, .dontMove, .adjustLatency, .dontInhibitAutoSuspend])
            return stream
        } catch {
            return nil
        }
    }
}

/// The peak of so many samples, again and again.
private final class PeakMeter: Sendable {
    private let samples: Int
    private let report: @Sendable (Double) -> Void
    private let state = Guarded((peak: Float(0), count: 0))

    init(samples: Int, _ report: @escaping @Sendable (Double) -> Void) {
        self.samples = samples
        self.report = report
    }

    func take(_ values: UnsafeBufferPointer<Float>) {
        for value in values {
            let peak: Float? = state.withLock { state in
                state.peak = max(state.peak, abs(value))
                state.count += 1
                guard state.count == samples else { return nil }
                defer { state = (0, 0) }
                return state.peak
            }
            if let peak { report(20 * log10(Double(max(peak, 1e-9)))) }
        }
    }
}

/// A receiver of snapshots whose sinks are measured too.
struct MeteredReceiver<Receiver: ServerWatchReceiver>: ServerWatchReceiver {
    let receiver: Receiver
    /// The meters; nil if no levels are asked for.
    let meters: LevelMeters?

    func look(at snapshot: ServerSnapshot, age: Double) {
        receiver.look(at: snapshot, age: age)
        meters?.follow(snapshot.sinks)
    }

    func lose() {
        meters?.lose()
        receiver.lose()
    }

    func find() { receiver.find() }
}
