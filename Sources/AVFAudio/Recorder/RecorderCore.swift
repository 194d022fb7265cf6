internal import AudioFiles
internal import AudioHost
internal import AudioSession
internal import Foundation
internal import Glibc
internal import SessionPolicy

/// What an `AVAudioRecorder` does, apart from its face.
///
/// `lock` serialises the app's calls, and is held while servers and disks are waited for. The main loop's thread never
/// takes it: what comes from there goes to the take, or by way of another queue.
///
/// A window that only asks must not wait so long: `facts` is a leaf, under which nothing is waited for. `current`,
/// `completed`, `metering` and `assignments` are written with both held, and so may be read with either.
// SAFETY: everything mutable is guarded by `lock`, `levels` by `facts`.
final class RecorderCore: @unchecked Sendable {
    /// A recording that has begun: the file, and the stream that fills it.
    private struct Recording {
        let host: any AudioHost
        let capture: any HostCapture
        let take: Take
        let mark: TakeMark
    }

    let url: URL
    let session: AVAudioSession
    private let epoch: Int
    private let lock = NSRecursiveLock()
    private let facts = NSLock()
    /// What the app asked for; nil for a recorder that was made without a file.
    private let requested: RecordingFormat?
    /// What the request became at the last preparation.
    private var completed: RecordingFormat?
    private var current: Recording?
    private(set) var metering = false
    private(set) var assignments: [AVAudioSessionChannelDescription]?
    private var levels = PlayerLevels()
    let interrupted = InterruptedFlag()
    /// Where takes end that nobody stopped: not on the loop's thread or a take's own queue, which may neither wait for
    /// that nor let go of the recorder.
    let endings = DispatchQueue(label: "AVAudioRecorder", qos: .userInitiated)

    /// The ends of takes that are still to be told.
    private let untold = DispatchGroup()

    /// Makes the file of a take, whose format is complete.
    var makeWriter: (RecordingFormat) throws(AudioFileError) -> any TakeWriter

    /// Told on the main queue that the recording ended, and whether the file is whole.
    var onFinished: @Sendable (Bool) -> Void = { _ in }
    /// Told on the main queue that the file could not be written, or the source went away.
    var onEncodeError: @Sendable (NSError) -> Void = { _ in }
    /// Told on the main queue of an interruption that stopped this recorder, and of its end.
    var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void = { _, _ in }
    /// Told on the main queue what became of the input.
    var onInputChange: @Sendable (AVAudioRecorderInputChange) -> Void = { _ in }

    init(url: URL, settings: [String: Any], session: AVAudioSession) throws {
        guard url.isFileURL else { throw NSError.unsupportedType("Only files can be recorded into.", url) }
        self.url = url
        self.session = session
        requested = try RecordingFormat(settings: settings, url: url)
        epoch = session.core.epoch
        makeWriter = { format throws(AudioFileError) in try format.makeWriter(path: url.filePath) }
        session.core.add(self)
    }

    /// A core without a file: it never records, and nobody is asked for anything.
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

    /// Nil for a recorder that was made without a file.
    var format: RecordingFormat? { facts.withLock { completed ?? requested } }

    // MARK: Recording

    func prepare() -> Bool { lock.withLock { begun() != nil } }

    /// Starts, now or at a time of ``deviceCurrentTime``, or goes on after a pause or an interruption in the same file.
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
                // A session that nobody uses ends by itself, perhaps while the file and the stream were made.
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
            // Without a file there is nothing of the app's: what its URL names belongs to the system.
            guard current == nil, requested != nil else { return false }
            // A file and no more: a folder of that name is not a recording.
            guard unlink(url.filePath.pathForC) == 0 else { return false }
            UnfinishedTakes.shared.forgetMissing()
            return true
        }
    }

    /// What is being recorded, for who only asks; it may end at any moment.
    private var recording: Recording? { facts.withLock { current } }

    var isRecording: Bool {
        recording?.capture.isRunning ?? false
    }

    /// Recorded seconds, without pauses; 0 when stopped.
    ///
    /// It grows with the device's clock, also while the server keeps what was heard for a moment.
    var currentTime: Double {
        recording?.capture.seconds ?? 0
    }

    /// The time by which recordings are started, in seconds; the same for all recorders of the machine.
    var deviceCurrentTime: Double { MonotonicClock.seconds }

    /// The channels of the input to take, one for each of the file's; they count from the next preparation on.
    var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { facts.withLock { assignments } }
        set { lock.withLock { facts.withLock { assignments = newValue } } }
    }

    // MARK: Beginning

    /// Begins; where that is the file's fault, the delegate learns why.
    private func begun() -> Recording? {
        do { return try begin() } catch let error as AudioFileError {
            Delivery.perform { [self] in onEncodeError(NSError.audioFile(error)) }
            return nil
        } catch {
            return nil
        }
    }

    /// Activates the session, creates the file and opens the stream; returns what there is already.
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
        // Answered while the session is activated.
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
        // The stream first: a file is emptied only for a recording that can begin.
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

    /// Ends a take whose stream ended by itself, on another thread.
    func streamEnded(_ take: Take) { end(take, NSError(Self.sourceIsGone)) }

    // MARK: Ending

    /// Finishes the file of a take, if it is still the current one, and tells how it went once it is on the disk.
    ///
    /// - Parameter finishing: Whether frames that are heard now still belong to it.
    private func end(_ take: Take, _ error: NSError? = nil, finishing: Bool = false) {
        lock.withLock {
            guard let ending = current, ending.take === take else { return }
            facts.withLock { current = nil }
            let stream = ending.capture.close(finishing: finishing)
            // There is nothing to go on with: an app that did so at the interruption's end would record over it.
            _ = interrupted.clear()
            // An app that stops at once has an empty take, and nothing is wrong.
            let isEmpty = ending.mark.hasBegun && take.frames == 0
            let reason = !stream.wasOpen ? Self.sourceIsGone : stream.deliveredNothing ? Self.nothingCame : nil
            let cause = isEmpty ? reason : nil
            // Whoever ends a take whose stream has gone: what it had not delivered is missing.
            var problem = error ?? (ending.mark.isBrokenOff ? Self.sourceIsGone : cause).map { NSError($0) }
            do throws(AudioFileError) { try take.finish() } catch { problem = problem ?? NSError.audioFile(error) }
            UnfinishedTakes.shared.end(ending.mark, isUnfinished: problem != nil && take.frames > 0)
            untold.enter()
            // Not the recorder itself, of which the disk's queue may not let go.
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

    /// Ends a take in which nothing was recorded, as another recorder begins one in the file: nothing is told, and
    /// recording prepares anew.
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

    /// Calls `body` where the delegate is called, when it knows of every take that has ended until now.
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

    /// Takes the levels of what was captured since the last call.
    func updateMeters() {
        guard let take = facts.withLock({ metering ? current?.take : nil }), isRecording else {
            return facts.withLock { levels = PlayerLevels() }
        }
        guard let new = take.takeLevels() else { return }
        // Levels that nobody wants any more meanwhile are none.
        facts.withLock { if metering { levels = PlayerLevels(new) } }
    }

    func averagePower(_ channel: Int) -> Float { facts.withLock { levels.average(channel) } }
    func peakPower(_ channel: Int) -> Float { facts.withLock { levels.peak(channel) } }
}
