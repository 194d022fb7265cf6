internal import DesktopBus
internal import Foundation

/// Translation of MPRIS requests into Apple's commands.
extension MPRemoteCommandCenter {
    /// Whether any command has targets, enabled or not.
    var isInUse: Bool { all.contains(where: \.isHandled) }

    private var all: [MPRemoteCommand] {
        [
            playCommand, pauseCommand, stopCommand, togglePlayPauseCommand, nextTrackCommand, previousTrackCommand,
            seekForwardCommand, seekBackwardCommand, skipForwardCommand, skipBackwardCommand,
            changePlaybackRateCommand, changePlaybackPositionCommand, changeRepeatModeCommand,
            changeShuffleModeCommand, ratingCommand, likeCommand, dislikeCommand, bookmarkCommand,
            enableLanguageOptionCommand, disableLanguageOptionCommand, changeVolumeCommand,
        ]
    }

    /// Fills in the abilities of a player whose status is known, and the values that the commands hold.
    ///
    /// Many apps disable commands without an effect at the moment, such as play during playback. Desktops hide a player
    /// that cannot play, and a pause has to reach an interrupted player: both stay on offer.
    func describe(_ player: inout OfferedPlayer) {
        let toggle = togglePlayPauseCommand.isUsable
        let isPlaying = player.status == .playing
        let play = toggle || playCommand.isUsable || isPlaying && playCommand.isHandled
        let pause = toggle || pauseCommand.isUsable || !isPlaying && pauseCommand.isHandled
        let offers: [(OfferedPlayer.Ability, Bool)] = [
            (.play, play), (.pause, pause), (.stop, pause || stopCommand.isUsable),
            (.next, nextTrackCommand.isUsable), (.previous, previousTrackCommand.isUsable),
            (.seek, skipForwardCommand.isUsable || skipBackwardCommand.isUsable),
            (.position, changePlaybackPositionCommand.isUsable), (.rate, changePlaybackRateCommand.isUsable),
            (.volume, changeVolumeCommand.isUsable),
        ]
        player.abilities = Set(offers.filter(\.1).map(\.0))
        if changePlaybackRateCommand.isUsable { player.rates = changePlaybackRateCommand.range }
        player.volume = Double(max(0, changeVolumeCommand.currentVolume))
        if changeRepeatModeCommand.isUsable { player.loop = .init(changeRepeatModeCommand.currentRepeatType) }
        if changeShuffleModeCommand.isUsable { player.shuffle = changeShuffleModeCommand.currentShuffleType != .off }
    }

    /// Sends the command that fits a request, on the main queue.
    func send(_ request: PlayerRequest, isPlaying: Bool) -> MPRemoteCommandHandlerStatus {
        switch request {
        case .play: play(isPlaying)
        case .pause: pause(isPlaying)
        case .playPause:
            if togglePlayPauseCommand.isUsable {
                send(togglePlayPauseCommand)
            } else {
                isPlaying ? pause(isPlaying) : play(isPlaying)
            }
        case .stop: stopCommand.isUsable ? send(stopCommand) : pause(isPlaying)
        case .next: send(nextTrackCommand)
        case .previous: send(previousTrackCommand)
        case .seek(let seconds):
            seconds < 0 ? skip(skipBackwardCommand, -seconds) : skip(skipForwardCommand, seconds)
        case .position(let seconds, _):
            to(changePlaybackPositionCommand) { MPChangePlaybackPositionCommandEvent($0, positionTime: seconds) }
        case .rate(let rate):
            to(changePlaybackRateCommand) {
                MPChangePlaybackRateCommandEvent($0, playbackRate: Float(changePlaybackRateCommand.nearest(rate)))
            }
        case .volume(let volume):
            to(changeVolumeCommand) { MPChangeVolumeCommandEvent($0, volume: Float(min(1, volume))) }
        case .loop(let loop):
            to(changeRepeatModeCommand) { MPChangeRepeatModeCommandEvent($0, repeatType: .init(loop)) }
        case .shuffle(let shuffle):
            to(changeShuffleModeCommand) {
                MPChangeShuffleModeCommandEvent($0, shuffleType: shuffle ? .items : .off)
            }
        }
    }

    /// Plays.
    ///
    /// A toggle is only sent if it has the requested effect: a pause must never start the music.
    private func play(_ isPlaying: Bool) -> MPRemoteCommandHandlerStatus {
        if playCommand.isUsable { return send(playCommand) }
        return isPlaying ? .success : send(togglePlayPauseCommand)
    }

    private func pause(_ isPlaying: Bool) -> MPRemoteCommandHandlerStatus {
        if pauseCommand.isUsable { return send(pauseCommand) }
        return isPlaying ? send(togglePlayPauseCommand) : .success
    }

    private func send(_ command: MPRemoteCommand) -> MPRemoteCommandHandlerStatus { to(command) { .init($0) } }

    private func skip(_ command: MPSkipIntervalCommand, _ seconds: Double) -> MPRemoteCommandHandlerStatus {
        to(command) { MPSkipIntervalCommandEvent($0, interval: seconds) }
    }

    private func to(
        _ command: MPRemoteCommand, _ event: (MPRemoteCommand) -> MPRemoteCommandEvent
    ) -> MPRemoteCommandHandlerStatus {
        command.send(event(command))
    }
}

extension OfferedPlayer.Loop {
    fileprivate init(_ type: MPRepeatType) {
        self =
            switch type {
            case .off: .none
            case .one: .track
            case .all: .playlist
            }
    }
}

extension MPRepeatType {
    fileprivate init(_ loop: OfferedPlayer.Loop) {
        self =
            switch loop {
            case .none: .off
            case .track: .one
            case .playlist: .all
            }
    }
}
