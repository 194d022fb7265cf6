import AVFAudio
import CommandLineSupport
import Foundation

/// A file that plays through a chain of units, and what is shown of it.
@MainActor
final class Practice {
    private let options: PracticeOptions
    private let program: Program
    private var chain: PracticeChain?
    private var file: AVAudioFile?
    /// The frame of the file from which it plays, and the number of times that it was told to.
    private var beginning = (frame: AVAudioFramePosition(0), number: 0)
    private var isPaused = false
    private var level = (average: Float(-160), peak: Float(-160))
    private var wave: [Float] = []
    private var timer: (any DispatchSourceTimer)?

    init(options: PracticeOptions, program: Program) {
        self.options = options
        self.program = program
    }

    func start() {
        if let reason = whyUnreadable(options.file) {
            program.fail(.inputUnreadable, "cannot read \(options.file): \(reason)")
        }
        let file: AVAudioFile
        do { file = try AVAudioFile(forReading: URL(fileURLWithPath: options.file)) } catch {
            program.fail(.inputUnreadable, "cannot play \(options.file): \(oneLine(error))", error as NSError)
        }
        let chain = PracticeChain(file.processingFormat)
        (self.file, self.chain) = (file, chain)
        chain.sound = PracticeSound(
            rate: options.rate, pitch: options.pitch, bass: options.bass, treble: options.treble)
        if let path = options.bounce { bounce(file, chain, to: path) }
        wave = Self.wave(of: file, columns: 60)
        play(chain)
    }

    // MARK: To a file

    private func bounce(_ file: AVAudioFile, _ chain: PracticeChain, to path: String) -> Never {
        if let reason = whyNotWritable(path) { program.fail(.cannotCreate, "cannot write \(path): \(reason)") }
        do {
            let frames = try chain.bounce(file, to: URL(fileURLWithPath: path))
            program.events.emit("bounced", ["file": .string(path), "frames": .integer(Int(frames))])
        } catch { program.fail(.failed, "cannot write \(path): \(oneLine(error))", error as NSError) }
        program.leave(.done)
    }

    // MARK: To the speakers

