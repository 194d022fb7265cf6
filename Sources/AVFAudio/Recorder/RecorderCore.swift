internal import AudioFiles
internal import AudioHost
internal import AudioSession
internal import Foundation
internal import Glibc
internal import Locks
internal import SessionPolicy

/// The implementation of `AVAudioRecorder`.
///
/// `lock` serialises the app's calls, and is held while they wait for server and disk. The main loop's thread never
/// takes it: its events go to the take, or through another queue.
///
/// Property reads must not wait so long: `facts` is a leaf, under which nothing waits. `current`, `completed`,
/// `metering` and `assignments` are written with both locks held, and may be read with either.
// SAFETY: everything mutable is guarded by `lock`, `levels` by `facts`.
final class RecorderCore: @unchecked Sendable {
    /// A recording in progress: its stream, its file, and the file's registration.
    private struct Recording {
        let host: any AudioHost
        let capture: any HostCapture
        let take: Take
        let mark: TakeMark
    }

    let url: URL
    let session: AVAudioSession
    private let epoch: Int
    private let lock = CallLock()
    private let facts = NSLock()
    /// The requested format; nil for a recorder without a file.
    private let requested: RecordingFormat?
    /// The complete format of the last preparation.
    private var completed: RecordingFormat?
    private var current: Recording?
    private(set) var metering = false
    private(set) var assignments: [AVAudioSessionChannelDescription]?
    private var levels = PlayerLevels()
    let interrupted = InterruptedFlag()
    /// The queue for the ends of takes that the app has not stopped.
    ///
    /// Neither the loop's thread nor a take's queue may wait for that, or release the recorder.
    let endings = DispatchQueue(label: "AVAudioRecorder", qos: .userInitiated)

    /// The ends of takes that are not delivered yet.
    private let untold = DispatchGroup()

    /// Creates the file of a take with a complete format.
    var makeWriter: (RecordingFormat) throws(AudioFileError) -> any TakeWriter

    /// Called on the main queue when the recording has ended, with whether the file is whole.
    var onFinished: @Sendable (Bool) -> Void = { _ in }
    /// Called on the main queue when the file could not be written, or the source went away.
    var onEncodeError: @Sendable (NSError) -> Void = { _ in }
    /// Called on the main queue when an interruption stopped this recorder, and when it ended.
    var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void = { _, _ in }
    /// Called on the main queue when the input failed, changed or returned.
    var onInputChange: @Sendable (AVAudioRecorderInputChange) -> Void = { _ in }

    init(url: URL, settings: [String: Any], session: AVAudioSession) throws {
        guard url.namesFile else { throw NSError.unsupportedType("Only files can be recorded into.", url) }
        self.url = url
        self.session = session
        requested = try RecordingFormat(settings: settings, url: url)
        epoch = session.core.epoch
        makeWriter = { format throws(AudioFileError) in try format.makeWriter(path: url.filePath) }
        session.core.add(self)
    }

    /// A core without a file, which never records and never asks a server.
    init(withoutFileIn session: AVAudioSession) {
        url = URL(fileURLWithPath: "/dev/null")
        self.session = session
        requested = nil
        epoch = session.core.epoch
        makeWriter = { _ throws(AudioFileError) in throw AudioFileError(.notAFile, "There is no file to record into.") }
    }

    deinit {
        session.core.remove(self)
        guard let current else { return }
        _ = current.capture.close(finishing: true)
        try? current.take.finish()
        UnfinishedTakes.shared.end(current.mark, isUnfinished: current.mark.isBrokenOff)
        current.take.close()
    }

    /// The format, complete after a preparation; nil for a recorder without a file.
    var format: RecordingFormat? { facts.withLock { completed ?? requested } }

    // MARK: Recording

    func prepare() -> Bool { lock.withLock { begun() != nil } }

    /// Starts, now or at a time of ``deviceCurrentTime``, or resumes in the same file after a pause or an interruption.
    func record(at time: Double? = nil, forDuration seconds: Double? = nil) -> Bool {
        lock.withLock {
            guard time?.isFinite != false, seconds?.isNaN != true, let current = begun() else { return false }
            _ = interrupted.clear()
            switch current.capture.start(at: time, forDuration: seconds) {
            case .begun, .interrupted:
                current.mark.hasBegun = true
                return true
            case .nothingWanted:
                stop()
                return true
            case .complete:
                end(current.take)
                return record(at: time, forDuration: seconds)
            case .refused:
                // An unused session deactivates itself, perhaps while the file and the stream were made.
                guard session.core.standing == .inactive, begun() != nil else { return false }
                return record(at: time, forDuration: seconds)
            }
        }
    }

    func pause() {
        lock.withLock {
            guard let current else { return }
            current.capture.pause()
        }
    }

    func stop() {
        lock.withLock {
            guard let current else { return }
            end(current.take, finishing: true)
        }
    }

