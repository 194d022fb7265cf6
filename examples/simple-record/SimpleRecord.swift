import AVFAudio
import AudioFiles
import CommandLineSupport
import Foundation
import PulseClient
import PulseSimple
import Synchronization

/// The session on the main thread; the sound on a thread that does nothing but read and write.
@MainActor
final class SimpleRecord {
    private let options: SimpleRecordOptions
    private let program: Program
    private var loop: ReadLoop?
    private var isInterrupted = false
    /// Whether the process was stopped while it recorded.
    private var isSuspended = false

    init(options: SimpleRecordOptions, program: Program) {
        self.options = options
        self.program = program
    }

    func start() {
        if let reason = whyNotWritable(options.output) { cannotCreate(reason) }
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            if notice.began { pause() } else if notice.shouldResume { resume() }
        }
        do { try program.activate(options.session.choice, default: .playAndRecord) } catch {
            program.fail(session: error)
        }
        let loop = connect()
        self.loop = loop
        program.events.emit("started", ["file": .string(options.output)])
        Thread.detachNewThread {
            let error = loop.run()
            OperationQueue.main.addOperation { MainActor.assumeIsolated { self.ended(error) } }
        }
    }

    private func connect() -> ReadLoop {
        let spec = SampleSpec(format: .int16, rate: 44_100, channels: 2)
        do {
            let recording = try SimpleRecording(
                name: "simple-record", streamName: options.output.readablePath, spec: spec)
            let writer = try AudioFileWriter(
                path: options.output, container: .wav, encoding: .pcm16, sampleRate: Double(spec.rate), channels: 2)
            return ReadLoop(recording, writer, frames: options.duration.map { Int(($0 * Double(spec.rate)).rounded()) })
        } catch let error as AudioFileError {
            cannotCreate(error.message)
        } catch {
            program.deactivate()
            let isOfServer = (error as? PulseError)?.isOfServer ?? false
            program.fail(isOfServer ? .noServer : .failed, "no stream: \(error)")
        }
    }

    private func cannotCreate(_ reason: String) -> Never {
        program.deactivate()
        program.fail(.cannotCreate, "cannot create \(options.output): \(reason)")
    }

    private func pause() {
        guard !isInterrupted else { return }
        isInterrupted = true
        loop?.interrupt()
        program.events.emit("paused", ["reason": "interruption"])
    }

    private func resume() {
        guard isInterrupted else { return }
        do {
            try program.activate(options.session.choice, default: .playAndRecord)
        } catch {
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
        case let error as PulseError:
            let reason = error.isOfServer ? "the sound server went away" : "the stream was ended: \(error)"
            let kept = "\(options.output) holds what was recorded until then"
            program.fail(error.isOfServer ? .noServer : .failed, "\(reason); \(kept)")
        case let error?: program.fail(.failed, "cannot go on writing \(error)")
        }
    }
}

extension SimpleRecord: ProgramDelegate {
    func programShouldStop() { loop?.stop() }

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

/// Moves frames from the server to the file until it is told to stop.
// SAFETY: only `run()` uses the writer, and it runs once.
final class ReadLoop: @unchecked Sendable {
    private let recording: SimpleRecording
    private let writer: AudioFileWriter
    private let limit: Int
    private let gate = Gate()
    private let isStopping = Atomic<Bool>(false)

    /// Records so many frames; nil for as many as there are until `stop()`.
    init(_ recording: SimpleRecording, _ writer: AudioFileWriter, frames: Int?) {
        self.recording = recording
        self.writer = writer
        limit = frames ?? .max
    }

    func interrupt() {
        gate.close()
        recording.interrupt()
    }

    func resume() {
        recording.resume()
        gate.open()
    }

    /// Ends the read under way; `run()` then closes the file and returns.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        recording.interrupt()
        gate.open()
    }

    /// Returns what went wrong, or nil; the file is closed either way.
    func run() -> (any Error)? {
        do {
            var rest = limit
            while rest > 0, !isStopping.load(ordering: .sequentiallyConsistent) {
                let (samples, _) = try recording.read(int16: min(rest, 4_410))
                let frames = samples.count / writer.channels
                try writer.write(int16: samples, frames: frames)
                rest -= frames
                gate.pass()
            }
            try writer.close()
            return nil
        } catch {
            try? writer.close()
            return error
        }
    }
}
