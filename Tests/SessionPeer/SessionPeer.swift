import AVFAudio
import CommandLineSupport
import Foundation
import SoundAnalysis

/// The session, player and recorder of this process, and what may be asked of them.
// SAFETY: `player`, `others`, `recorder` and `isActive` are guarded by `lock`; `routes` is set by one command at a time, and
// the rest does not change.
final class SessionPeer: @unchecked Sendable {
    let session = AVAudioSession.sharedInstance()
    let application = AVAudioApplication.shared
    let events = EventPrinter(isOn: true)
    private let lock = NSLock()
    private var player: AVAudioPlayer?
    private var recorder: AVAudioRecorder?
    private var others: [AVAudioPlayer] = []
    private var isActive = false
    let itemPlayer: ItemPlayer
    private let engine = EnginePeer()
    private let copy = SecondCopy()
    private lazy var reporter = DelegateReporter(events: events)
    private var notifications: NotificationReporter?
    private var routes: RouteReporter?

    init() {
        itemPlayer = ItemPlayer(events: events)
        notifications = NotificationReporter(of: self)
        events.emit("ready", ["pid": .integer(Int(getpid()))])
    }

    /// Whether the session is active, as far as its notifications say.
    var isToldActive: Bool {
        get { lock.withLock { isActive } }
        set { lock.withLock { isActive = newValue } }
    }

    var isPlaying: Bool { lock.withLock { player }?.isPlaying ?? false }
    var isRecording: Bool { lock.withLock { recorder }?.isRecording ?? false }

    /// Carries out one line, `ID COMMAND [ARGUMENT]...`, and prints its answer.
    func perform(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count > 1, let id = Int(words[0]) else {
            return events.emit("answer", ["ok": false, "message": .string("not a command: \(line)")])
        }
        let command = words[1]
        let start = ContinuousClock.now
        do {
            let value = try answer(to: command, Array(words.dropFirst(2)))
            events.emit(
                "answer",
                [
                    "id": .integer(id), "command": .string(command), "ok": true, "value": value,
                    "seconds": .number((ContinuousClock.now - start) / .seconds(1)),
                ])
        } catch {
            let error = error as NSError
            events.emit(
                "answer",
                [
                    "id": .integer(id), "command": .string(command), "ok": false, "domain": .string(error.domain),
                    "code": .integer(error.code), "fourCC": .string(fourCharacters(error.code)),
                    "message": .string(error.localizedDescription),
                ])
        }
    }

    private func answer(to command: String, _ arguments: [String]) throws -> EventValue? {
        switch command {
        case "play", "also", "resume", "pause", "stop", "record": return try sound(command, arguments)
        case "engine": return try engine.perform(arguments)
        case "avplayer", "avplay", "avpause": return itemPlayer.perform(command, arguments.first)
        case "hint": return .boolean(session.secondaryAudioShouldBeSilencedHint)
        case "other": return .boolean(session.isOtherAudioPlaying)
        case "permission", "ask", "mute-input", "prefer-input", "level": return try input(command, arguments)
        case "position": return .number(lock.withLock { player }?.currentTime ?? 0)
        case "wish": return .string(Wishes.tryAll(of: session))
        case "wishes": return .string(Wishes.values(of: session))
        case "state": state()
        case "watch-routes": routes = RouteReporter(of: session, events: events)
        case "descriptors": try limitDescriptors(to: arguments.first)
        case "hold-main": MainThread.hold()
        case "release-main": MainThread.release()
        case "main-operations": return .number(Double(MainThread.operations))
        case "deliver": try MainThread.deliver(on: arguments.first)
        case "identity":
            try AVAudioSession.setApplicationIdentity(arguments.first ?? "", name: arguments.dropFirst().first)
        case "copy": return .boolean(try playInCopy(arguments))
        case "exit": exit(0)
        // A process that goes without its farewell: no exit handler runs.
        case "vanish": _exit(0)
        default: try configure(command, arguments)
        }
        return nil
    }

    // MARK: The session

