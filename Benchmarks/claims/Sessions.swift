import AVFAudio
import AudioHost
import Foundation
import SessionPolicy
import SoundAnalysis
import SoundHost

/// The monotonic clock in nanoseconds, which all processes share.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Prints a line for the parent process in one write.
func tell(_ event: String, _ times: UInt64...) {
    let line = ([String(getpid()), event] + times.map(String.init)).joined(separator: " ") + "\n"
    _ = line.withCString { write(1, $0, strlen($0)) }
}

/// An app that prints the times of its notifications on the main thread.
///
/// Commands: `activate`, `deactivate`, `tone` and `silence` (play, and activate by that).
// SAFETY: `player` is only touched by the thread that reads commands; a resumed player guards itself.
final class AppSession: @unchecked Sendable {
    private let session = AVAudioSession.sharedInstance()
    private var player: AVAudioPlayer?
    private var observer: (any NSObjectProtocol)?

    /// Begins to take commands; a session connects at its first activation if it has not done so before.
    func run(isConnected: Bool) throws {
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: session, queue: nil
        ) { [unowned self] note in
            let isBegan = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt == 1
            tell(isBegan ? "began" : "ended", now())
            if !isBegan { player?.play() }
        }
        try session.setCategory(.playback)
        if isConnected { _ = session.isOtherAudioPlaying }
        Thread.detachNewThread { [self] in
            while let command = readLine() { perform(command) }
            exit(0)
        }
        tell("ready")
        dispatchMain()
    }

    private func perform(_ command: String) {
        var start = now()
        do {
            switch command {
            case "activate": try session.setActive(true)
            case "deactivate": try session.setActive(false, options: .notifyOthersOnDeactivation)
            case "stop":
                player?.stop()
                player = nil
                try session.setActive(false, options: .notifyOthersOnDeactivation)
            default:
                let new = try looping(command)
                // The claim is what is measured, and not the reading of a file.
                start = now()
                new.play()
                player = new
            }
            tell("done", start, now())
        } catch {
            tell("failed: \(error)")
        }
    }

    private func looping(_ what: String) throws -> AVAudioPlayer {
        let signal: TestSignal = what == "tone" ? .sine(frequency: 440, level: -6, seconds: 1) : .silence(seconds: 1)
        let new = try AVAudioPlayer(data: signal.wavData)
        new.numberOfLoops = -1
        return new
    }
}

/// A host without a session above it, which prints the time at which the sound has been stopped.
// SAFETY: the host guards itself.
final class HostSession: @unchecked Sendable {
    private var host: PulseHost?

    func run() throws {
        let host = try PulseHost { [unowned self] event in
            guard case .interruptionBegan = event else { return }
            self.host?.stopIO(interrupting: true)
            tell("began", now())
            self.host?.perform(.claim(.interrupted))
        }
        self.host = host
        try host.open()
        let settings = try SessionSettings.validated(category: .playback)
        tell("ready")
        while let command = readLine() {
            let start = now()
            if command == "activate" {
                try host.activate(settings) {}
            } else {
                host.perform(.claim(.idle(notify: true)))
            }
            tell("done", start, now())
        }
    }
}
