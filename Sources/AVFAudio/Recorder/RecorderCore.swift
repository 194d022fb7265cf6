internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import Glibc
internal import SessionPolicy
internal import SoundHost

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
        let host: PulseHost
        let capture: Capture
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
    private let endings = DispatchQueue(label: "AVAudioRecorder", qos: .userInitiated)

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
        epoch = session.shell.epoch
        makeWriter = { format throws(AudioFileError) in try format.makeWriter(path: url.filePath) }
        session.shell.add(self)
    }

    /// A core without a file: it never records, and nobody is asked for anything.
    init(withoutFileIn session: AVAudioSession) {
        url = URL(fileURLWithPath: "/dev/null")
        self.session = session
        requested = nil
        epoch = session.shell.epoch
        makeWriter = { _ throws(AudioFileError) in throw AudioFileError(.notAFile, "There is no file to record into.") }
    }

    deinit {
        session.shell.remove(self)
        guard let current else { return }
        current.host.withLock {
            current.capture.finish()
            current.capture.close()
        }
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
            // A session that nobody uses ends by itself, perhaps while the file and the stream were made.
            guard current.host.withLock({ session.shell.state != .inactive }) || begun() != nil else { return false }
            switch current.host.withLock({ start(current, at: time, forDuration: seconds) }) {
            case .begun(let isRunning): return isRunning
            case .nothing:
                stop()
                return true
            case .over:
                end(current.take)
                return record(at: time, forDuration: seconds)
            }
        }
    }

    private enum Start {
        /// It records; or has failed, and does not.
        case begun(Bool)
        /// There is nothing to record.
        case nothing
        /// The take has had all that was wanted of it a moment ago, and is about to end.
        case over
    }

    /// With the main loop's lock held: what ends the take, or the session, from now on finds it running.
    private func start(_ current: Recording, at time: Double?, forDuration seconds: Double?) -> Start {
        // First: others may have the lock meanwhile.
        current.capture.awaitDrain()
        guard !current.take.isComplete else { return .over }
        if let seconds, !current.take.setLimit(after: seconds, plus: current.capture.undelivered) { return .nothing }
        // Asked once more: what ends the session from now on stops the capture too.
        guard session.shell.state != .inactive else { return .begun(false) }
        current.mark.hasBegun = true
        current.capture.resume(at: time)
        if seconds != nil { current.capture.hurry() }
        // Not if the source went away a moment ago; what is interrupted in that moment has begun all the same.
        return .begun(current.capture.isRunning || interrupted.isSet)
    }

    func pause() {
        lock.withLock {
            guard let current else { return }
            current.host.withLock {
                current.capture.finish()
                current.take.secure()
            }
        }
    }

    func stop() {
        lock.withLock {
            guard let current else { return }
            current.host.withLock { current.capture.finish() }
            end(current.take)
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
        guard let recording else { return false }
        return recording.host.withLock { recording.capture.isRunning }
    }

    /// Recorded seconds, without pauses; 0 when stopped.
    ///
    /// It grows with the device's clock, also while the server keeps what was heard for a moment.
    var currentTime: Double {
        guard let recording else { return 0 }
        let (take, capture) = (recording.take, recording.capture)
        return recording.host.withLock { take.seconds(plus: capture.undelivered, isRunning: capture.isUnderWay) }
    }

    /// The time by which recordings are started, in seconds; the same for all recorders of the machine.
    var deviceCurrentTime: Double { Capture.clock }

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

    /// The recorder, for closures that run where it must not be let go of: they hand this on.
    // SAFETY: written before others have it; weak references are loaded atomically.
    private final class Reference: @unchecked Sendable {
        private(set) weak var core: RecorderCore?

        init(_ core: RecorderCore) { self.core = core }
    }

    /// Activates the session, creates the file and opens the stream; returns what there is already.
    private func begin() throws -> Recording {
        guard let requested else {
            throw SessionError(.cannotStartRecording, "The recorder was made without a file.")
        }
        guard session.shell.epoch == epoch else {
            throw SessionError(.mediaServicesFailed, "The recorder's sound server is gone.")
        }
        let settings = session.shell.settings
        guard settings.allowsInput else {
            throw SessionError(.cannotStartRecording, "The category \(settings.category.rawValue) does not record.")
        }
        // Answered while the session is activated.
        session.shell.microphone?.prepare()
        let host = try session.shell.activate(implicitly: true)
        if let current {
            host.changeCaptures(role: settings.captureRole)
            return current
        }
        let source = session.shell.preferredInput ?? assignments?.first?.owningPortUID
        let format = try complete(requested, host: host, source: source)
        let request = try captureRequest(format, settings: settings, source: source)
        let slot = TakeSlot()
        // The stream first: a file is emptied only for a recording that can begin.
        let capture = try host.openCapture(request, handlers: handlers(slot))
        do {
            guard host.withLock({ capture.isOpen }) else { throw Self.sourceIsGone }
            try UnfinishedTakes.shared.keep(url)
            let take = try makeTake(format)
            take.setMetering(metering)
            let me = Reference(self)
            let mark = UnfinishedTakes.shared.begin(in: url) { me.core?.giveUp($0) }
            let isOpen = host.withLock {
                (slot.take, slot.mark) = (take, mark)
                return capture.isOpen
            }
            guard isOpen else {
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
            host.withLock { capture.close() }
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
        let me = Reference(self)
        return try Take(
            format: format, writer: makeWriter(format),
            onFailure: { [endings] take, error in
                endings.async { me.core?.end(take, NSError.audioFile(error)) }
            },
            onLimit: { [endings] take in endings.async { me.core?.end(take) } })
    }

    /// What a stream fills once there is a file.
    // SAFETY: only touched with the main loop's lock held.
    private final class TakeSlot: @unchecked Sendable {
        var take: Take?
        var mark: TakeMark?
    }

    private func handlers(_ slot: TakeSlot) -> Capture.Handlers {
        let me = Reference(self)
        return .init(
            data: { slot.take?.receive($0, count: $1) },
            interrupted: { [interrupted] wasRunning in
                guard wasRunning else { return _ = interrupted.clear() }
                interrupted.set()
            },
            rested: { slot.take?.secure() },
            isUrgent: { slot.take?.isNearLimit == true },
            news: { news in
                let change = AVAudioRecorderInputChange(news)
                Delivery.perform { me.core?.onInputChange(change) }
            },
            ended: { [endings] in
                guard let take = slot.take else { return }
                // At once: who hears of it may begin the next take before this one is whole.
                if take.frames > 0 { slot.mark?.breakOff() }
                endings.async { me.core?.end(take, NSError(Self.sourceIsGone)) }
            })
    }

    // MARK: Ending

    /// Finishes the file of a take, if it is still the current one, and tells how it went once it is on the disk.
    private func end(_ take: Take, _ error: NSError? = nil) {
        lock.withLock {
            guard let ending = current, ending.take === take else { return }
            facts.withLock { current = nil }
            let cause: SessionError? = ending.host.withLock {
                let isOpen = ending.capture.isOpen
                ending.capture.close()
                // There is nothing to go on with: an app that did so at the interruption's end would record over it.
                _ = interrupted.clear()
                // An app that stops at once has an empty take, and nothing is wrong.
                guard ending.mark.hasBegun, take.frames == 0 else { return nil }
                return !isOpen ? Self.sourceIsGone : ending.capture.isFruitless ? Self.nothingCame : nil
            }
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
            prepared.host.withLock { prepared.capture.close() }
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
                current.host.withLock { current.capture.setPace(newValue ? .watched : .usual) }
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