    private func configure(_ command: String, _ arguments: [String]) throws {
        switch command {
        case "category": try setCategory(of: session, arguments)
        case "mode":
            try session.setMode(.init("AVAudioSessionMode" + capitalized(arguments.first ?? "default")))
        case "activate": try session.setActive(true, options: try activation(arguments))
        case "deactivate": try session.setActive(false, options: try activation(arguments))
        case "activate-async":
            session.activate(options: []) { [events] isActive, error in report("activated", isActive, error, events) }
        case "deactivate-async":
            session.deactivate(options: arguments == ["notify"] ? .notifyOthersOnDeactivation : []) {
                [events] isInactive, error in report("deactivated", isInactive, error, events)
            }
        case "volume": try session.setOutputVolume(arguments.first.flatMap(Float.init) ?? 0)
        case "mute-output": try session.setOutputMuted(arguments == ["1"])
        case "warm-up": session.warmUp()
        case "prefer-no-alerts": try session.setPrefersNoInterruptionsFromSystemAlerts(arguments == ["1"])
        default: throw PeerError("There is no command \(command).")
        }
    }

    /// `copy FREQUENCY NAME [MODE [OPTION,OPTION...]]`: plays a sine in the session of a second copy of the library.
    private func playInCopy(_ arguments: [String]) throws -> Bool {
        guard let frequency = arguments.first.flatMap(Double.init), arguments.count > 1 else {
            throw PeerError("copy FREQUENCY NAME [MODE [OPTION,OPTION...]]")
        }
        try setCategory(of: copy.session, Array(arguments.dropFirst()))
        return try copy.play(frequency)
    }

    private func setCategory(of session: AVAudioSession, _ arguments: [String]) throws {
        let words = arguments + ["default", ""].suffix(max(0, 3 - arguments.count))
        guard words.count == 3 else { throw PeerError("category NAME [MODE [OPTION,OPTION...]]") }
        try session.setCategory(
            .init("AVAudioSessionCategory" + capitalized(words[0])),
            mode: .init("AVAudioSessionMode" + capitalized(words[1])), options: try options(words[2]))
    }

    private func activation(_ words: [String]) throws -> AVAudioSession.SetActiveOptions {
        guard words.isEmpty || words == ["notify"] else { throw PeerError("only notify can be said here") }
        return words.isEmpty ? [] : .notifyOthersOnDeactivation
    }

    private func options(_ list: String) throws -> AVAudioSession.CategoryOptions {
        let known: [String: AVAudioSession.CategoryOptions] = [
            "mixWithOthers": .mixWithOthers, "duckOthers": .duckOthers,
            "interruptSpokenAudioAndMixWithOthers": .interruptSpokenAudioAndMixWithOthers,
            "defaultToSpeaker": .defaultToSpeaker, "allowBluetoothHFP": .allowBluetoothHFP,
        ]
        return try list.split(separator: ",").reduce(into: []) { set, name in
            guard let option = known[String(name)] else { throw PeerError("There is no option \(name).") }
            set.formUnion(option)
        }
    }

    /// Prints where the session and its player stand, once all is delivered that was posted before.
    private func state() {
        awaitMainQueue()
        let (player, recorder) = lock.withLock { (self.player, self.recorder) }
        // The position is an estimate until the server has said how much of the queue it played.
        player?.settle()
        events.emit(
            "state",
            [
                "category": .string(short(session.category.rawValue, after: "AVAudioSessionCategory")),
                "mode": .string(short(session.mode.rawValue, after: "AVAudioSessionMode")),
                "options": .integer(Int(session.categoryOptions.rawValue)), "active": .boolean(isToldActive),
                "isPlaying": .boolean(player?.isPlaying ?? false),
                "isRecording": .boolean(recorder?.isRecording ?? false), "position": .number(player?.currentTime ?? 0),
                "recorded": .number(recorder?.currentTime ?? 0), "rate": itemPlayer.rate.map { .number($0) },
                "prefersNoAlerts": .boolean(session.prefersNoInterruptionsFromSystemAlerts),
            ])
    }

    // MARK: Sound

    private func sound(_ command: String, _ arguments: [String]) throws -> EventValue? {
        let (player, recorder) = lock.withLock { (self.player, self.recorder) }
        switch command {
        case "play":
            player?.stop()
            let new = try makePlayer(arguments)
            lock.withLock { self.player = new }
            return .boolean(new.play())
        case "also":
            let new = try makePlayer(arguments)
            lock.withLock { others.append(new) }
            return .boolean(new.play())
        case "resume": return .boolean(recorder?.record() ?? player?.play() ?? false)
        case "pause":
            player?.pause()
            recorder?.pause()
        case "record": return .boolean(try record(arguments))
        default:
            player?.stop()
            recorder?.stop()
            lock.withLock { self.recorder = nil }
        }
        return nil
    }

