import AVFoundation

// The sound effects of a game: files are read into buffers once, and players take turns.
final class GameAudio {
    private let engine = AVAudioEngine()
    private var buffers: [String: AVAudioPCMBuffer] = [:]
    private var players: [AVAudioPlayerNode] = []
    private var next = 0

    init(voices: Int = 16) throws {
        try AVAudioSession.sharedInstance().setCategory(.ambient)
        for _ in 0..<voices {
            let player = AVAudioPlayerNode()
            engine.attach(player)
            engine.connect(player, to: engine.mainMixerNode, format: nil)
            players.append(player)
        }
        engine.mainMixerNode.outputVolume = 0.8
        try engine.start()
    }

    func load(_ name: String, from url: URL) throws {
        let file = try AVAudioFile(forReading: url)
        guard
            let buffer = AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length))
        else { return }
        try file.read(into: buffer)
        buffers[name] = buffer
    }

    func play(_ name: String, volume: Float = 1, pan: Float = 0) {
        guard let buffer = buffers[name] else { return }
        let player = players[next]
        next = (next + 1) % players.count
        player.volume = volume
        player.pan = pan
        player.scheduleBuffer(buffer, at: nil, options: .interrupts, completionHandler: nil)
        player.play()
    }

    func silence() { players.forEach { $0.stop() } }

    var isRunning: Bool { engine.isRunning }

    var seconds: Double { engine.outputNode.lastRenderTime.map { Double($0.sampleTime) / $0.sampleRate } ?? 0 }
}

extension GameAudio: Story {
    static func run(_ stage: Stage) async throws {
        let audio = try GameAudio()
        try audio.load("shot", from: stage.sound("effect.wav"))
        try audio.load("talk", from: stage.sound("voice.wav"))
        audio.play("missing")
        audio.play("talk", volume: 0.5, pan: -1)
        for _ in 0..<10 { audio.play("shot", volume: 0.3) }
        // The shots ring out; then nothing plays, and the engine goes on.
        let start = audio.seconds
        try await stage.until("silence") { audio.seconds > start + 0.5 }
        audio.silence()
        audio.play("shot")
        try await stage.until("silence again") { audio.seconds > start + 0.9 }
        stage.say("running \(audio.isRunning)")
    }
}
