import AVFAudio
import CommandLineSupport
import Foundation

/// An engine whose source nodes are struck by keys.
@MainActor
final class Synth {
    /// The keys of an octave, from C to C.
    nonisolated static let keys = Array("awsedftgyhujk")
    private static let names = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"]

    private let options: SynthOptions
    private let program: Program
    private let engine = AVAudioEngine()
    private var voices: [SynthVoice] = []
    private var next = 0
    private var octave = 4
    private var last = ""
    private var waiting: [Character] = []
    private var timer: (any DispatchSourceTimer)?
    private var isSuspended = false

    init(options: SynthOptions, program: Program) {
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
        do {
            try program.activate(options.session.choice, default: .playback)
            // Short blocks, so that a key is heard soon.
            try AVAudioSession.sharedInstance().setPreferredIOBufferDuration(0.005)
            try connect()
            try engine.start()
        } catch { program.fail(session: error) }
        program.events.emit("started", ["voices": .integer(voices.count)])
        if let keys = options.play { return play(keys) }
        program.terminal?.onKey { [unowned self] in pressed($0) }
        draw()
    }

    private func connect() throws {
        let rate = engine.outputNode.outputFormat(forBus: 0).sampleRate
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: 1) else {
            throw CocoaError(.featureUnsupported)
        }
        for index in 0..<8 {
            let voice = SynthVoice(rate: rate, format: format)
            engine.attach(voice.node)
            engine.connect(voice.node, to: engine.mainMixerNode, format: format)
            voice.node.pan = Float(index) / 7 - 0.5
            voices.append(voice)
        }
    }

    /// Plays keys by the clock, and leaves when the last one has faded.
    private func play(_ keys: String) {
        waiting = Array(keys)
        timer = every(0.25) { [unowned self] in
            guard !waiting.isEmpty else {
                timer = after(1) { [unowned self] in programShouldStop() }
                return
            }
            strike(waiting.removeFirst())
        }
    }

    private func pressed(_ key: Key) {
        switch key {
        case .character("q"): programShouldStop()
        case .character("z"): octave = max(0, octave - 1)
        case .character("x"): octave = min(8, octave + 1)
        case .character(let character): strike(character)
        default: return
        }
        draw()
    }

    private func strike(_ key: Character) {
        guard let place = Self.keys.firstIndex(of: key) else { return }
        let note = 12 * (octave + 1) + place
        voices[next].strike(note)
        next = (next + 1) % voices.count
        last = Self.names[place % 12] + String(octave + place / 12)
        program.events.emit("note", ["note": .string(last), "number": .integer(note)])
    }

    private func draw() { program.terminal?.draw("octave \(octave)  \(last)") }

    private func resume() {
        do {
            try AVAudioSession.sharedInstance().setActive(true)
            try engine.start()
        } catch { program.report(oneLine(error)) }
    }
}

extension Synth: ProgramDelegate {
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