    func deleteRecording() -> Bool {
        lock.withLock {
            // Without a file nothing belongs to the app: the URL names a file of the system.
            guard current == nil, requested != nil else { return false }
            // Only files: a folder of that name is not a recording.
            guard unlink(url.filePath.pathForC) == 0 else { return false }
            UnfinishedTakes.shared.forgetMissing()
            return true
        }
    }

    /// The recording in progress, for property reads; it may end at any moment.
    private var recording: Recording? { facts.withLock { current } }

    var isRecording: Bool {
        recording?.capture.isRunning ?? false
    }

    /// The recorded seconds, pauses excluded; 0 when stopped.
    ///
    /// The value grows with the device's clock, also while the server delays frames.
    var currentTime: Double {
        recording?.capture.seconds ?? 0
    }

    /// The clock of delayed starts, in seconds; the same for all recorders of the machine.
    var deviceCurrentTime: Double { MonotonicClock.seconds }

    /// The input channels to record, one for each channel of the file, from the next preparation on.
    var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { facts.withLock { assignments } }
        set { lock.withLock { facts.withLock { assignments = newValue } } }
    }

    // MARK: Preparation

    /// Returns the recording in progress, begun if needed; file errors are delivered to the delegate.
    private func begun() -> Recording? {
        do { return try begin() } catch let error as AudioFileError {
            Delivery.perform { [self] in onEncodeError(NSError.audioFile(error)) }
            return nil
        } catch {
            return nil
        }
    }

    /// Activates the session, opens the stream and creates the file; returns an existing recording.
    private func begin() throws -> Recording {
        guard let requested else {
            throw SessionError(.cannotStartRecording, "The recorder was made without a file.")
        }
        guard session.core.epoch == epoch else {
            throw SessionError(.mediaServicesFailed, "The recorder's sound server is gone.")
        }
        let settings = session.core.settings
        guard settings.allowsInput else {
            throw SessionError(.cannotStartRecording, "The category \(settings.category.rawValue) does not record.")
        }
        // The desktop answers while the session is activated.
        session.core.microphone?.prepare()
        let host = try session.core.activate(implicitly: true)
        if let current {
            host.perform(.setCaptureRole(settings.captureRole))
            return current
        }
        let source = session.core.preferredInput ?? assignments?.first?.owningPortUID
        let format = try complete(requested, host: host, source: source)
        let request = try captureRequest(format, settings: settings, source: source)
        let receiver = TakeReceiver(of: self)
        // The stream first: a file must only be emptied for a recording that can begin.
        let capture = try host.openCapture(request, receiver: receiver)
        do {
            guard capture.isOpen else { throw Self.sourceIsGone }
            try UnfinishedTakes.shared.keep(url)
            let take = try makeTake(format)
            take.setMetering(metering)
            let me = RecorderReference(self)
            let mark = UnfinishedTakes.shared.begin(in: url) { me.core?.giveUp($0) }
            receiver.fill(take, mark)
            guard capture.isOpen else {
                UnfinishedTakes.shared.end(mark, isUnfinished: false)
                try? take.finish()
                take.close()
                throw Self.sourceIsGone
            }
            let new = Recording(host: host, capture: capture, take: take, mark: mark)
            facts.withLock {
                current = new
                completed = format
            }
            return new
        } catch {
            _ = capture.close(finishing: false)
            throw error
        }
    }

    private static var sourceIsGone: SessionError {
        SessionError(.mediaServicesFailed, "The source of the recording went away.")
    }

    private static var nothingCame: SessionError {
        SessionError(.cannotStartRecording, "The source of the recording gave no sound.")
    }

    private func makeTake(_ format: RecordingFormat) throws(AudioFileError) -> Take {
        let me = RecorderReference(self)
        return try Take(
            format: format, writer: makeWriter(format),
            onFailure: { [endings] take, error in
                endings.async { me.core?.end(take, NSError.audioFile(error)) }
            },
            onLimit: { [endings] take in endings.async { me.core?.end(take) } })
    }

    /// Ends a take whose stream has ended by itself; on the queue of endings.
    func streamEnded(_ take: Take) { end(take, NSError(Self.sourceIsGone)) }

    // MARK: Ending

    /// Completes the file of a take if it is the current one, and delivers the result once the file is on the disk.
    ///
    /// - Parameter finishing: Whether frames that are heard now belong to the take.
    private func end(_ take: Take, _ error: NSError? = nil, finishing: Bool = false) {
        lock.withLock {
            guard let ending = current, ending.take === take else { return }
            facts.withLock { current = nil }
            let stream = ending.capture.close(finishing: finishing)
            // Nothing can be resumed: at the interruption's end an app would overwrite the recording.
            _ = interrupted.clear()
            // A take that is stopped at once is empty without an error.
            let isEmpty = ending.mark.hasBegun && take.frames == 0
            let reason = !stream.wasOpen ? Self.sourceIsGone : stream.deliveredNothing ? Self.nothingCame : nil
            let cause = isEmpty ? reason : nil
            // Also for a take that is ended after the loss of its stream: the undelivered frames are missing.
            var problem = error ?? (ending.mark.isBrokenOff ? Self.sourceIsGone : cause).map { NSError($0) }
            do throws(AudioFileError) { try take.finish() } catch { problem = problem ?? NSError.audioFile(error) }
            UnfinishedTakes.shared.end(ending.mark, isUnfinished: problem != nil && take.frames > 0)
            untold.enter()
            // Without the recorder itself, which the disk's queue must not release.
            take.close { [mark = ending.mark, onEncodeError, onFinished, untold, problem] error in
                let outcome = problem ?? error.map(NSError.audioFile)
                if problem == nil, outcome != nil { UnfinishedTakes.shared.end(mark, isUnfinished: take.frames > 0) }
                Delivery.perform {
                    if let outcome { onEncodeError(outcome) }
                    onFinished(outcome == nil)
                    untold.leave()
                }
            }
        }
    }

    /// Ends a merely prepared take, because another recorder wants its file.
    ///
    /// Nothing is delivered, and the next start prepares anew.
    private func giveUp(_ mark: TakeMark) {
        lock.withLock {
            guard let prepared = current, prepared.mark === mark, !mark.hasBegun else { return }
            facts.withLock { current = nil }
            _ = prepared.capture.close(finishing: false)
            try? prepared.take.finish()
            UnfinishedTakes.shared.end(mark, isUnfinished: false)
            prepared.take.close()
        }
    }

    /// Calls `body` on the delegate's queue, after the deliveries of all takes that have ended until now.
    func afterNews(_ body: @escaping @Sendable () -> Void) { untold.notify(queue: endings) { Delivery.perform(body) } }

    // MARK: Levels

    var isMeteringEnabled: Bool {
        get { facts.withLock { metering } }
        set {
            lock.withLock {
                guard metering != newValue else { return }
                facts.withLock {
                    metering = newValue
                    if !newValue { levels = PlayerLevels() }
                }
                guard let current else { return }
                current.take.setMetering(newValue)
                current.capture.setPace(newValue ? .watched : .usual)
            }
        }
    }

    /// Reads the levels of the frames captured since the last call.
    func updateMeters() {
        guard let take = facts.withLock({ metering ? current?.take : nil }), isRecording else {
            return facts.withLock { levels = PlayerLevels() }
        }
        guard let new = take.takeLevels() else { return }
        // Metering may have been turned off meanwhile.
        facts.withLock { if metering { levels = PlayerLevels(new) } }
    }

    func averagePower(_ channel: Int) -> Float { facts.withLock { levels.average(channel) } }
    func peakPower(_ channel: Int) -> Float { facts.withLock { levels.peak(channel) } }
}

