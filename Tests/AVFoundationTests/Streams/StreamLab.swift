import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

extension AVPlayerLab {
    /// A server that is gone is tried again after a second at most; one that is slow, as the machine may be, is not gone.
    static var limits: StreamLimits {
        var limits = StreamLimits()
        limits.silence = 30
        limits.reconnecting = 1
        return limits
    }

    /// A server that is silent for a second counts as gone.
    static var impatient: StreamLimits {
        var limits = limits
        limits.silence = 1
        return limits
    }

    func stream(_ url: URL, limits: StreamLimits = limits) -> AVPlayerItem {
        AVPlayerItem(asset: AVURLAsset(url: url, limits: limits))
    }

    /// The ADTS stream of a tone: AAC, in frames that can be cut anywhere between each other.
    func tone(_ frequency: Double, seconds: Double) throws -> Data { try adts(sine(frequency, seconds: seconds)) }

    /// The ADTS stream of a sound.
    func adts(_ signal: TestSignal, bitRate: Int? = nil) throws -> Data {
        try encoded(signal, bitRate: bitRate)
    }

    /// A stream of nine seconds, of which eight are a tone of 1 kHz, that seems to be shorter than four: its length is
    /// reckoned from the bits of its beginning, which are many.
    func seeminglyShort(_ web: WebServer) throws -> AVPlayerItem {
        let noise = try adts(.noise(seconds: 1, sampleRate: rate), bitRate: 320_000)
        let data = try noise + adts(sine(1000, seconds: 8), bitRate: 32_000)
        let file = WebFile(data: data, type: "audio/aac")
        web.on("/a.aac") { file.answer($0, $1) }
        return stream(web.url("/a.aac"))
    }

    /// How many hundredths of a second of a tone were heard.
    func heard(_ frequency: Double) -> Int {
        let recording = monitor.soFar()
        let block = rate / 100
        return (0..<recording.frames / block).count {
            recording.level(ofFrequency: frequency, $0 * block..<($0 + 1) * block) > -20
        }
    }
}

/// A sound as AAC.
func encoded(_ signal: TestSignal, _ container: AudioContainer = .adts, bitRate: Int? = nil) throws -> Data {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let writer = try AudioFileWriter(
        path: place.path, container: container, encoding: .aac, sampleRate: Double(signal.sampleRate),
        channels: signal.channels, bitRate: bitRate)
    try writer.write(int16: signal.samples, frames: signal.frames)
    try writer.close()
    return try Data(contentsOf: place)
}

/// The pieces of an ADTS stream, each of about so many seconds.
func pieces(ofADTS data: Data, seconds: Double, rate: Int) -> [Data] {
    let wanted = Int(seconds * Double(rate) / 1024)
    var result: [Data] = []
    var (start, place, count) = (0, 0, 0)
    while place + 7 <= data.count {
        place += Int(data[place + 3] & 3) << 11 | Int(data[place + 4]) << 3 | Int(data[place + 5]) >> 5
        count += 1
        if count % wanted == 0 || place >= data.count {
            result.append(Data(data[start..<min(place, data.count)]))
            start = place
        }
    }
    return result
}

/// Counts what the items of a player tell of stalls and failures.
// SAFETY: everything mutable is guarded by `lock`.
final class StallNews: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    private var token: (any NSObjectProtocol)?

    init(of item: AVPlayerItem) {
        token = NotificationCenter.default.addObserver(
            forName: AVPlayerItem.playbackStalledNotification, object: item, queue: nil
        ) { [weak self] _ in self?.add() }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    private func add() { lock.withLock { count += 1 } }

    var stalls: Int { lock.withLock { count } }
}

/// The stretches of numbers that count on without a break, and 0...0 for each gap: shorter to read than the numbers
/// where something is wrong.
func runs(_ numbers: [Int]) -> [ClosedRange<Int>] {
    var result: [ClosedRange<Int>] = []
    for number in numbers {
        // A gap, of whatever length, is one stretch.
        if number == 0, result.last == 0...0 { continue }
        if let last = result.last, last.upperBound + 1 == number, last != 0...0 {
            result[result.count - 1] = last.lowerBound...number
        } else {
            result.append(number...number)
        }
    }
    return result
}

/// What the handlers of seeks were told.
// SAFETY: `list` is guarded by `lock`.
final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [String: Bool] = [:]
    private var count = 0

    var all: [String: Bool] { lock.withLock { list } }
    var calls: Int { lock.withLock { count } }

    func add(_ name: String) -> @Sendable (Bool) -> Void {
        { isDone in
            self.lock.withLock {
                self.list[name] = isDone
                self.count += 1
            }
        }
    }
}

/// Keeps the main queue from telling anybody anything until the gate is opened.
func holdMain(_ gate: Gate) async throws {
    OperationQueue.main.addOperation { gate.pass() }
    try await waitUntil("the main queue", timeout: hangLimit) { gate.arrived == 1 }
}

/// Returns when everybody has been told what was to be told by now.
func waitForMain() async {
    await withCheckedContinuation { continuation in
        OperationQueue.main.addOperation { continuation.resume() }
    }
}

/// A lab, and a web server beside it.
func withStreamLab(
    _ kind: HeadlessServer.Kind, _ body: (AVPlayerLab, WebServer) async throws -> Void
) async throws {
    try await withAVPlayerLab(kind) { lab in try await withWebServer { web in try await body(lab, web) } }
}
