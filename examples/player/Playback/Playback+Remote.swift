import AVFAudio
import AudioFiles
import CommandLineSupport
import Foundation
import MediaPlayer

/// Media keys, lock screens and remote controls, where there is a session bus (MPRIS).
extension Playback {
    /// Offers what a remote control can ask for.
    func observeRemote() {
        let center = MPRemoteCommandCenter.shared()
        center.playCommand.addTarget { [unowned self] _ in
            if state != .playing { resume() }
            return state == .playing ? .success : .commandFailed
        }
        center.pauseCommand.addTarget { [unowned self] _ in
            pauseRemotely()
            return .success
        }
        center.togglePlayPauseCommand.addTarget { [unowned self] _ in
            state == .playing ? pauseRemotely() : resume()
            return .success
        }
        center.stopCommand.addTarget { [unowned self] _ in
            pauseRemotely()
            seek(to: 0)
            return .success
        }
        center.nextTrackCommand.addTarget { [unowned self] _ in skip(by: 1) }
        center.previousTrackCommand.addTarget { [unowned self] _ in
            // As on every player: first to the beginning, from there to the one before.
            guard let player, player.currentTime < 3, hasPrevious else {
                seek(to: 0)
                return .success
            }
            return skip(by: -1)
        }
        center.changePlaybackPositionCommand.addTarget { [unowned self] event in
            guard let event = event as? MPChangePlaybackPositionCommandEvent else { return .commandFailed }
            seek(to: event.positionTime)
            return .success
        }
        observeRemoteSettings(center)
    }

    private func observeRemoteSettings(_ center: MPRemoteCommandCenter) {
        center.changeVolumeCommand.currentVolume = player?.volume ?? options.volume
        center.changeVolumeCommand.addTarget { [unowned self] event in
            guard let event = event as? MPChangeVolumeCommandEvent else { return .commandFailed }
            change(volume: event.volume)
            return .success
        }
        center.changeRepeatModeCommand.addTarget { [unowned self] event in
            // It plays its files once; what can be repeated is the current one.
            guard let event = event as? MPChangeRepeatModeCommandEvent, event.repeatType != .all else {
                return .commandFailed
            }
            player?.numberOfLoops = event.repeatType == .one ? -1 : 0
            tellRepeatMode()
            watchPosition()
            return .success
        }
        // The rate can be changed where the sound is made with that in mind.
        guard player?.enableRate == true else { return }
        center.changePlaybackRateCommand.addTarget { [unowned self] event in
            guard let event = event as? MPChangePlaybackRateCommandEvent, let player else { return .commandFailed }
            player.rate = min(2, max(0.5, event.playbackRate))
            tellRemote()
            return .success
        }
    }

    /// Says whether the current file is repeated.
    func tellRepeatMode() {
        let loops = player?.numberOfLoops ?? options.loops
        MPRemoteCommandCenter.shared().changeRepeatModeCommand.currentRepeatType = loops == 0 ? .off : .one
    }

    /// Says what plays, and where it is; to be called after each change of these.
    func tellRemote() {
        guard let player else { return }
        let center = MPRemoteCommandCenter.shared()
        center.nextTrackCommand.isEnabled = hasNext
        let path = absolutePath(options.files[index])
        let info = MPNowPlayingInfoCenter.default()
        info.nowPlayingInfo = [
            MPMediaItemPropertyTitle: URL(fileURLWithPath: path.readablePath).deletingPathExtension().lastPathComponent,
            MPMediaItemPropertyPlaybackDuration: player.duration,
            MPNowPlayingInfoPropertyElapsedPlaybackTime: player.currentTime,
            MPNowPlayingInfoPropertyPlaybackRate: state == .playing ? Double(player.rate) : 0,
            MPNowPlayingInfoPropertyDefaultPlaybackRate: Double(player.rate),
            MPNowPlayingInfoPropertyPlaybackQueueIndex: index,
            MPNowPlayingInfoPropertyPlaybackQueueCount: options.files.count,
            MPNowPlayingInfoPropertyAssetURL: URL(fileAt: path),
        ]
    }

    /// During an interruption too: who asks for it then does not want the sound to go on afterwards.
    private func pauseRemotely() {
        if state == .interrupted {
            state = .paused
            program.events.emit("paused", ["reason": "remote"])
            draw()
        }
        pause(because: "remote")
    }

    private func skip(by step: Int) -> MPRemoteCommandHandlerStatus {
        guard options.files.indices.contains(index + step) else { return .noSuchContent }
        // Whoever skips wants to hear something, also where it was paused.
        let (old, position) = (index, player?.currentTime ?? 0)
        player?.stop()
        index += step
        guard loadSound(at: 0, by: step) else {
            index = old
            load(at: position)
            return state == .playing && !begin() ? stand(.paused) : .noSuchContent
        }
        do { try activate() } catch {
            program.report(oneLine(error), error as NSError)
            // Who was interrupted still is, and goes on with this file.
            return stand(state == .playing ? .paused : state)
        }
        guard begin() else {
            failIfUndecodable()
            return stand(.paused)
        }
        return .success
    }

    /// The file stands at its beginning, until somebody asks again.
    private func stand(_ standing: State) -> MPRemoteCommandHandlerStatus {
        if state != standing { program.events.emit("paused", ["reason": "remote"]) }
        state = standing
        tellRemote()
        draw()
        return .commandFailed
    }
}
