import AVFAudio
import CommandLineSupport
import Foundation
import MediaPlayer

/// An app that says what it plays and can be remote-controlled, driven by a test: a command a line on standard input,
/// and a JSON object a line on standard output, as `session-peer` does it.
///
/// | command | what it does |
/// |---|---|
/// | `info JSON` or `info nil` | sets `nowPlayingInfo`; `artwork` is base64 |
/// | `state N` | sets `playbackState` |
/// | `target NAME [STATUS]` | adds a target that prints the event `command` and returns the status (0) |
/// | `untarget NAME` | removes all targets of a command |
/// | `keep NAME` | adds a target that keeps something that removes all of them when it ends, and prints `farewell` |
/// | `leave NAME` | adds a target that keeps the player, which nobody else does any more |
/// | `keepInfo` | sets `nowPlayingInfo`, which keeps something that sets it to nil when it ends, and prints `farewell` |
/// | `enable NAME true\|false` | offers a command, or does not |
/// | `repeat N`, `shuffle N`, `volume X`, `rates X…` | what commands are told of the app |
/// | `candidate true\|false` | sets `isNowPlayingCandidate` |
/// | `play FILE` | activates category playback and plays; goes on after interruptions that allow it |
/// | `playHeld FILE` | the same, prints `held`, and keeps the main queue within the same turn until `unblock` |
/// | `pause` | pauses the player |
/// | `block`, `unblock` | keeps the main queue from running anything |
/// | `sync` | nothing, after all that came before |
/// | `exit` | ends the process |
@MainActor
final class RemotePeer {
    private let events = EventPrinter(isOn: true)
    private let center = MPRemoteCommandCenter.shared()
    private let info = MPNowPlayingInfoCenter.default()
    private var player: AVAudioPlayer?

