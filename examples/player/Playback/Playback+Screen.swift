import AVFAudio
import CommandLineSupport
import MediaPlayer

/// What the person presses and sees.
extension Playback {
    /// Carries a key out.
    func pressed(_ key: Key) {
        guard let player else { return }
        switch key {
        case .character(" "): state == .playing ? pause(because: "user") : resume()
        case .character("q"): quit()
        case .left: seek(to: player.currentTime - 5)
        case .right: seek(to: player.currentTime + 5)
        case .up: change(volume: player.volume + 0.05)
        case .down: change(volume: player.volume - 0.05)
        case .character("<"): changeRate(by: -0.05)
        case .character(">"): changeRate(by: 0.05)
        case .character: return
        }
        draw()
    }

    /// Draws the status line where there is a terminal.
    func draw() {
        guard let terminal = program.terminal, let player else { return }
        let sign = state == .playing ? ">" : state == .interrupted ? "!" : "="
        let (position, duration) = (Drawing.time(player.currentTime), Drawing.time(player.duration))
        let rate = player.rate == 1 ? "" : "\(Int((player.rate * 100).rounded()))%  "
        let volume = rate + "vol \(Int((player.volume * 100).rounded()))%"
        let room = terminal.columns - 1 - "\(sign) \(position)  \(duration)    \(volume)".count
        guard room >= 12 else {
            return terminal.draw(String("\(sign) \(position) / \(duration)".prefix(terminal.columns - 1)))
        }
        let meterWidth = min(20, room / 3)
        let share = player.duration > 0 ? player.currentTime / player.duration : 0
        let bar = Drawing.progressBar(share, width: room - meterWidth)
        let meter = levelMeter(player, width: meterWidth, inColour: terminal.inColour)
        terminal.draw("\(sign) \(position) \(bar) \(duration)  \(meter)  \(volume)")
    }

    /// Goes to a position in the file, in seconds.
    func seek(to position: Double) {
        guard let player else { return }
        player.currentTime = min(max(0, position), player.duration)
        lastPosition = player.currentTime
        tellRemote()
    }

    /// Changes how loud the file is played, from 0 to 1.
    func change(volume: Float) {
        player?.volume = min(1, max(0, volume))
        MPRemoteCommandCenter.shared().changeVolumeCommand.currentVolume = player?.volume ?? 1
    }

    private func changeRate(by step: Float) {
        guard let player else { return }
        // In whole steps, so that 1 is reached exactly.
        player.rate = min(2, max(0.5, ((player.rate + step) * 20).rounded() / 20))
        tellRemote()
    }

    private func levelMeter(_ player: AVAudioPlayer, width: Int, inColour: Bool) -> String {
        player.updateMeters()
        let channels = 0..<max(1, player.numberOfChannels)
        let silent = state != .playing
        return Drawing.levelMeter(
            average: silent ? MeterTable.floor : channels.map(player.averagePower).max() ?? MeterTable.floor,
            peak: silent ? MeterTable.floor : channels.map(player.peakPower).max() ?? MeterTable.floor,
            width: width, inColour: inColour)
    }
}
