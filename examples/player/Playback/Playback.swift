import AVFAudio
import AudioFiles
import CommandLineSupport
import Dispatch
import Foundation

/// The files' way through the session, from activation to the last frame.
@MainActor
final class Playback: NSObject {
    /// Who silenced the player decides who may let it go on.
    enum State {
        /// Sound is heard.
        case playing
        /// The person paused it (or unplugged the headphones); only the person resumes it.
        case paused
        /// The session paused it; it goes on when the interruption ends and others allow it.
        case interrupted
        /// The process was stopped with Ctrl-Z while it played.
        case suspended
    }

    let options: PlayerOptions
    let program: Program
    var player: AVAudioPlayer?
    var state = State.playing
    /// The last known position of the file, in seconds; it outlives the player when the server dies.
    var lastPosition: TimeInterval = 0
    /// Runs while a lost server is waited for.
    var patience: (any DispatchSourceTimer)?
    /// The next try to play on a server that has just come back.
    var retry: (any DispatchSourceTimer)?

    /// Which of the files is played.
    var index = 0
    var hasNext: Bool { index + 1 < options.files.count }
    var hasPrevious: Bool { index > 0 }

    private var ticks: (any DispatchSourceTimer)?
    private var decodeError: NSError?
    /// Whether any file was passed over.
    private var unplayed = false

    init(options: PlayerOptions, program: Program) {
        self.options = options
        self.program = program
    }

    /// Plays the first file; wrong names are found out before a server is asked.
    func start() {
        for file in options.files {
            if let reason = whyUnreadable(file) { program.fail(.inputUnreadable, "cannot read \(file): \(reason)") }
        }
        guard loadSound(at: options.startAt) else { program.leave(.inputUnreadable) }
        failIfBeyondEnd()
        // Nobody is interrupted for nothing.
        let category = options.session.choice.category(default: .playback)
        if category == .record { program.fail(.failed, "cannot play in category \(category.rawValue)") }
        observeRemote()
        do { try activate() } catch { program.fail(session: error) }
        beginOrFail()
        // In time: all that is told is told on the main queue, which does not run before this returns.
        observeSession()
        program.terminal?.onKey { [unowned self] in pressed($0) }
    }

    /// Looks at the position while somebody sees it, or where the file is repeated; otherwise nobody wakes up for it.
    func watchPosition() {
        let isWatched = program.terminal != nil || program.events.isOn || player?.numberOfLoops != 0
        guard isWatched != (ticks != nil) else { return }
        ticks?.cancel()
        ticks = isWatched ? every(program.terminal == nil ? 0.5 : 0.1) { [unowned self] in tick() } : nil
    }

    /// A place that does not exist would be the beginning.
    private func failIfBeyondEnd() {
        guard let duration = player?.duration, options.startAt > 0, options.startAt >= duration else { return }
        let length = String(format: "%.1f", duration)
        program.fail(.usage, "--start-at \(options.startAt): \(options.files[index]) is \(length) s long")
    }

    /// Opens the current file with a fresh player.
    func load(at position: TimeInterval) {
        do {
            try open(at: position)
        } catch {
            program.fail(.inputUnreadable, complaint("cannot play", error), error as NSError)
        }
    }

    /// Opens the current file, or the next one that is a sound, as in a folder with a picture of the cover; what is none is
    /// told, and ends nothing but a list without any sound behind it.
    ///
    /// - Parameter step: Which one is the next: 1, or -1 for the one before.
    func loadSound(at position: TimeInterval, by step: Int = 1) -> Bool {
        while true {
            do {
                try open(at: position)
                return true
            } catch {
                let message = complaint("cannot play", error)
                if options.files.count == 1 { program.fail(.inputUnreadable, message, error as NSError) }
                program.warn(message, error as NSError)
                unplayed = true
                guard options.files.indices.contains(index + step) else { return false }
                index += step
            }
        }
    }

    private func open(at position: TimeInterval) throws {
        decodeError = nil
        let new = try AVAudioPlayer(contentsOf: URL(fileAt: absolutePath(options.files[index])))
        new.delegate = self
        new.volume = player?.volume ?? options.volume
        new.pan = options.pan
        // On a terminal the person may still change it.
        new.enableRate = options.rate != 1 || program.terminal != nil
        new.rate = player?.rate ?? options.rate
        // A remote control may have changed it; it is the person's wish, and no property of the file.
        new.numberOfLoops = player?.numberOfLoops ?? options.loops
        new.isMeteringEnabled = program.terminal != nil
        if position > 0 { new.currentTime = min(position, new.duration) }
        player = new
        lastPosition = position
        tellRepeatMode()
    }

    /// Starts the current file; false if it cannot be played now.
    func begin() -> Bool {
        guard let player, player.play() else { return false }
        state = .playing
        let file = options.files[index]
        program.events.emit(
            "started",
            ["file": .string(file), "position": .number(player.currentTime), "duration": .number(player.duration)])
        let count = options.files.count > 1 ? "\(index + 1)/\(options.files.count)  " : ""
        program.terminal?.print(count + URL(fileURLWithPath: file).lastPathComponent)
        watchPosition()
        tellRemote()
        return true
    }

    /// Lets the others have the speakers and ends the process.
    func quit() -> Never {
        deactivate()
        program.leave(.done)
    }

    private func finished(successfully: Bool) {
        program.events.emit("finished", ["successfully": .boolean(successfully)])
        guard successfully else {
            failToDecode()
        }
        if hasNext {
            index += 1
            if loadSound(at: 0) { return beginOrFail() }
        }
        deactivate()
        program.leave(unplayed ? .inputUnreadable : .done)
    }

    private func beginOrFail() {
        guard !begin() else { return }
        // The delegate is told in a moment if it is the file's fault, by way of the same queue.
        OperationQueue.main.addOperation { MainActor.assumeIsolated { self.failToBegin() } }
    }

    private func failToBegin() {
        if decodeError != nil { failToDecode() }
        program.fail(.failed, "cannot play: the server gives no output\(Program.wish(of: "PULSE_SINK"))")
    }

    /// Ends the process if it is the file's fault that it did not begin, which the delegate is told in a moment.
    func failIfUndecodable() {
        OperationQueue.main.addOperation {
            MainActor.assumeIsolated { if self.decodeError != nil { self.failToDecode() } }
        }
    }

    private func failToDecode() -> Never {
        deactivate()
        program.fail(.failed, complaint("cannot decode", decodeError), decodeError)
    }

    /// A sentence about the current file; those of the library begin with its path.
    private func complaint(_ what: String, _ error: (any Error)?) -> String {
        let file = options.files[index]
        guard let reason = error.map(oneLine) else { return "\(what) \(file)" }
        return "\(what) \(reason.naming(file))"
    }

    private func tick() {
        guard let player, state == .playing, patience == nil else { return }
        let position = player.currentTime
        // A file that is repeated began again.
        if position < lastPosition, player.numberOfLoops != 0 { tellRemote() }
        lastPosition = position
        program.events.emit("progress", ["position": .number(lastPosition), "duration": .number(player.duration)])
        draw()
    }
}

extension Playback: @MainActor AVAudioPlayerDelegate {
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        // A player that died with the server may still say so; its successor is the one that counts.
        guard player === self.player else { return }
        finished(successfully: flag && decodeError == nil)
    }

    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        guard player === self.player else { return }
        // What was decoded before the damage is still played; the end tells that it went wrong.
        decodeError = error as NSError?
    }
}
