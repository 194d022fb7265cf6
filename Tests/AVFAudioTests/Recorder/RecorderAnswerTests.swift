import AudioFiles
import AudioHost
import AudioSession
import Foundation
import HeadlessServer
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A recorder that is asked while it is busy", .limited)
struct RecorderAnswerTests {
    /// Runs `body` with a session on a scripted host, or on a server, with a folder's files, and with a way to let time
    /// pass until something is so.
    private func withStage(
        _ isScripted: Bool, _ microphone: (any MicrophonePermission)? = nil,
        _ body: (
            _ session: AVAudioSession, _ file: @escaping @Sendable (String) -> URL,
            _ pass: (String, () -> Bool) async throws -> Void
        ) async throws -> Void
    ) async throws {
        guard !isScripted else {
            return try await ScriptedLab.with(.playAndRecord, microphone: microphone) { lab in
                try await body(lab.session, { lab.file($0) }, { try await lab.pass(until: $0, $1) })
            }
        }
        try await withServer(.pipeWire) { server in
            _ = try await server.recordingSession()
            let session = AVAudioSession(server: server.address, meetsDesktop: false, microphone: microphone)
            try session.setCategory(.playAndRecord)
            try await body(session, { server.file($0) }, { try await waitUntil($0, $1) })
        }
    }

    @Test(
        "Who only asks is answered while a disk keeps the recorder from making its file, and from closing it",
        arguments: [true, false])
    func answers(isScripted: Bool) async throws {
        try await withStage(isScripted) { session, file, pass in
            let core = try RecorderCore(url: file("a.wav"), settings: stereoSettings, session: session)
            core.isMeteringEnabled = true
            let disk = Gate()
            defer { disk.open() }
            core.makeWriter = { _ throws(AudioFileError) -> any TakeWriter in
                disk.pass()
                return GatedWriter(finishing: disk)
            }
            let beginning = Task { try await offPool { core.record() } }
            try await waitUntil("the file to be made") { disk.arrived == 1 }
            try await ask(core)
            #expect(!core.isRecording && core.currentTime == 0)
            disk.open(1)
            #expect(try await beginning.value)
            try await pass("some sound") { core.currentTime > 0.1 }
            let ending = Task { try await offPool { core.stop() } }
            try await waitUntil("the file to be closed") { disk.arrived == 2 }
            try await ask(core)
            #expect(!core.isRecording && core.currentTime == 0)
            disk.open(1)
            try await ending.value
        }
    }

    @Test(
        "A recording that is asked for while the one before has just ended is another one, and is recorded",
        arguments: [true, false])
    func askedAtTheEnd(isScripted: Bool) async throws {
        let waiting = WaitingPolicy()
        defer { waiting.gate.open() }
        try await withStage(isScripted, MicrophoneAccess(bus: nil, policy: waiting.policy)) { session, file, pass in
            let make = { try AVAudioRecorder(url: file($0), settings: stereoSettings, session: session) }
            let (recorder, clock) = (try make("a.wav"), try make("b.wav"))
            let events = RecorderEvents()
            recorder.delegate = events
            #expect(clock.record())
            #expect(recorder.record(forDuration: 0.2))
            waiting.isWaiting = true
            let next = Task { try await offPool { recorder.record(forDuration: 1) } }
            try await waitUntil("the call") { waiting.gate.arrived == 1 }
            // The end of the first one, and well before the call's own two seconds are over.
            let time = clock.currentTime + 0.4
            try await pass("the end") { clock.currentTime > time }
            waiting.gate.open()
            #expect(try await next.value)
            try await pass("both ends") { events.finished == [true, true] }
            #expect(try DecodedFile(recorder.url).frames == 44_100)
        }
    }

    @Test("stop() does not wait until the disk has the file; the delegate is told when it has, or cannot")
    func slowDisk() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let file = server.file("a.wav")
            let core = try RecorderCore(url: file, settings: stereoSettings, session: session)
            let ends = Ends()
            core.onFinished = { ends.add($0) }
            core.onEncodeError = { ends.add($0) }
            for failure in [nil, AudioFileError(.diskFull(ENOSPC), "is full", path: file.path)] {
                try Data("kept".utf8).write(to: file)
                let disk = Gate()
                defer { disk.open() }
                core.makeWriter = { _ throws(AudioFileError) -> any TakeWriter in
                    GatedWriter(closing: disk, failure: failure)
                }
                #expect(core.record())
                try await waitUntil("some sound") { core.currentTime > 0.1 }
                core.pause()
                let before = ends.finished.count
                let stopped = Gate()
                stopped.open()
                let stopping = Task {
                    try await offPool {
                        core.stop()
                        stopped.pass()
                    }
                }
                try await waitUntil("the disk") { disk.arrived == 1 }
                try await waitUntil("stop() to return") { stopped.arrived == 1 }
                try await stopping.value
                #expect(!core.isRecording && ends.finished.count == before)
                disk.open()
                try await waitUntil("the end") { ends.finished.count == before + 1 }
            }
            #expect(ends.finished == [true, false] && ends.errors.count == 1)
            // What the disk may have lost some of is not overwritten.
            #expect(core.prepare())
            core.stop()
            #expect(try Data(contentsOf: server.file("a (unfinished).wav")) == Data("kept".utf8))
        }
    }

    /// Asks what a window asks, on a thread that can be kept waiting, and returns when it was told everything.
    private func ask(_ core: RecorderCore) async throws {
        let answer = Gate()
        answer.open()
        DispatchQueue.global().async {
            core.updateMeters()
            _ = (core.isRecording, core.currentTime, core.averagePower(0), core.peakPower(0))
            _ = (core.isMeteringEnabled, core.format, core.channelAssignments)
            answer.pass()
        }
        try await waitUntil("the answers") { answer.arrived == 1 }
    }
}

/// How recordings ended.
// SAFETY: guarded by `lock`.
private final class Ends: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [Bool] = []
    private var problems: [NSError] = []

    var finished: [Bool] { lock.withLock { all } }
    var errors: [NSError] { lock.withLock { problems } }
    func add(_ successfully: Bool) { lock.withLock { all.append(successfully) } }
    func add(_ error: NSError) { lock.withLock { problems.append(error) } }
}

/// A file that is whole, and on the disk, when its gates are opened, and keeps nothing.
private final class GatedWriter: TakeWriter {
    let path = "/dev/null"
    private let finishing: Gate?
    private let closing: Gate?
    private let failure: AudioFileError?

    init(finishing: Gate? = nil, closing: Gate? = nil, failure: AudioFileError? = nil) {
        (self.finishing, self.closing, self.failure) = (finishing, closing, failure)
    }

    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {}
    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {}
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {}
    func flush() throws(AudioFileError) {}
    func finish() throws(AudioFileError) { finishing?.pass() }

    func close() throws(AudioFileError) {
        closing?.pass()
        if let failure { throw failure }
    }
}

/// A user's wishes that are long in coming, when a test wants that.
// SAFETY: `waits` is guarded by `lock`.
private final class WaitingPolicy: @unchecked Sendable {
    let gate = Gate()
    private let lock = NSLock()
    private var waits = false

    var isWaiting: Bool {
        get { lock.withLock { waits } }
        set { lock.withLock { waits = newValue } }
    }

    var policy: UserPolicy {
        if isWaiting { gate.pass() }
        return UserPolicy()
    }
}