/// A recorder's requests to the sound server; with the recorder's lock held.
extension RecorderCore {
    /// Completes the format with the input's rate and channels, of which the app may have preferred fewer.
    func complete(_ format: RecordingFormat, host: any AudioHost, source: String?) throws -> RecordingFormat {
        guard format.isOpen else { return format }
        let inputs = try host.inputs()
        let input = inputs.first { source == nil ? $0.isDefault : $0.name == source } ?? inputs.first
        let wish = session.core.preferences.devices.inputChannels
        let channels = input.map { wish > 0 ? min(wish, $0.channels) : $0.channels }
        return format.completed(
            rate: input?.rate ?? 44100, channels: assignments.map { max(1, $0.count) } ?? channels ?? 2)
    }

    func captureRequest(
        _ format: RecordingFormat, settings: SessionSettings, source: String?
    ) throws(AudioFileError) -> CaptureRequest {
        let channels = format.channels ?? 2
        guard channels <= CaptureRequest.mostChannels else {
            throw AudioFileError(
                .unsupportedEncoding,
                "has \(channels) channels, and a sound server carries \(CaptureRequest.mostChannels) at most")
        }
        var request = CaptureRequest(
            format: format.captureFormat, rate: Int(format.captureRate), channels: channels,
            role: settings.captureRole, source: source)
        request.processing = settings.processing(prefersEchoCancelled: session.core.preferences.echoCancelledInput)
        request.pace = metering ? .watched : .usual
        request.places = format.places
        if let assignments, assignments.count == channels {
            request.sourceChannels = assignments.map { $0.channelNumber - 1 }
        }
        return request
    }
}

extension RecorderCore: SessionParticipant {
    func interruptionBegan() {
        if interrupted.isSet { onInterruption(true, false) }
    }

    func interruptionEnded(shouldResume: Bool) {
        if interrupted.clear() { onInterruption(false, shouldResume) }
    }
}
