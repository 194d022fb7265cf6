import AVFoundation

// The singleton of many games: a cache of players by name, several of each for overlapping shots.
// SAFETY: `cache` is guarded by `lock`; `isOn` is set on the main thread only.
final class SoundManager: @unchecked Sendable {
    static let shared = SoundManager()
    private let lock = NSLock()
    private var cache: [String: [AVAudioPlayer]] = [:]
    var isOn = true

    private init() { try? AVAudioSession.sharedInstance().setCategory(.ambient, mode: .default) }

    func preload(_ url: URL, copies: Int) {
        let players = (0..<copies).compactMap { _ in try? AVAudioPlayer(contentsOf: url) }
        players.forEach { $0.prepareToPlay() }
        lock.withLock { cache[url.lastPathComponent] = players }
    }

    @discardableResult
    func play(_ name: String, volume: Float = 1) -> Bool {
        guard isOn, let player = lock.withLock({ cache[name]?.first { !$0.isPlaying } }) else { return false }
        player.volume = volume
        return player.play()
    }

    var playing: Int { lock.withLock { cache.values.joined().filter(\.isPlaying).count } }
}

extension SoundManager: Story {
    static func run(_ stage: Stage) async throws {
        let sounds = SoundManager.shared
        sounds.preload(stage.sound("effect.wav"), copies: 2)
        // A shot far away is not as loud. Two as loud as each other could cancel each other out in what is heard.
        let shots = [1, 0.5, 1].map { sounds.play("effect.wav", volume: $0) }
        stage.say("shots \(shots) playing \(sounds.playing)")
        try await stage.until("silence") { sounds.playing == 0 }
        sounds.isOn = false
        stage.say("off \(sounds.play("effect.wav"))")
    }
}
