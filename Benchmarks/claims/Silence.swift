import Foundation
import HeadlessServer
import PulseClient

/// How long after one app's claim the other's sound is heard, by a recorder that asks for 5 ms at a time.
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
        try Row.print(kind, "the server alone: corked -> the recorder hears no more", corks(on: server, ear))
        let crowd = try Crowd(2, as: "app", on: server)
        try crowd.order("tone", of: 0)
        var times: [UInt64] = []
        for _ in 0..<count {
            try ear.wait("sound") { now() - $0 < 50_000_000 }
            waitForSomeMoment()
            let start = try crowd.order("silence", of: 1).start
            _ = try crowd.next { $0.event == "began" }
            try ear.wait("silence") { now() - $0 > 200_000_000 }
            times.append(ear.lastSound - min(start, ear.lastSound))
            try crowd.order("stop", of: 1)
            _ = try crowd.next { $0.event == "ended" }
            crowd.forget()
        }
        // PipeWire's graph computes 1024 frames at a time here, at 44.1 kHz: two of them.
        Row.print(
            kind, "claim -> the recorder hears no more of the other", times,
            target: kind == .pulseAudio ? "15" : "46")
    }

    /// Any moment of the server's cycle: who acts a fixed time after the last sound always meets the same one.
    private func waitForSomeMoment() { usleep(.random(in: 300_000..<350_000)) }

    /// What passes where nobody has to be asked: a bare client corks its own stream.
    ///
    /// With PipeWire that is most of it: a stream's frames are taken a quantum before they are played.
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

/// Records what the sink plays, and remembers when sound came last.
// SAFETY: `last` is only touched with the loop's lock held.
final class Ear: @unchecked Sendable {
    private let connection: PulseConnection
    private let stream: RecordStream
    private var last: UInt64 = 0

    init(on server: HeadlessServer) throws {
        connection = try PulseConnection(name: "ear")
        try connection.sync { connection throws(PulseError) in try connection.connectAndWait(to: server.address) }
        let spec = SampleSpec(format: .int16, rate: 44_100, channels: 2)
        stream = RecordStream(connection: connection, name: "ear", spec: spec)
        try stream.sync { stream throws(PulseError) in
            stream.dataHandler = { [unowned self] _, bytes, _ in heard(bytes) }
            let fragment = UInt32(spec.bytes(0.005))
            try stream.connect(
                to: nil, attributes: BufferAttributes(fragmentSize: fragment), flags: .adjustLatency)
        }
    }

    /// When the last sample with sound in it was recorded; a fragment comes when its last sample has been.
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
