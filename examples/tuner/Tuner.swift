import AVFAudio
import CommandLineSupport
import Foundation

/// An engine whose input has a tap, and what is shown of it.
@MainActor
final class Tuner {
    private let options: TunerOptions
    private let program: Program
    private let engine = AVAudioEngine()
    private var ending: (any DispatchSourceTimer)?
    /// Whether the process was stopped while it listened.
    private var isSuspended = false

    init(options: TunerOptions, program: Program) {
        self.options = options
        self.program = program
    }

    func start() {
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            if !notice.began, notice.shouldResume { resume() }
        }
        observe(AVAudioSession.mediaServicesWereLostNotification) { [unowned self] in
            program.fail(.noServer, "the sound server went away")
        }
        // The engine stops for a microphone of another rate, since its tap has the microphone's format.
        observe(.AVAudioEngineConfigurationChange) { [unowned self] in
            listen()
            resume()
        }
        program.terminal?.open()
        do {
            try program.activate(options.session.choice, default: .record)
            listen()
            try engine.start()
        } catch { program.fail(session: error) }
        let format = engine.inputNode.inputFormat(forBus: 0)
        program.events.emit("started", ["rate": .number(format.sampleRate)])
        if let duration = options.duration { ending = after(duration) { [unowned self] in programShouldStop() } }
    }

    /// Taps the input, in its own format.
    private func listen() {
        engine.inputNode.removeTap(onBus: 0)
        engine.inputNode.installTap(onBus: 0, bufferSize: 4096, format: nil) { [weak self] buffer, _ in
            guard let data = buffer.floatChannelData?[0] else { return }
            let samples = Array(UnsafeBufferPointer(start: data, count: Int(buffer.frameLength)))
            let pitch = Pitch(samples, rate: buffer.format.sampleRate)
            DispatchQueue.main.async { self?.show(pitch) }
        }
    }

    private func show(_ pitch: Pitch) {
        guard engine.isRunning else { return }
        program.events.emit(
            "pitch",
            [
                "level": .number(Double(pitch.level)), "frequency": pitch.frequency.map { .number($0) },
                "note": pitch.note.map { .string($0.name) }, "cents": pitch.note.map { .integer($0.cents) },
            ])
        guard let terminal = program.terminal else { return }
        let meter = Drawing.levelMeter(average: pitch.level, peak: pitch.peak, width: 30, inColour: terminal.inColour)
        let sign = pitch.note.map { $0.cents < 0 ? "-" : "+" } ?? ""
        let note = pitch.note.map { "\($0.name) \(sign)\(abs($0.cents)) cents" } ?? ""
        let frequency = pitch.frequency.map { "\(($0 * 10).rounded() / 10) Hz" } ?? "no pitch"
        terminal.draw("\(meter)  \(frequency)  \(note)")
    }

    private func resume() {
        do {
            try AVAudioSession.sharedInstance().setActive(true)
            try engine.start()
        } catch { program.report(oneLine(error)) }
    }
}

extension Tuner: ProgramDelegate {
    func programShouldStop() {
        engine.stop()
        program.deactivate()
        program.leave(.done)
    }

    func programWillSuspend() {
        isSuspended = engine.isRunning
        engine.pause()
        program.deactivate()
    }

    func programDidContinue() {
        guard isSuspended else { return }
        isSuspended = false
        resume()
    }
}
