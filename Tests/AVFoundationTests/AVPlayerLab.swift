import AVFoundation
import HeadlessServer
import TestSupport
import Testing

/// A session of its own on a private server, and an ear at its sink.
struct AVPlayerLab: Sendable {
    let server: HeadlessServer
    let rate: Int
    let session: AVAudioSession
    let monitor: MonitorRecording

    /// Writes a sound into the server's folder, which goes with the server.
    func file(_ signal: TestSignal) throws -> URL {
        try signal.writeWAV(to: server.directory.appendingPathComponent("\(UUID().uuidString).wav"))
    }

    func item(_ signal: TestSignal) throws -> AVPlayerItem { AVPlayerItem(url: try file(signal)) }

    func player(_ item: AVPlayerItem?) -> AVPlayer { AVPlayer(playerItem: item, session: session) }

    /// Frames that count, from 1.
    func counter(_ seconds: Double) -> TestSignal { .counter(from: 1, seconds: seconds, sampleRate: rate) }

    func sine(_ frequency: Double, seconds: Double) -> TestSignal {
        .sine(frequency: frequency, level: -12, seconds: seconds, sampleRate: rate)
    }

    /// Waits until what is on its way has been recorded too, and returns the numbers that were heard; silence, which is
    /// 0, only between them, and only if it is wanted.
    func counted(withGaps: Bool = false, from first: Int = 0) async throws -> [Int] {
        try await monitor.wait(seconds: 0.3)
        let recording = monitor.soFar(from: first)
        let samples =
            recording.pcm16.isEmpty
            ? (0..<recording.frames).flatMap { frame in
                recording.channels.map { Int16(max(-32_768, min(32_767, ($0[frame] * 32_768).rounded()))) }
            } : recording.pcm16
        let numbers = stride(from: 0, to: samples.count - 1, by: 2).map { index in
            TestSignal.position(left: samples[index], right: samples[index + 1])
        }
        guard withGaps else { return numbers.filter { $0 != 0 } }
        guard let first = numbers.firstIndex(where: { $0 != 0 }), let last = numbers.lastIndex(where: { $0 != 0 })
        else {
            return []
        }
        return Array(numbers[first...last])
    }
}

func withAVPlayerLab(_ kind: HeadlessServer.Kind, _ body: (AVPlayerLab) async throws -> Void) async throws {
    // Each server mixes into such a sink without any conversion.
    let sink: HeadlessServer.NullSink = kind == .pipeWire ? .init(rate: 48_000, format: "float32le") : .init()
    try await withServer(kind, sinks: [sink]) { server in
        let session = AVAudioSession(server: server.address)
        try session.setCategory(.playback)
        let monitor = try await MonitorRecording.start(on: server, sink: sink)
        try await body(AVPlayerLab(server: server, rate: sink.rate, session: session, monitor: monitor))
        _ = try await monitor.stop()
    }
}

/// The first number of each stretch that counts on without a break.
func stretches(_ numbers: [Int]) -> [Int] {
    Array(numbers.prefix(1)) + zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }.map(\.1)
}

/// Keeps what a player and its items tell.
// SAFETY: everything mutable is guarded by `lock`.
final class PlayerNews: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    init(of player: AVPlayer) {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil) {
                [weak self, weak player] notification in
                guard let self, let player else { return }
                let value = notification.userInfo?[AVPlayer.rateDidChangeReasonKey]
                let reason = value as? AVPlayer.RateDidChangeReason
                let words = (value as? String)?.replacingOccurrences(of: "AVPlayerRateDidChangeReason", with: "")
                note("\(words ?? "?") \(reason?.rawValue == value as? String) \(player.rate)")
            },
            center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) {
                [weak self, weak player] notification in
                guard let self, let player else { return }
                if notification.object as? AVPlayerItem === player.currentItem { note("end") }
            },
            center.addObserver(forName: .AVPlayerItemFailedToPlayToEndTime, object: nil, queue: nil) {
                [weak self, weak player] notification in
                guard let self, let player else { return }
                guard notification.object as? AVPlayerItem === player.currentItem else { return }
                let error = notification.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? NSError
                note("failed \(error?.code ?? 0)")
            },
        ]
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    private func note(_ news: String) { lock.withLock { list.append(news) } }

    /// The changes of the rate: the last word of the reason, whether both casts agree, the rate.
    var all: [String] { lock.withLock { list } }
    func count(_ news: String) -> Int { all.count { $0 == news } }
}

func waitUntilReady(_ item: AVPlayerItem) async throws {
    try await waitUntil("the item to be ready", timeout: hangLimit) { item.status == .readyToPlay }
}
