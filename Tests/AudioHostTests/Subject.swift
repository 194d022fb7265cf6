import AudioHost
import AudioRealtime
import HeadlessServer
import Locks
import PulseClient
import ScriptedHost
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// The hosts that are held to the contract.
enum HostKind: CaseIterable, CustomTestStringConvertible {
    case scripted, pulseAudio, pipeWire

    var testDescription: String { "\(self)" }
}

/// A host, and what its tests need beside the protocol.
struct Subject {
    let host: any AudioHost
    let events: Guarded<[HostEvent]>
    private let scripted: ScriptedHost?
    private let server: HeadlessServer?

    /// Waits until a condition holds, while time passes.
    func wait(for what: String, until condition: () -> Bool) async throws {
        try await waitUntil(what) {
            scripted?.advance(frames: ScriptedHost.rate / 20)
            return condition()
        }
    }

    /// Kills the streams of all captures, as a user does from a mixer.
    func killCaptures() async throws {
        scripted?.endCaptures()
        guard let server else { return }
        // pipewire-pulse forgets the wish of a client that leaves at once.
        let mixer = try PulseConnection(name: "mixer")
        try await mixer.connect(to: server.address, timeout: .seconds(5))
        let pactl = Pactl(server)
        for stream in try await pactl.sourceOutputs() { try await mixer.killSourceOutput(at: UInt32(stream.index)) }
        try await waitUntil("no streams") { try await pactl.sourceOutputs().isEmpty }
        withExtendedLifetime(mixer) {}
    }

    static func with(_ kind: HostKind, _ body: (Subject) async throws -> Void) async throws {
        let events = Guarded<[HostEvent]>([])
        let handler: HostEventHandler = { event in events.withLock { $0.append(event) } }
        switch kind {
        case .scripted:
            let host = ScriptedHost(events: handler)
            try await body(Subject(host: host, events: events, scripted: host, server: nil))
        case .pulseAudio, .pipeWire:
            try await withServer(kind == .pipeWire ? .pipeWire : .pulseAudio) { server in
                let host = try PulseHost(server: server.address, events: handler)
                try await body(Subject(host: host, events: events, scripted: nil, server: server))
                host.perform(.closeIO)
            }
        }
    }
}

/// A sound whose frames are counted; tells what the host asked of it.
final class CountingSource: SoundSource {
    let ring: Voice
    let refillThreshold: Int
    let told = Guarded<[String]>([])

    /// A source whose ring is full.
    init(in place: OutputPlace, seconds: Double, isEnd: Bool = true) {
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(2), to: place.channels)
        let frames = Int(seconds * Double(place.rate))
        ring = Voice(channels: 2, matrix: matrix, capacity: frames + place.rate, history: 2 * place.rate)
        refillThreshold = .max
        _ = ring.write([Float](repeating: 0.25, count: 2 * frames), frames: frames)
        ring.setEnded(isEnd)
    }

    func matrix(to channels: [Channel]) -> ChannelMatrix {
        ChannelMatrix(from: ChannelMatrix.standard(2), to: channels)
    }

    private func note(_ what: String) { told.withLock { $0.append(what) } }

    func refill() { note("refill") }
    func finished() { note("finished") }
    func interrupted() { note("interrupted") }
    func redecode() { note("redecode") }
}

/// A receiver that counts bytes.
final class CountingReceiver: CaptureReceiver {
    struct State {
        var bytes = 0
        var told: [String] = []
        var readiness = CaptureReadiness.ready
    }

    let state = Guarded(State())

    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int) { state.withLock { $0.bytes += count } }
    func prepare(forDuration duration: Double?, plus coming: Int) -> CaptureReadiness {
        state.withLock { $0.readiness }
    }
    func seconds(plus coming: Int, isRunning: Bool) -> Double {
        state.withLock { Double($0.bytes / 4 + coming) / 48_000 }
    }
    func interrupted(wasRunning: Bool) { if wasRunning { state.withLock { $0.told.append("interrupted") } } }
    func rested() { state.withLock { $0.told.append("rested") } }
    var isUrgent: Bool { false }
    func inputChanged(_ news: CaptureNews) {}
    func ended() { state.withLock { $0.told.append("ended") } }
}