    private func play(_ chain: PracticeChain) {
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            if !notice.began, notice.shouldResume, !isPaused { resume() }
        }
        observe(AVAudioSession.mediaServicesWereLostNotification) { [unowned self] in
            program.fail(.noServer, "the sound server went away")
        }
        chain.engine.mainMixerNode.installTap(onBus: 0, bufferSize: 2048, format: nil) { [weak self] buffer, _ in
            guard let samples = buffer.floatChannelData?[0] else { return }
            var (energy, peak): (Float, Float) = (0, 0)
            for frame in 0..<Int(buffer.frameLength) {
                energy += samples[frame] * samples[frame]
                peak = max(peak, abs(samples[frame]))
            }
            let average = 10 * log10(max(energy / Float(max(buffer.frameLength, 1)), 1e-16))
            let loudest = 20 * log10(max(peak, 1e-8))
            DispatchQueue.main.async { self?.level = (average, loudest) }
        }
        do {
            try program.activate(options.session.choice, default: .playback)
            try chain.engine.start()
        } catch { program.fail(session: error) }
        program.terminal?.onKey { [unowned self] in pressed($0) }
        schedule(from: 0)
        program.events.emit("started", ["file": .string(options.file)])
        timer = every(0.1) { [unowned self] in draw() }
    }

    /// Plays from a frame of the file on; at its end the program leaves.
    private func schedule(from frame: AVAudioFramePosition) {
        guard let chain, let file else { return }
        beginning = (min(max(frame, 0), file.length), beginning.number + 1)
        let number = beginning.number
        chain.player.stop()
        let rest = AVAudioFrameCount(clamping: file.length - beginning.frame)
        chain.player.scheduleSegment(
            file, startingFrame: beginning.frame, frameCount: rest, at: nil, completionCallbackType: .dataPlayedBack
        ) { [weak self] _ in
            // A stop calls it as well: then another number plays.
            DispatchQueue.main.async { self?.ended(number) }
        }
        if !isPaused { chain.player.play() }
    }

    private func ended(_ number: Int) {
        guard number == beginning.number else { return }
        program.events.emit("finished", [:])
        programShouldStop()
    }

    /// The frame of the file that is heard.
    private var frame: AVAudioFramePosition {
        guard let player = chain?.player, let node = player.lastRenderTime,
            let time = player.playerTime(forNodeTime: node)
        else { return beginning.frame }
        return beginning.frame + max(0, time.sampleTime)
    }

    private func pressed(_ key: Key) {
        guard let chain, let file else { return }
        let jump = AVAudioFramePosition(5 * file.processingFormat.sampleRate)
        switch key {
        case .left: schedule(from: frame - jump)
        case .right: schedule(from: frame + jump)
        case .character("<"): chain.sound.rate = max(0.25, ((chain.sound.rate - 0.05) * 20).rounded() / 20)
        case .character(">"): chain.sound.rate = min(4, ((chain.sound.rate + 0.05) * 20).rounded() / 20)
        case .character("["): chain.sound.pitch = max(-2400, chain.sound.pitch - 100)
        case .character("]"): chain.sound.pitch = min(2400, chain.sound.pitch + 100)
        case .character("b"): chain.sound.bass = max(-24, chain.sound.bass - 3)
        case .character("B"): chain.sound.bass = min(24, chain.sound.bass + 3)
        case .character("t"): chain.sound.treble = max(-24, chain.sound.treble - 3)
        case .character("T"): chain.sound.treble = min(24, chain.sound.treble + 3)
        case .character(" "): isPaused ? resume() : pause()
        case .character("q"): programShouldStop()
        default: return
        }
        draw()
    }

    private func pause() {
        isPaused = true
        chain?.player.pause()
    }

    private func resume() {
        isPaused = false
        do {
            try AVAudioSession.sharedInstance().setActive(true)
            try chain?.engine.start()
            chain?.player.play()
        } catch { program.report(oneLine(error)) }
    }

    // MARK: What is seen

    /// The loudest samples of so many parts of a file.
    private static func wave(of file: AVAudioFile, columns: Int) -> [Float] {
        let part = AVAudioFrameCount(clamping: max(1, file.length / AVAudioFramePosition(columns)))
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: min(part, 4096)) else {
            return []
        }
        return (0..<columns).map { column in
            // A part of each is enough to see where it is loud.
            file.framePosition = AVAudioFramePosition(column) * AVAudioFramePosition(part)
            guard (try? file.read(into: buffer)) != nil, let samples = buffer.floatChannelData?[0] else { return 0 }
            return (0..<Int(buffer.frameLength)).reduce(0) { max($0, abs(samples[$1])) }
        }
    }

    private func draw() {
        guard let terminal = program.terminal, let chain, let file else { return }
        let place = Int(Double(wave.count) * Double(frame) / Double(max(file.length, 1)))
        let bars = Array(" ▁▂▃▄▅▆▇█")
        let loudest = max(wave.max() ?? 0, 1e-6)
        let picture = wave.enumerated().map { column, peak in
            column == place ? "|" : String(bars[min(8, Int((peak / loudest * 8).rounded()))])
        }.joined()
        let sound = chain.sound
        let words =
            "\(Int((sound.rate * 100).rounded()))% \(Int(sound.pitch)) ct  bass \(Int(sound.bass))  "
            + "treble \(Int(sound.treble))"
        let room = terminal.columns - 1 - words.count - 2
        guard room >= 12 else { return terminal.draw(String(words.prefix(terminal.columns - 1))) }
        let meter = Drawing.levelMeter(
            average: level.average, peak: level.peak, width: min(12, room / 3), inColour: terminal.inColour)
        terminal.draw("\(picture.prefix(room - min(12, room / 3) - 2))  \(meter)  \(words)")
    }
}

extension Practice: ProgramDelegate {
    func programShouldStop() {
        beginning.number += 1
        chain?.engine.stop()
        program.deactivate()
        program.leave(.done)
    }

    func programWillSuspend() {
        chain?.engine.pause()
        program.deactivate()
    }

    func programDidContinue() { if !isPaused { resume() } }
}
