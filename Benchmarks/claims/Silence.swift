import Foundation
import HeadlessServer
import PulseClient

/// The time for which one app is still heard after another's claim, by recorders with fragments of 5 ms.
///
/// One records the sink's monitor, the other the stream itself, since PipeWire's monitor lags the sink by a quantum
/// (docs/decisions/0064).
struct Silence {
    let kind: HeadlessServer.Kind
    let count: Int

    init(on kind: HeadlessServer.Kind, count: Int) {
        self.kind = kind
        self.count = count
    }

    func run() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        let ear = try Ear(on: server)
        try Row.print(kind, "the server alone: corked -> the monitor is silent", corks(on: server, ear))
        let crowd = try Crowd(2, as: "app", on: server)
        try crowd.order("tone", of: 0)
        let tap = try Ear(on: server, ofProcess: crowd.processes[0].processIdentifier)
        var (monitor, given, delays): ([UInt64], [UInt64], [UInt64]) = ([], [], [])
        for _ in 0..<count {
            for ear in [ear, tap] { try ear.wait("sound") { now() - $0 < 50_000_000 } }
            waitForSomeMoment()
            let start = try crowd.order("silence", of: 1).start
            _ = try crowd.next { $0.event == "began" }
            for ear in [ear, tap] { try ear.wait("silence") { now() - $0 > 200_000_000 } }
            let (heard, gave) = (ear.lastSound, tap.lastSound)
            monitor.append(heard - min(start, heard))
            given.append(gave - min(start, gave))
            delays.append(heard - min(gave, heard))
            try crowd.order("stop", of: 1)
            _ = try crowd.next { $0.event == "ended" }
            crowd.forget()
        }
        // PipeWire's graph computes 1024 frames at a time here, at 44.1 kHz, and plays them while it computes the next:
        // the target is two of these. PulseAudio's sink has 5 ms before it for the recorders' sake.
        let (block, target): (UInt64, String) = kind == .pulseAudio ? (5_000_000, "15") : (23_220_000, "46")
        Row.print(kind, "claim -> the last block given to the sink is over", given.map { $0 + block }, target: target)
        Row.print(kind, "claim -> the monitor's recorder hears no more", monitor)
        Row.print(kind, "by which that recorder is later than the sink", delays)
    }

    /// A random part of the server's quantum, since a fixed delay after the last sound would always meet the same one.
    private func waitForSomeMoment() { usleep(.random(in: 300_000..<350_000)) }

    /// The baseline without claims: a bare client corks its own stream.
    ///
    /// With PipeWire that is the monitor's and the recorder's own delay: the sink is given nothing after the quantum
    /// that runs.
    private func corks(on server: HeadlessServer, _ ear: Ear) throws -> [UInt64] {
        let connection = try PulseConnection(name: "tone")
        try connection.sync { connection throws(PulseError) in try connection.connectAndWait(to: server.address) }
        let spec = SampleSpec(format: .int16, rate: 44_100, channels: 2)
        let tone = PlaybackStream(connection: connection, name: "tone", spec: spec)
        try tone.sync { tone throws(PulseError) in
            // Loud, and not heard.
            tone.requestHandler = { tone, bytes in
                _ = try? tone.write(bytes) { room in
                    let samples = room.bindMemory(to: Int16.self)
                    for index in samples.indices { samples[index] = index / 100 % 2 == 0 ? 8000 : -8000 }
                    return room.count
                }
            }
            try tone.connect(attributes: BufferAttributes(targetLength: UInt32(spec.bytes(0.1))))
        }
        defer { tone.sync { $0.close() } }
        return try (0..<count).map { _ in
            try ear.wait("sound") { now() - $0 < 50_000_000 }
            waitForSomeMoment()
            let start = now()
            tone.sync { $0.cork(true) }
            try ear.wait("silence") { now() - $0 > 200_000_000 }
            defer { tone.sync { $0.cork(false) } }
            return ear.lastSound - min(start, ear.lastSound)
        }
    }
}

/// A recorder that remembers the time of the last sound.
// SAFETY: `last` is only touched with the loop's lock held.
final class Ear: @unchecked Sendable {
    private let connection: PulseConnection
    private let stream: RecordStream
    private var last: UInt64 = 0

    /// Records the monitor, or the one stream of a process.
    init(on server: HeadlessServer, ofProcess process: pid_t? = nil) throws {
        connection = try PulseConnection(name: "ear")
        try connection.sync { connection throws(PulseError) in try connection.connectAndWait(to: server.address) }
        let spec = SampleSpec(format: .int16, rate: 44_100, channels: 2)
        stream = RecordStream(connection: connection, name: "ear", spec: spec)
        let input = try process.map { try Self.sinkInput(of: $0, connection) }
        try stream.sync { stream throws(PulseError) in
            stream.dataHandler = { [unowned self] _, bytes, _ in heard(bytes) }
            let fragment = UInt32(spec.bytes(0.005))
            try stream.connect(
                monitoring: input, attributes: BufferAttributes(fragmentSize: fragment), flags: .adjustLatency)
        }
    }

    private static func sinkInput(of process: pid_t, _ connection: PulseConnection) throws -> UInt32 {
        let answer = Answer()
        connection.sync { $0.sinkInputs { result in answer.inputs = try? result.get() } }
        let deadline = now() + 10_000_000_000
        while connection.mainloop.withLock({ answer.inputs }) == nil, now() < deadline { usleep(1000) }
        let inputs = connection.mainloop.withLock { answer.inputs } ?? []
        guard let input = inputs.first(where: { $0.properties["application.process.id"] == "\(process)" }) else {
            throw BenchError(description: "the tone has no stream")
        }
        return input.index
    }

    /// What the server said.
    // SAFETY: only touched with the loop's lock held.
    private final class Answer: @unchecked Sendable { var inputs: [SinkInput]? }

    /// The time at which the last audible sample was recorded; a fragment arrives after its last sample.
    var lastSound: UInt64 { connection.mainloop.withLock { last } }

    private func heard(_ bytes: UnsafeRawBufferPointer?) {
        guard let samples = bytes?.bindMemory(to: Int16.self) else { return }
        guard let loud = samples.lastIndex(where: { abs(Int32($0)) > 100 }) else { return }
        last = now() - UInt64(samples.count - 1 - loud) / 2 * 1_000_000_000 / 44_100
    }

    func wait(_ what: String, until condition: (UInt64) -> Bool) throws {
        let deadline = now() + 10_000_000_000
        while !condition(lastSound) {
            guard now() < deadline else { throw BenchError(description: "no \(what)") }
            usleep(1000)
        }
    }
}
