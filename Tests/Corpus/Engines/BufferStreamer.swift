import AVFoundation

// A player of a stream: a timer schedules a small buffer whenever few are left, as players of network radio do.
@MainActor
final class BufferStreamer {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let file: AVAudioFile
    private var timer: Timer?
    private var scheduled = 0
    private var played = 0
    private(set) var isOver = false

    init(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        file = try AVAudioFile(forReading: url)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        try engine.start()
    }

    func start() {
        timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.fill() }
        }
        fill()
        player.play()
    }

    private func fill() {
        while scheduled - played < 4 {
            guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 4096),
                file.framePosition < file.length, (try? file.read(into: buffer)) != nil
            else {
                if scheduled == played { finish() }
                return
            }
            scheduled += 1
            player.scheduleBuffer(buffer, completionCallbackType: .dataPlayedBack) { [weak self] _ in
                Task { @MainActor in self?.played += 1 }
            }
        }
    }

    private func finish() {
        timer?.invalidate()
        timer = nil
        isOver = true
    }

    var buffers: Int { scheduled }

    func stop() {
        player.stop()
        engine.stop()
    }
}

extension BufferStreamer: Story {
    static func run(_ stage: Stage) async throws {
        let streamer = try BufferStreamer(stage.sound("song.wav"))
        streamer.start()
        try await stage.until("the end") { streamer.isOver }
        streamer.stop()
        stage.say("buffers \(streamer.buffers)")
    }
}
