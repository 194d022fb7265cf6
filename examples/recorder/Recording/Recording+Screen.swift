import AVFAudio
import CommandLineSupport
import Foundation

/// The keys and the status line.
extension Recording {
    /// Handles a key press.
    func pressed(_ key: Key) {
        switch key {
        case .character(" "): state == .recording || state == .resuming ? pause() : resume()
        case .character("q"): stop()
        default: return
        }
    }

    /// Draws the status line where there is a terminal.
    func draw() {
        guard let terminal = program.terminal, let recorder else { return }
        let (average, peak) = levels(of: recorder)
        if peak >= clipping { lastClip = recorder.currentTime }
        let sign = state == .recording ? "o" : state == .interrupted ? "!" : "="
        let head = "\(sign) \(Drawing.time(recorder.currentTime))"
        // The mark stays for a second, or nobody would see it.
        let clips = lastClip.map { recorder.currentTime - $0 < 1 } ?? false
        let tail = clips ? "CLIP" : "    "
        let room = terminal.columns - 1 - "\(head)    \(tail)".count
        guard room >= 4 else { return terminal.draw(String("\(head) \(tail)".prefix(terminal.columns - 1))) }
        let meter = Drawing.levelMeter(
            average: average, peak: peak, width: min(40, room), inColour: terminal.inColour)
        terminal.draw("\(head)  \(meter)  \(tail)")
    }

    private func levels(of recorder: AVAudioRecorder) -> (average: Float, peak: Float) {
        guard state == .recording else { return (MeterTable.floor, MeterTable.floor) }
        recorder.updateMeters()
        let count = (recorder.settings[AVNumberOfChannelsKey] as? NSNumber)?.intValue ?? 1
        let channels = 0..<max(1, count)
        return (
            channels.map(recorder.averagePower).max() ?? MeterTable.floor,
            channels.map(recorder.peakPower).max() ?? MeterTable.floor
        )
    }
}

/// Within a tenth of a decibel of full scale, in dBFS: such samples have most likely been cut off.
private let clipping: Float = -0.1
