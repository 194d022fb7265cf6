import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import PulseSimple
import Synchronization

/// The loudness that is being played, and the moments at which each listener heard a step of it.
///
/// A step is a change from silence to half of full level, in all of the sound at once.
final class Steps: Sendable {
    private let level = Atomic<UInt32>(0)
    private let heard: Mutex<[String: ContinuousClock.Instant]> = Mutex([:])

    /// What players write now.
    var sample: Float {
        get { Float(bitPattern: level.load(ordering: .relaxed)) }
        set { level.store(newValue.bitPattern, ordering: .relaxed) }
    }

    /// Takes sound that a listener got; the moment is that of its first loud frame, if this was not heard yet.
    func hears(_ who: String, _ samples: UnsafeBufferPointer<Float>, stride: Int, rate: Double) {
        guard let loud = samples.firstIndex(where: { abs($0) > 0.1 }) else { return }
        // The last frame has just come.
        let moment = ContinuousClock.now - .seconds(Double((samples.count - loud) / stride) / rate)
        heard.withLock { if $0[who] == nil { $0[who] = moment } }
    }

    /// Makes steps, and returns how long each listener waited for them, in seconds.
    func make(_ count: Int, heardBy listeners: [String]) -> [String: [Double]] {
        var result: [String: [Double]] = [:]
        for _ in 0..<count {
            // Silence, for a time that falls on any part of a quantum.
            sample = 0
            Thread.sleep(forTimeInterval: .random(in: 0.2...0.23))
            heard.withLock { $0 = [:] }
            let start = ContinuousClock.now
            sample = 0.5
            while heard.withLock({ $0.count }) < listeners.count, start.duration(to: .now) < .seconds(2) {
                Thread.sleep(forTimeInterval: 0.002)
            }
            for (who, moment) in heard.withLock({ $0 }) {
                result[who, default: []].append(start.duration(to: moment) / .seconds(1))
            }
        }
        return result
    }
}

/// A listener with libpulse's simple interface, until the process ends.
func listen(_ name: String, to source: String, on server: HeadlessServer, fragment: Double, _ steps: Steps) throws {
    let rate = 44_100.0
    let recording = try SimpleRecording(
        server: server.address, name: "ear", streamName: name, source: source,
        spec: SampleSpec(format: .float32, rate: UInt32(rate), channels: 1), fragment: fragment)
    let frames = max(1, Int(rate * fragment / 2))
    Thread.detachNewThread {
        while let (samples, _) = try? recording.read(float: frames) {
            samples.withUnsafeBufferPointer { steps.hears(name, $0, stride: 1, rate: rate) }
        }
    }
}

/// The least that a program has to do: it writes what the server asks for, with an engine's attributes.
final class BareClient: Sendable {
    let stream: PlaybackStream
    private let underflows = Atomic<Int>(0)
    var underruns: Int { underflows.load(ordering: .relaxed) }

    init(_ server: HeadlessServer, buffer: Double, _ steps: Steps) async throws {
        let spec = SampleSpec(format: .float32, rate: 44_100, channels: 2)
        let connection = try PulseConnection(name: "bare")
        try await connection.connect(to: server.address, timeout: .seconds(5))
        stream = PlaybackStream(connection: connection, name: "bare", spec: spec)
        let request = UInt32(spec.bytes(max(buffer, 0.005)))
        let attributes = BufferAttributes(
            targetLength: 2 * request + UInt32(spec.bytes(buffer)), prebuffer: 8, minimumRequest: request)
        try await begin(attributes, steps)
    }

    private func begin(_ attributes: BufferAttributes, _ steps: Steps) async throws {
        await stream.setHandlers(
            request: { stream, bytes in
                var left = bytes
                while left > 0 {
                    let written = try? stream.write(left) { room in
                        let samples = room.bindMemory(to: Float.self)
                        samples.update(repeating: steps.sample)
                        return room.count
                    }
                    guard let written, written > 0 else { return }
                    left -= written
                }
            },
            event: { [self] _, event in
                if case .underflow = event { underflows.add(1, ordering: .relaxed) }
            })
        try await stream.connect(to: nil, attributes: attributes, flags: [.autoTimingUpdate, .interpolateTiming])
    }

