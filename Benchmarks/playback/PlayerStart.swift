import AVFAudio
import Foundation
import HeadlessServer

/// The times of players in a running program: from `play()` to the first sample, one and many at once.
struct PlayerStart {
    let server: HeadlessServer
    let ear: Ear
    let file: String
    let runs: Int

    func run() throws {
        let session = AVAudioSession(server: server.address)
        try session.setCategory(.playback)
        let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: file), session: session)
        var times: [Double] = []
        for _ in 0..<runs {
            player.prepareToPlay()
            ear.clear()
            let start = ContinuousClock.now
            player.play()
            if let heard = ear.firstSound(within: 5) { times.append((heard - start) / .milliseconds(1)) }
            player.pause()
            player.currentTime = 0
        }
        say(row("play() of a prepared player", milliseconds(times)))
        player.stop()
        try many(64, session)
        try session.setActive(false)
    }

    private func many(_ count: Int, _ session: AVAudioSession) throws {
        let players = try (0..<count).map { _ in
            let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: file), session: session)
            player.numberOfLoops = -1
            player.volume = 0.01
            return player
        }
        for player in players { player.play() }
        Thread.sleep(forTimeInterval: 2)
        let process = ProcessInfo.processInfo.processIdentifier
        let before = Load(of: [process])
        Thread.sleep(forTimeInterval: 5)
        let load = Load(of: [process]) - before
        for player in players { player.stop() }
        let share = String(format: "%.1f %%", load.processor / 5 * 100)
        say("\(count) players of 44.1 kHz at once: \(share) of a core, \(load.sleeps / 5) wake-ups a second")
    }
}