    /// What concerns the microphone, and not the session.
    private func input(_ command: String, _ arguments: [String]) throws -> EventValue? {
        switch command {
        case "permission":
            return .string("\(application.recordPermission) \(session.recordPermission)")
        case "ask":
            AVAudioApplication.requestRecordPermission { [events] in events.emit("asked", ["granted": .boolean($0)]) }
            return nil
        case "mute-input":
            try application.setInputMuted(arguments == ["1"])
            return .boolean(application.isInputMuted)
        case "prefer-input":
            let input = session.availableInputs?.first { $0.uid == arguments.first }
            guard let input else { throw PeerError("no such input") }
            try session.setPreferredInput(input)
            return nil
        default:
            guard let recorder = lock.withLock({ self.recorder }) else { throw PeerError("nothing records") }
            recorder.isMeteringEnabled = true
            recorder.updateMeters()
            return .number(Double(recorder.peakPower(forChannel: 0)))
        }
    }

    /// `play FREQUENCY|counter [SECONDS] [LEVEL]`: a second of sine for ever, or as long as is said.
    private func makePlayer(_ arguments: [String]) throws -> AVAudioPlayer {
        guard let what = arguments.first else { throw PeerError("play FREQUENCY|counter [SECONDS] [LEVEL]") }
        let seconds = arguments.dropFirst().first.flatMap(Double.init)
        let signal: TestSignal
        if let frequency = Double(what) {
            let level = arguments.dropFirst(2).first.flatMap(Double.init) ?? -12
            signal = .sine(frequency: frequency, level: level, seconds: seconds ?? 1)
        } else {
            signal = .counter(seconds: seconds ?? 30)
        }
        let new = try AVAudioPlayer(data: signal.wavData)
        new.delegate = reporter
        if seconds == nil { new.numberOfLoops = -1 }
        return new
    }

    private func record(_ arguments: [String]) throws -> Bool {
        guard let path = arguments.first else { throw PeerError("record PATH") }
        let settings: [String: Any] = [
            AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 44_100.0, AVNumberOfChannelsKey: 2,
            AVLinearPCMBitDepthKey: 16,
        ]
        let new = try AVAudioRecorder(url: URL(fileURLWithPath: path), settings: settings)
        new.delegate = reporter
        lock.withLock { recorder = new }
        return new.record()
    }
}

private func awaitMainQueue() {
    let delivered = DispatchSemaphore(value: 0)
    OperationQueue.main.addOperation { delivered.signal() }
    delivered.wait()
}

/// `none`: the process can open nothing beside what it has open; `some`: it can again.
private func limitDescriptors(to word: String?) throws {
    // The main thread's run loop takes some as it begins, and Foundation traps without.
    awaitMainQueue()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    switch word {
    case "none":
        // The lowest that is free is the first that the limit takes away.
        let next = dup(0)
        close(next)
        limit.rlim_cur = rlim_t(next)
    case "some": limit.rlim_cur = min(limit.rlim_max, 1024)
    default: throw PeerError("descriptors none|some")
    }
    setrlimit(files, &limit)
}

/// A command that makes no sense.
struct PeerError: LocalizedError {
    let errorDescription: String?

    init(_ message: String) { errorDescription = message }
}

private func report(_ event: String, _ value: Bool, _ error: (any Error)?, _ events: EventPrinter) {
    let code = (error as NSError?)?.code
    let letters = code.map { EventValue.string(fourCharacters($0)) }
    events.emit(event, ["value": .boolean(value), "code": code.map { .integer($0) }, "fourCC": letters])
}

private func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

private func short(_ name: String, after prefix: String) -> String {
    guard name.hasPrefix(prefix) else { return name }
    let rest = name.dropFirst(prefix.count)
    return rest.prefix(1).lowercased() + rest.dropFirst()
}

/// A code as the four letters that it is known by; the number where it is none.
func fourCharacters(_ code: Int) -> String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
    return bytes.allSatisfy { (0x20..<0x7f).contains($0) } ? String(decoding: bytes, as: UTF8.self) : "\(code)"
}