    init() {
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: events)
            guard !notice.began, notice.shouldResume else { return }
            try? AVAudioSession.sharedInstance().setActive(true)
            events.emit("resumed", ["ok": .boolean(player?.play() == true)])
        }
        events.emit("ready")
    }

    func perform(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count > 1, let id = Int(words[0]) else { return }
        let rest = words.count > 2 ? words[2] : ""
        events.emit("answer", ["id": .integer(id), "ok": .boolean(carryOut(words[1], rest))])
    }

    private func carryOut(_ command: String, _ rest: String) -> Bool {
        switch command {
        case "info": return setInfo(rest)
        case "keepInfo": keepInfo()
        case "state": info.playbackState = UInt(rest).flatMap(MPNowPlayingPlaybackState.init) ?? .unknown
        case "repeat": center.changeRepeatModeCommand.currentRepeatType = Int(rest).flatMap(MPRepeatType.init) ?? .off
        case "shuffle":
            center.changeShuffleModeCommand.currentShuffleType = Int(rest).flatMap(MPShuffleType.init) ?? .off
        case "volume": center.changeVolumeCommand.currentVolume = Float(rest) ?? 0
        case "rates":
            center.changePlaybackRateCommand.supportedPlaybackRates = rest.split(separator: " ").compactMap {
                Double($0).map { NSNumber(value: $0) }
            }
        case "candidate": try? AVAudioSession.sharedInstance().setIsNowPlayingCandidate(rest == "true")
        case "play": return play(rest)
        case "playHeld":
            let isPlaying = play(rest)
            events.emit("held", ["ok": .boolean(isPlaying)])
            gate.pass()
            return isPlaying
        case "pause": player?.pause()
        // What the thread that reads commands does, and nothing at all.
        case "unblock", "sync": break
        case "exit": exit(0)
        default: return commandChange(command, rest.split(separator: " ").map(String.init))
        }
        return true
    }

    private func commandChange(_ change: String, _ words: [String]) -> Bool {
        guard let name = words.first, let command = command(name) else { return false }
        switch change {
        case "target":
            let status = words.dropFirst().first.flatMap { Int($0) } ?? 0
            command.addTarget { [events] event in
                events.emit("command", fields: Self.fields(of: event, name))
                return MPRemoteCommandHandlerStatus(rawValue: status) ?? .success
            }
        case "untarget": command.removeTarget(nil)
        case "keep":
            let farewell = Farewell { [events] in
                command.removeTarget(nil)
                events.emit("farewell")
            }
            command.addTarget { _ in withExtendedLifetime(farewell) { .success } }
        case "leave":
            command.addTarget { [player] _ in player?.play() == true ? .success : .commandFailed }
            player = nil
        case "enable": command.isEnabled = words.last == "true"
        default: return false
        }
        return true
    }

    private func command(_ name: String) -> MPRemoteCommand? {
        switch name {
        case "play": center.playCommand
        case "pause": center.pauseCommand
        case "stop": center.stopCommand
        case "toggle": center.togglePlayPauseCommand
        case "next": center.nextTrackCommand
        case "previous": center.previousTrackCommand
        case "skipForward": center.skipForwardCommand
        case "skipBackward": center.skipBackwardCommand
        case "position": center.changePlaybackPositionCommand
        case "rate": center.changePlaybackRateCommand
        case "repeat": center.changeRepeatModeCommand
        case "shuffle": center.changeShuffleModeCommand
        case "volume": center.changeVolumeCommand
        case "rating": center.ratingCommand
        case "like": center.likeCommand
        default: nil
        }
    }

    private static func fields(of event: MPRemoteCommandEvent, _ name: String) -> [(key: String, value: EventValue)] {
        let value: Double? =
            switch event {
            case let event as MPChangePlaybackPositionCommandEvent: event.positionTime
            case let event as MPSkipIntervalCommandEvent: event.interval
            case let event as MPChangePlaybackRateCommandEvent: Double(event.playbackRate)
            case let event as MPChangeVolumeCommandEvent: Double(event.volume)
            case let event as MPChangeRepeatModeCommandEvent: Double(event.repeatType.rawValue)
            case let event as MPChangeShuffleModeCommandEvent: Double(event.shuffleType.rawValue)
            default: nil
            }
        return [
            ("name", .string(name)), ("main", .boolean(Thread.isMainThread)), ("timestamp", .number(event.timestamp)),
        ] + (value.map { [("value", .number($0))] } ?? [])
    }

    private func setInfo(_ text: String) -> Bool {
        guard text != "nil" else {
            info.nowPlayingInfo = nil
            return true
        }
        guard var new = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return false }
        if let picture = (new[MPMediaItemPropertyArtwork] as? String).flatMap({ Data(base64Encoded: $0) }) {
            new[MPMediaItemPropertyArtwork] = MPMediaItemArtwork(boundsSize: CGSize(width: 8, height: 8)) { _ in picture
            }
        }
        if let address = (new[MPNowPlayingInfoPropertyAssetURL] as? String).flatMap({ URL(string: $0) }) {
            new[MPNowPlayingInfoPropertyAssetURL] = address
        }
        info.nowPlayingInfo = new
        return true
    }

    private func keepInfo() {
        let farewell = Farewell { [events, info] in
            info.nowPlayingInfo = nil
            events.emit("farewell")
        }
        let artwork = MPMediaItemArtwork(boundsSize: .zero) { _ in withExtendedLifetime(farewell) { Data([1]) } }
        info.nowPlayingInfo = [MPMediaItemPropertyTitle: "Kept", MPMediaItemPropertyArtwork: artwork]
    }

    private func play(_ file: String) -> Bool {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playback)
            try session.setActive(true)
            let player = try self.player ?? AVAudioPlayer(contentsOf: URL(fileURLWithPath: file))
            player.numberOfLoops = -1
            self.player = player
            return player.play()
        } catch {
            return false
        }
    }
}

/// Does something when nobody keeps it any more.
private final class Farewell: Sendable {
    private let words: @Sendable () -> Void

    init(_ words: @escaping @Sendable () -> Void) { self.words = words }

    deinit { words() }
}
