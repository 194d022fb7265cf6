import AVFAudio
import AudioFiles
import CommandLineSupport
import Dispatch
import Foundation

/// One recording session, from activation to the closed file.
@MainActor
final class Recording: NSObject {
    /// The state of the capture; a pause ends only by the party that made it.
    enum State {
        /// Capturing sound.
        case recording
        /// Paused by the user.
        case paused
        /// Paused by the session.
        case interrupted
        /// Suspended with Ctrl-Z while recording.
        case suspended
        /// Resuming, once all earlier events were delivered.
        case resuming
        /// The file is being closed.
        case stopping
    }

    let options: RecorderOptions
    let program: Program
    var recorder: AVAudioRecorder?
    var state = State.recording
    /// When the last full-scale sample was seen, as seconds of the recording.
    var lastClip: TimeInterval?

    private var ticks: (any DispatchSourceTimer)?
    private var encodeError: NSError?
    /// Whether the file exists; until then its errors are reported as "cannot create".
    private var isPrepared = false

    init(options: RecorderOptions, program: Program) {
        self.options = options
        self.program = program
    }

    /// Starts recording; an impossible format or an unwritable output is reported before a server is asked.
    func start() {
        let recorder = open()
        if let reason = whyNotWritable(options.output) { cannotCreate(reason) }
        observeSession()
        // Nobody is interrupted for nothing.
        let category = options.session.choice.category(default: .playAndRecord)
        if !category.records { program.fail(.failed, "cannot record in category \(category.rawValue)") }
        do { try activate() } catch { program.fail(session: error) }
        if let uid = options.input { choose(input: uid) }
        self.recorder = recorder
        guard recorder.prepareToRecord() else {
            // The delegate is told in a moment if it is the file's fault, by way of the same queue.
            OperationQueue.main.addOperation { MainActor.assumeIsolated { self.failToPrepare() } }
            return
        }
        isPrepared = true
        guard capture() else { program.fail(.failed, "cannot record in this category") }
        program.events.emit("started", ["file": .string(options.output)])
        program.terminal?.print(URL(fileURLWithPath: options.output).lastPathComponent)
        program.terminal?.onKey { [unowned self] in pressed($0) }
        // Nobody to tell costs no ticks.
        guard program.terminal != nil || program.events.isOn else { return }
        ticks = every(program.terminal == nil ? 0.5 : 0.1) { [unowned self] in tick() }
    }

    /// Starts or resumes capturing, up to the duration asked for; pauses do not count.
    func capture() -> Bool {
        guard let recorder else { return false }
        guard let duration = options.duration else { return recorder.record() }
        return recorder.record(forDuration: duration)
    }

    /// Whether the duration asked for is recorded, to within a millisecond.
    var isComplete: Bool {
        guard let recorder, let duration = options.duration else { return false }
        return duration - recorder.currentTime < 0.001
    }

    /// Closes the file; the delegate is notified when that is done.
    func stop() {
        guard state != .stopping else { return }
        state = .stopping
        recorder?.stop()
    }

    private func open() -> AVAudioRecorder {
        do {
            let settings = options.settings.dictionary(for: options.output)
            let recorder = try AVAudioRecorder(url: URL(fileAt: absolutePath(options.output)), settings: settings)
            recorder.delegate = self
            recorder.isMeteringEnabled = program.terminal != nil
            return recorder
        } catch {
            let error = error as NSError
            // Not the command line's fault where a library is missing: that is what lies under an error here.
            guard error.userInfo[NSUnderlyingErrorKey] == nil else { cannotCreate(oneLine(error), error) }
            program.fail(.usage, "cannot record into \(output(oneLine(error)))", error)
        }
    }

    private func choose(input uid: String) {
        let session = AVAudioSession.sharedInstance()
        let inputs = session.availableInputs ?? []
        guard let port = inputs.first(where: { $0.uid == uid }) else {
            program.deactivate()
            let known = inputs.map(\.uid).joined(separator: ", ")
            program.fail(.inputUnreadable, "no input \(uid); there is \(known.isEmpty ? "none" : known)")
        }
        do { try session.setPreferredInput(port) } catch { program.fail(session: error) }
    }

    private func cannotCreate(_ reason: String, _ error: NSError? = nil) -> Never {
        program.deactivate()
        program.fail(.cannotCreate, "cannot create \(output(reason))", error)
    }

    /// An error message that names the file once; the library's messages begin with its path.
    private func output(_ reason: String) -> String { reason.naming(options.output) }

    /// Exits with the reason why the server gave no input stream.
    private func failToPrepare() {
        do { try activate() } catch { program.fail(session: error) }
        program.deactivate()
        program.fail(
            .failed, "cannot record: the server gives no sound of an input\(Program.wish(of: "PULSE_SOURCE"))")
    }

    private func finished(successfully: Bool) -> Never {
        program.events.emit("finished", ["successfully": .boolean(successfully)])
        program.deactivate()
        guard !successfully else { program.leave(.done) }
        let subject = encodeError.map { output(oneLine($0)) } ?? options.output
        program.fail(.failed, "cannot go on writing \(subject)", encodeError)
    }

    /// Closes the file and exits: a recorder ends with its server, and a second one would overwrite what was captured.
    func sourceWentAway(_ error: NSError? = nil) -> Never {
        state = .stopping
        recorder?.stop()
        let kept = "\(options.output) holds what was recorded until then"
        program.fail(.noServer, "the source of the sound, or its server, went away; \(kept)", error)
    }

    /// Exits after an input that gave no sound at all.
    private func nothingCame(_ error: NSError?) -> Never {
        program.deactivate()
        program.fail(.inputUnreadable, "nothing was recorded: the input gives no sound", error)
    }

    private func tick() {
        guard let recorder, state == .recording else { return }
        program.events.emit("progress", ["position": .number(recorder.currentTime)])
        draw()
    }
}

extension Recording: @MainActor AVAudioRecorderDelegate {
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
        finished(successfully: flag && encodeError == nil)
    }

    /// Reports a lost or silent input; the recording goes on.
    func audioRecorder(_ recorder: AVAudioRecorder, inputDidChange change: AVAudioRecorderInputChange) {
        var fields: [(key: String, value: EventValue)] = [("position", .number(recorder.currentTime))]
        let condition: String
        let notice: String
        switch change {
        case .lost: (condition, notice) = ("lost", "the input gives no sound: silence stands for it")
        case .flat: (condition, notice) = ("flat", "the input gives nothing but silence: is it muted?")
        case .restored(let silence):
            (condition, notice) = ("restored", "the input is back")
            fields.append(("silence", .number(silence)))
        case .moved(let source):
            (condition, notice) = ("moved", "the input is now \(source)")
            fields.append(("source", .string(source)))
        }
        program.events.emit("input", fields: [("condition", .string(condition))] + fields)
        program.terminal?.print(notice)
    }

    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {
        let error = error as NSError?
        if !isPrepared, let error { cannotCreate(oneLine(error), error) }
        // The source went away, most often with its server; the library has closed the file.
        if error?.code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue { sourceWentAway(error) }
        if error?.code == AVAudioSession.ErrorCode.cannotStartRecording.rawValue { nothingCame(error) }
        encodeError = error
        // What is in the file stays readable: close it before leaving.
        stop()
        finished(successfully: false)
    }
}

extension CategoryWord {
    /// Whether Apple's category of that name has an input.
    fileprivate var records: Bool { [.record, .playAndRecord, .multiRoute].contains(self) }
}
