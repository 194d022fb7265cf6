import AVFAudio
import AudioFiles
import Foundation
import HeadlessServer
import TestSupport

/// A delegate that keeps what it was told, for tests that wait for it.
// SAFETY: guarded by `lock`.
final class RecorderEvents: NSObject, AVAudioRecorderDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var finishes: [Bool] = []
    private var encodeErrors: [NSError] = []
    private var interruptionLog: [String] = []
    private var inputLog: [AVAudioRecorderInputChange] = []

    var finished: [Bool] { lock.withLock { finishes } }
    var errors: [NSError] { lock.withLock { encodeErrors } }
    var interruptions: [String] { lock.withLock { interruptionLog } }
    var inputChanges: [AVAudioRecorderInputChange] { lock.withLock { inputLog } }

    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
        dispatchPrecondition(condition: .onQueue(.main))
        lock.withLock { finishes.append(flag) }
    }

    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {
        dispatchPrecondition(condition: .onQueue(.main))
        lock.withLock { if let error { encodeErrors.append(error as NSError) } }
    }

    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) {
        lock.withLock { interruptionLog.append("began") }
    }

    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {
        lock.withLock { interruptionLog.append("ended \(flags)") }
    }

    func audioRecorder(_ recorder: AVAudioRecorder, inputDidChange change: AVAudioRecorderInputChange) {
        dispatchPrecondition(condition: .onQueue(.main))
        lock.withLock { inputLog.append(change) }
    }

    func waitForFinish(timeout: Duration = hangLimit) async throws {
        try await waitUntil("the recorder to finish", timeout: timeout) { !finished.isEmpty }
    }
}

/// All frames of a file, read by other code than wrote it is fine: what libsndfile decodes is what players get.
struct DecodedFile {
    let format: AudioFileFormat
    /// Interleaved, full scale ±1.
    let samples: [Float]

    init(_ url: URL) throws {
        let reader = try AudioFileReader(path: url.path)
        format = reader.format
        var all: [Float] = []
        var buffer = [Float](repeating: 0, count: 4096 * reader.format.channels)
        while true {
            let count = try reader.read(into: &buffer, frames: 4096)
            if count == 0 { break }
            all += buffer[..<(count * reader.format.channels)]
        }
        samples = all
    }

    var frames: Int { samples.count / format.channels }
    var seconds: Double { Double(frames) / format.sampleRate }

    /// The sound as the analysis takes it: with 16-bit samples where all of them are 16-bit numbers.
    var recording: Recording {
        let scaled = samples.map { $0 * 32_768 }
        let rate = Int(format.sampleRate)
        guard scaled.allSatisfy({ $0 == $0.rounded() && (-32_768...32_767).contains($0) }) else {
            return Recording(float: samples, sampleRate: rate, channels: format.channels)
        }
        return Recording(pcm16: scaled.map { Int16($0) }, sampleRate: rate, channels: format.channels)
    }
}

extension HeadlessServer {
    /// A session of its own on this server, which may record.
    func recordingSession(_ category: AVAudioSession.Category = .playAndRecord) async throws -> AVAudioSession {
        // WirePlumber finds the sink's monitor a moment after the sink, and refuses streams until then.
        if kind == .pipeWire { try await Pactl(self).waitForDefaultSource { $0.contains(".monitor") } }
        let session = AVAudioSession(server: address)
        try session.setCategory(category)
        return session
    }

    /// A tone of another program on this server, from a file: paplay's long buffer keeps it whole on a busy machine.
    func tone(_ frequency: Double, level: Double = -12, sink: String? = nil) async throws -> ForeignStream {
        let wave = try TestSignal.sine(frequency: frequency, level: level, seconds: 60).writeWAV(to: file("tone.wav"))
        return try await ForeignStream.start(on: self, playing: .file(wave), sink: sink)
    }

    /// A file in the server's folder, which goes with it.
    func file(_ name: String) -> URL { directory.appendingPathComponent(name) }
}

extension HeadlessServer.Kind {
    /// What each server mixes in most often on a desktop.
    var usualSink: HeadlessServer.NullSink {
        self == .pulseAudio ? .init() : .init(rate: 48_000, format: "float32le")
    }
}

extension AVAudioRecorder {
    /// Waits until so many seconds have been recorded in all.
    func wait(untilTime seconds: Double) async throws {
        try await waitUntil("\(seconds) recorded seconds") { currentTime >= seconds }
    }
}

/// The settings of a compact disc; the format itself comes from the file's name.
var stereoSettings: [String: Any] { [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2] }