    func close() async { await stream.close() }
}

/// An engine with one source node, which writes the steps.
func sourceEngine(_ session: AVAudioSession, _ steps: Steps) throws -> AVAudioEngine {
    let engine = AVAudioEngine(session: session)
    let source = AVAudioSourceNode { _, _, frames, list in
        for buffer in UnsafeMutableAudioBufferListPointer(list) {
            let samples = buffer.mData?.assumingMemoryBound(to: Float.self)
            samples?.update(repeating: steps.sample, count: Int(frames))
        }
        return noErr
    }
    engine.attach(source)
    engine.connect(source, to: engine.mainMixerNode, format: nil)
    try engine.start()
    return engine
}

private func text(_ values: [Double]) -> String {
    values.isEmpty ? "never" : String(format: "%.1f ms", median(values) * 1000)
}

/// Measures engines beside bare clients on a device: latency of the output and of the input, and underruns.
///
/// - Parameters:
///   - seconds: The time for which underruns are counted, beside two busy loops.
///   - runs: How often.
func measureLive(_ kind: HeadlessServer.Kind, seconds: Double, runs: Int) async throws {
    let server = try HeadlessServer.start(kind)
    defer { server.stop() }
    let (steps, buffer) = (Steps(), 0.005)
    let control = try PulseConnection(name: "control")
    try await control.connect(to: server.address, timeout: .seconds(5))
    let sink = try await control.serverInfo().defaultSink ?? ""
    let session = AVAudioSession(server: server.address)
    try session.setCategory(.playAndRecord)
    try session.setPreferredIOBufferDuration(buffer)
    try listen("monitor", to: sink + ".monitor", on: server, fragment: 0.002, steps)

    let engine = try sourceEngine(session, steps)
    let ours = steps.make(40, heardBy: ["monitor"])["monitor"] ?? []
    engine.stop()
    let bare = try await BareClient(server, buffer: buffer, steps)
    let theirs = steps.make(40, heardBy: ["monitor"])["monitor"] ?? []
    print("\(kind): from a source node to the monitor \(text(ours)), from a bare client \(text(theirs))")

    // A microphone that hears what the bare client plays.
    _ = try await control.loadModule("module-remap-source", "master=\(sink).monitor source_name=microphone")
    try await control.setDefaultSource("microphone")
    try listen("bare", to: "microphone", on: server, fragment: buffer, steps)
    let input = AVAudioEngine(session: session)
    let receiver = AVAudioSinkNode { _, frames, list in
        let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
        let samples = UnsafeBufferPointer<Float>(UnsafeMutableBufferPointer<Float>(buffers[0]))
        steps.hears("sink node", samples, stride: 1, rate: 44_100)
        return noErr
    }
    input.attach(receiver)
    input.connect(input.inputNode, to: receiver, format: nil)
    try input.start()
    let heard = steps.make(40, heardBy: ["monitor", "bare", "sink node"])
    print(
        "\(kind): from the source to a sink node \(text(heard["sink node"] ?? [])),",
        "to a bare recorder \(text(heard["bare"] ?? [])), both with what the player takes")
    input.stop()
    await bare.close()

    var underruns = (ours: 0, theirs: 0)
    for _ in 0..<runs {
        let loops = try (0..<2).map { _ in try busyLoop() }
        defer { for loop in loops { loop.terminate() } }
        let before = session.outputUnderruns
        let engine = try sourceEngine(session, steps)
        try await Task.sleep(for: .seconds(seconds))
        underruns.ours += session.outputUnderruns - before
        engine.stop()
        let bare = try await BareClient(server, buffer: buffer, steps)
        try await Task.sleep(for: .seconds(seconds))
        underruns.theirs += bare.underruns
        await bare.close()
    }
    print(
        "\(kind): underruns in \(runs) times \(Int(seconds)) s beside two busy loops: \(underruns.ours),",
        "of a bare client \(underruns.theirs)")
}

private func busyLoop() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "while :; do :; done"]
    try process.run()
    return process
}
