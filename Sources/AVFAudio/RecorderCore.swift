internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SessionPolicy
internal import SoundHost

/// What an `AVAudioRecorder` does, apart from its face.
///
/// `lock` serialises the app's calls. The main loop's thread never takes it: what comes from there goes to the take, or
/// by way of the main queue.
// SAFETY: everything mutable is guarded by `lock`.
final class RecorderCore: @unchecked Sendable, SessionParticipant {
    /// A recording that has begun: the file, and the stream that fills it.
    private struct Session {
        let host: PulseHost
        let capture: Capture
        let take: Take
    }

    let url: URL
    private let session: AVAudioSession
    private let epoch: Int
    private let lock = NSRecursiveLock()
    private var requested: RecordingFormat
    private var current: Session?
    private var metering = false
    private var levels = PlayerLevels()
    private let interrupted = InterruptedFlag()

    /// Told on the main queue that the recording ended, and whether the file is whole.
    var onFinished: @Sendable (Bool) -> Void = { _ in }
    /// Told on the main queue that the file could not be written, or the source went away.
    var onEncodeError: @Sendable (NSError) -> Void = { _ in }
    /// Told on the main queue of an interruption that stopped this recorder, and of its end.
    var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void = { _, _ in }

    init(url: URL, settings: [String: Any], session: AVAudioSession) throws {
        guard url.isFileURL else { throw NSError.unsupportedType("Only files can be recorded into.", url) }
        self.url = url
        self.session = session
        requested = try RecordingFormat(settings: settings, url: url)
        epoch = session.shell.epoch
        session.shell.add(self)
    }

    deinit {
        guard let current else { return }
        current.host.withLock { current.capture.close() }
        try? current.take.close()
    }

    var format: RecordingFormat { lock.withLock { current?.take.format ?? requested } }

    // MARK: Recording

    func prepare() -> Bool { lock.withLock { (try? begin()) != nil } }

    /// Starts, or goes on after a pause or an interruption in the same file.
    func record(forDuration seconds: Double? = nil) -> Bool {
        lock.withLock {
            guard let current = try? begin() else { return false }
            _ = interrupted.clear()
            if let seconds {
                let rate = current.take.format.sampleRate ?? 0
                current.take.setLimit(current.take.frames + max(0, Int((seconds * rate).rounded())))
            }
            current.host.withLock { current.capture.resume() }
            return true
        }
    }

    func pause() {
        lock.withLock {
            guard let current else { return }
            current.host.withLock { current.capture.pause() }
            current.take.secure()
        }
    }

    func stop() {
        lock.withLock {
            guard let ending = current else { return }
            current = nil
            ending.host.withLock { ending.capture.close() }
            finish(ending.take)
        }
    }

    /// Closes the file and tells how it went.
    private func finish(_ take: Take) {
        var isWhole = true
        do throws(AudioFileError) { try take.close() } catch { isWhole = false }
        OperationQueue.main.addOperation { [self, isWhole] in onFinished(isWhole) }
    }

    func deleteRecording() -> Bool {
        lock.withLock {
            guard current == nil else { return false }
            return (try? FileManager.default.removeItem(at: url)) != nil
        }
    }

    var isRecording: Bool {
        lock.withLock { current.map { current in current.host.withLock { current.capture.isRunning } } ?? false }
    }

    /// Recorded seconds, without pauses; 0 when stopped.
    var currentTime: Double {
        lock.withLock {
            guard let take = current?.take, let rate = take.format.sampleRate else { return 0 }
            return Double(take.frames) / rate
        }
    }

    // MARK: Beginning

    /// Activates the session, creates the file and opens the stream; returns what there is already.
    private func begin() throws -> Session {
        if let current { return current }
        guard session.shell.epoch == epoch else {
            throw SessionError(.mediaServicesFailed, "The recorder's sound server is gone.")
        }
        let settings = session.shell.settings
        guard settings.allowsInput else {
            throw SessionError(.cannotStartRecording, "The category \(settings.category.rawValue) does not record.")
        }
        let host = try session.shell.activate(implicitly: true)
        let source = session.shell.preferredInput
        let format = try complete(requested, host: host, source: source)
        let take = try makeTake(format)
        take.setMetering(metering)
        let request = CaptureRequest(
            format: format.captureFormat, rate: Int(format.sampleRate ?? 44100), channels: format.channels ?? 2,
            role: settings.captureRole, source: source)
        let capture: Capture
        do {
            capture = try host.openCapture(
                request,
                handlers: .init(
                    data: { take.receive($0, count: $1) },
                    interrupted: { [interrupted] in
                        interrupted.set()
                        take.secure()
                    },
                    ended: { [weak self] in OperationQueue.main.addOperation { [weak self] in self?.sourceEnded(take) } }))
        } catch {
            try? take.close()
            throw error
        }
        let new = Session(host: host, capture: capture, take: take)
        current = new
        return new
    }

    /// What the settings leave open is the input's own.
    private func complete(_ format: RecordingFormat, host: PulseHost, source: String?) throws -> RecordingFormat {
        guard format.sampleRate == nil || format.channels == nil else { return format }
        let inputs = try host.inputs()
        let input = inputs.first { source == nil ? $0.isDefault : $0.name == source } ?? inputs.first
        return format.completed(rate: input?.rate ?? 44100, channels: min(input?.channels ?? 2, 64))
    }

    private func makeTake(_ format: RecordingFormat) throws(AudioFileError) -> Take {
        try Take(
            format: format, rate: format.sampleRate ?? 44100, channels: format.channels ?? 2, path: url.path,
            onFailure: { [weak self] error in OperationQueue.main.addOperation { [weak self] in self?.writingFailed(error) } },
            onLimit: { [weak self] in OperationQueue.main.addOperation { [weak self] in self?.stop() } })
    }

    /// The disk is full, or gone: what was written is closed as it is.
    private func writingFailed(_ error: AudioFileError) {
        onEncodeError(NSError.audioFile(error))
        stop()
    }

    /// The stream was killed, or its server went away: what was captured is a whole file.
    private func sourceEnded(_ take: Take) {
        lock.withLock {
            guard let ending = current, ending.take === take else { return }
            current = nil
            onEncodeError(NSError(SessionError(.mediaServicesFailed, "The recording's source went away.")))
            try? take.close()
            onFinished(false)
        }
    }

    // MARK: Levels

    var isMeteringEnabled: Bool {
        get { lock.withLock { metering } }
        set {
            lock.withLock {
                metering = newValue
                current?.take.setMetering(newValue)
                if !newValue { levels = PlayerLevels() }
            }
        }
    }

    /// Takes the levels of what was captured since the last call.
    func updateMeters() {
        lock.withLock {
            guard metering, let take = current?.take, isRecording else {
                levels = PlayerLevels()
                return
            }
            if let new = take.takeLevels() { levels = PlayerLevels(new) }
        }
    }

    func averagePower(_ channel: Int) -> Float { lock.withLock { levels.average(channel) } }
    func peakPower(_ channel: Int) -> Float { lock.withLock { levels.peak(channel) } }

    // MARK: SessionParticipant

    func interruptionBegan() {
        if interrupted.isSet { onInterruption(true, false) }
    }

    func interruptionEnded(shouldResume: Bool) {
        if interrupted.clear() { onInterruption(false, shouldResume) }
    }
}
