import AVFAudio
import CommandLineSupport
import Foundation

/// Prints what players and recorders tell their delegate.
final class DelegateReporter: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
    private let events: EventPrinter

    init(events: EventPrinter) { self.events = events }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        events.emit("playerFinished", ["successfully": .boolean(flag)])
    }

    func audioPlayerBeginInterruption(_ player: AVAudioPlayer) { events.emit("playerBegan") }

    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {
        events.emit("playerEnded", ["option": .integer(flags)])
    }

    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
        events.emit("recorderFinished", ["successfully": .boolean(flag)])
    }

    func audioRecorder(_ recorder: AVAudioRecorder, inputDidChange change: AVAudioRecorderInputChange) {
        events.emit("input", ["flat": .boolean(change == .flat)])
    }

    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) { events.emit("recorderBegan") }

    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {
        events.emit("recorderEnded", ["option": .integer(flags)])
    }
}
