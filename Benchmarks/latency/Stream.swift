import AVFAudio
import Foundation
import PulseClient
import SoundAnalysis

/// The granted values and the underflows of a stream.
struct Result {
    /// The device's latency, in seconds.
    var buffer = 0.0
    /// From a write to the listener, without what is queued, in seconds.
    var latency = 0.0
    /// How often the server ran out of data.
    var underruns = 0

    /// As a line, for another process to read.
    var text: String { "\(buffer) \(latency) \(underruns)" }

    init() {}

    init?(_ line: String) {
        let fields = line.split(separator: " ")
        guard fields.count == 3, let buffer = Double(fields[0]), let latency = Double(fields[1]),
            let underruns = Int(fields[2])
        else { return nil }
        (self.buffer, self.latency, self.underruns) = (buffer, latency, underruns)
    }
}

/// What is asked for.
struct Wish: CustomStringConvertible {
    /// In Hz.
    let rate: Int
    /// In seconds; 0 for the library's own choice.
    let buffer: Double

    var description: String { "\(rate) Hz, " + (buffer == 0 ? "no wish" : "\(Int(buffer * 1000)) ms") }
    var arguments: [String] { ["\(rate)", "\(buffer)"] }
}

/// A player of the library, in a session with these wishes.
func ours(_ wish: Wish, seconds: Double) throws -> Result {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback)
    try session.setPreferredSampleRate(Double(wish.rate))
    try session.setPreferredIOBufferDuration(wish.buffer)
    let player = try AVAudioPlayer(data: TestSignal.sine(level: -20, seconds: 5, sampleRate: wish.rate).wavData)
    player.numberOfLoops = -1
    guard player.play() else { throw BenchError("the player does not start") }
    Thread.sleep(forTimeInterval: seconds)
    var result = Result()
    result.buffer = session.ioBufferDuration
    result.latency = session.outputLatency + session.ioBufferDuration
    result.underruns = session.outputUnderruns
    player.stop()
    return result
}

/// The least that a program has to do: it writes what the server asks for, with the same buffer.
func bare(_ wish: Wish, seconds: Double) async throws -> Result {
    let spec = SampleSpec(format: .float32, rate: UInt32(wish.rate), channels: 2)
    let connection = try PulseConnection(name: "bare")
    try await connection.connect(to: nil, timeout: .seconds(5))
    let stream = PlaybackStream(connection: connection, name: "bare", spec: spec)
    let count = Count()
    let device = wish.buffer == 0 ? 0.01 : min(0.1, max(0.002, wish.buffer))
    let request = UInt32(0.5 * Double(wish.rate)) * 8
    let target = UInt32((1 + device) * Double(wish.rate)) * 8
    try await stream.begin(
        BufferAttributes(targetLength: target, prebuffer: 8, minimumRequest: request), counting: count)
    try await Task.sleep(for: .seconds(seconds))
    var result = Result()
    let granted = await stream.bufferAttributes
    let ahead = Double(granted?.targetLength ?? 0) - 2 * Double(granted?.minimumRequest ?? 0)
    result.buffer = max(0, ahead) / 8 / Double(wish.rate)
    result.latency = max(await stream.timing?.sinkLatency ?? 0, result.buffer)
    result.underruns = count.value
    await stream.close()
    return result
}

extension PlaybackStream {
    fileprivate func begin(_ attributes: BufferAttributes, counting count: Count) throws(PulseError) {
        setHandlers(
            request: { stream, bytes in
                // The server's memory is handed out in pieces.
                var left = bytes
                while left > 0 {
                    let written = try? stream.write(left) { room in
                        room.initializeMemory(as: UInt8.self, repeating: 0)
                        return room.count
                    }
                    guard let written, written > 0 else { return }
                    left -= written
                }
            },
            event: { _, event in
                if case .underflow = event { count.add() }
            })
        try connect(to: nil, attributes: attributes, flags: [.autoTimingUpdate, .interpolateTiming])
    }
}

/// Counts, on the main loop's thread.
// SAFETY: `number` is guarded by `lock`.
final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    var value: Int { lock.withLock { number } }
    func add() { lock.withLock { number += 1 } }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
