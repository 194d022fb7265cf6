import AudioHost
import AudioSession
import Foundation
import Locks
import ScriptedHost
import TestSupport

@testable import AVFAudio

/// A session of its own on a host without a server, and a folder for files.
///
/// For tests of arguments, states and delegate calls: time passes only by ``pass(seconds:)`` and
/// ``pass(until:_:)``, as fast as decoders deliver.
struct ScriptedLab: Sendable {
    private struct Listener { weak var core: Session? }

    /// The frames that pass at a time.
    private static let step = ScriptedHost.rate / 20
    /// The steps that pass between two looks at the clock of a test's wait: a second.
    private static let stepsAtOnce = 20

    let host: ScriptedHost
    let session: AVAudioSession
    let folder: URL

    /// The rate in Hz of the output, which is also the rate of the sounds made here.
    var rate: Int { ScriptedHost.rate }

    private init(_ category: AVAudioSession.Category, _ microphone: (any MicrophonePermission)?) throws {
        let listener = Guarded(Listener())
        let host = ScriptedHost(events: { event in listener.withLock { $0.core }?.received(event) })
        let core = Session(microphone: microphone) { _ in host }
        listener.withLock { $0.core = core }
        self.host = host
        session = AVAudioSession(core: core, server: "unix:/nonexistent")
        try session.setCategory(category)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("scripted-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    /// Runs `body` with a session of a category, and removes its files.
    static func with(
        _ category: AVAudioSession.Category, microphone: (any MicrophonePermission)? = nil,
        _ body: (ScriptedLab) async throws -> Void
    ) async throws {
        let lab = try ScriptedLab(category, microphone)
        defer { try? FileManager.default.removeItem(at: lab.folder) }
        try await body(lab)
    }

    // MARK: Files, players and recorders

    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func file(_ signal: TestSignal) throws -> URL { try signal.writeWAV(to: file("\(UUID().uuidString).wav")) }

    func sine(seconds: Double) -> TestSignal { .sine(level: -12, seconds: seconds, sampleRate: rate) }

    func player(_ signal: TestSignal, events: PlayerEvents? = nil) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(contentsOf: file(signal), session: session)
        player.delegate = events
        return player
    }

    func recorder(
        _ name: String, _ settings: [String: Any] = stereoSettings, events: RecorderEvents? = nil
    ) throws -> AVAudioRecorder {
        let recorder = try AVAudioRecorder(url: file(name), settings: settings, session: session)
        recorder.delegate = events
        return recorder
    }

    // MARK: Time

    /// Lets time pass until a condition holds.
    func pass(until what: String, _ condition: () throws -> Bool) async throws {
        try await waitUntil(what) {
            for _ in 0..<Self.stepsAtOnce {
                if try condition() { return true }
                guard advance(frames: Self.step) else { return false }
            }
            return false
        }
    }

    /// Lets so much time pass.
    func pass(seconds: Double) async throws {
        var rest = Int((seconds * Double(rate)).rounded())
        try await waitUntil("decoders") {
            while rest > 0 {
                let count = min(rest, Self.step)
                guard advance(frames: count) else { return false }
                rest -= count
            }
            return true
        }
    }

    /// Lets 50 ms pass on the calling thread, unless a decoder is late.
    func passAtOnce() { _ = advance(frames: Self.step) }

    /// Lets so many frames pass, unless a decoder is late; false then.
    private func advance(frames: Int) -> Bool {
        guard !host.awaitsSource(frames: frames) else { return false }
        host.advance(frames: frames)
        return true
    }

}

/// Returns when the app has been told of everything that was on its way to the main queue.
func mainQueueIsEmpty() async {
    await withCheckedContinuation { continuation in OperationQueue.main.addOperation { continuation.resume() } }
}
