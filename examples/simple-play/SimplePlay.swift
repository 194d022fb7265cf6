import AVFAudio
import AudioFiles
import CommandLineSupport
import Foundation
import PulseClient
import PulseSimple

/// The session on the main thread; the sound on a thread that does nothing but read and write.
@MainActor
final class SimplePlay {
    private let options: SimplePlayOptions
    private let program: Program
    private var loop: WriteLoop?
    private var isInterrupted = false
    /// Whether the process was stopped while it was heard.
    private var isSuspended = false

    init(options: SimplePlayOptions, program: Program) {
        self.options = options
        self.program = program
    }

    func start() {
        let reader = open()
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            if notice.began { pause() } else if notice.shouldResume { resume() }
        }
        observe(AVAudioSession.mediaServicesWereLostNotification) { [unowned self] in
            program.fail(.noServer, "the sound server went away")
        }
        do { try program.activate(options.session.choice, default: .playback) } catch { program.fail(session: error) }
        let loop = connect(reader)
        self.loop = loop
        program.events.emit("started", ["file": .string(options.file)])
        Thread.detachNewThread {
            let error = loop.run()
            OperationQueue.main.addOperation { MainActor.assumeIsolated { self.ended(error) } }
        }
    }

    private func open() -> AudioFileReader {
        do throws(AudioFileError) {
            return try AudioFileReader(path: options.file)
        } catch {
            program.fail(.inputUnreadable, "cannot play \(options.file): \(error.message)")
        }
    }

    private func connect(_ reader: AudioFileReader) -> WriteLoop {
        let format = reader.format
        let spec = SampleSpec(
            format: .float32, rate: UInt32(format.sampleRate), channels: UInt8(clamping: format.channels))
        do throws(PulseError) {
            let name = URL(fileURLWithPath: options.file).lastPathComponent
            return WriteLoop(reader, try SimplePlayback(name: "simple-play", streamName: name.readablePath, spec: spec))
        } catch {
            program.deactivate()
            if error.isOfServer { program.fail(.noServer, "no stream: \(error)") }
            let sound = "\(format.channels) channels at \(Int(format.sampleRate)) Hz"
            program.fail(.failed, "cannot play \(options.file), which has \(sound): \(error)")
        }
    }

    private func pause() {
        guard !isInterrupted else { return }
        isInterrupted = true
        loop?.interrupt()
        program.events.emit("paused", ["reason": "interruption"])
    }

    private func resume() {
        guard isInterrupted else { return }
        do { try program.activate(options.session.choice, default: .playback) } catch {
            return program.report(oneLine(error))
        }
        isInterrupted = false
        loop?.resume()
        program.events.emit("resumed")
    }

    private func ended(_ error: (any Error)?) {
        program.events.emit("finished", ["successfully": .boolean(error == nil)])
        program.deactivate()
        switch error {
        case nil: program.leave(.done)
        case let error as PulseError where error.isOfServer: program.fail(.noServer, "the sound server went away")
        case let error as PulseError: program.fail(.failed, "the stream was ended: \(error)")
        case let error?: program.fail(.failed, "cannot play \(error)")
        }
    }
}

extension SimplePlay: ProgramDelegate {
    func programShouldStop() {
        program.deactivate()
        program.leave(.done)
    }

    func programWillSuspend() {
        // One that is interrupted keeps its place, and goes on when the interruption ends.
        guard !isInterrupted else { return }
        pause()
        program.deactivate()
        isSuspended = true
    }

    func programDidContinue() {
        guard isSuspended else { return }
        resume()
        // Refused during a call: who is continued once more tries again.
        isSuspended = isInterrupted
    }
}

/// Moves frames from the file to the server until there are no more.
// SAFETY: only `run()` uses the reader, and it runs once.
final class WriteLoop: @unchecked Sendable {
    private let reader: AudioFileReader
    private let playback: SimplePlayback
    private let gate = Gate()

    init(_ reader: AudioFileReader, _ playback: SimplePlayback) {
        self.reader = reader
        self.playback = playback
    }

    /// The write under way returns within 20 ms, and the loop waits at the gate.
    func interrupt() {
        gate.close()
        playback.interrupt()
    }

    func resume() {
        playback.resume()
        gate.open()
    }

    /// Returns what went wrong, or nil at the end of the file.
    func run() -> (any Error)? {
        let channels = reader.format.channels
        var buffer = [Float](repeating: 0, count: 4_096 * channels)
        do {
            while true {
                gate.pass()
                let frames = try reader.read(into: &buffer, frames: 4_096)
                guard frames > 0 else { break }
                if case .interrupted(let unplayed) = try playback.write(Array(buffer[..<(frames * channels)])) {
                    // Go back to where the listener was cut off.
                    try reader.seek(toFrame: max(0, reader.position - Int64(unplayed)))
                }
            }
            try playback.drain()
            return nil
        } catch {
            return error
        }
    }
}
