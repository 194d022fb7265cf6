import AVFAudio
import AudioFiles
import AudioSession
import Foundation
import Glibc
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A take on a disk that is too slow", .limited)
struct RecorderTakeTests {
    private func take(_ name: String) throws -> (take: Take, url: URL) {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("take-\(UUID().uuidString)-\(name)")
        let settings: [String: Any] = [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: 1]
        let format = try RecordingFormat(settings: settings, url: url)
        let take = try Take(
            format: format, writer: format.makeWriter(path: url.path), onFailure: { _, _ in }, onLimit: { _ in })
        return (take, url)
    }

    @Test("Frames that find no room are silence, the rest stays in time, and closing tells")
    func overrun() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("take-\(UUID().uuidString)")
        try #require(mkfifo(url.path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(at: url) }
        let disk = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let format = try RecordingFormat(settings: [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: 2], url: url)
        let take = try Take(
            format: format, writer: PipeWriter(path: url.path), onFailure: { _, _ in }, onLimit: { _ in })
        // More than a minute of it, while nobody takes any.
        let loud = [Int16](repeating: 1_000, count: 100_000)
        for _ in 0..<11 { loud.withUnsafeBytes { take.receive($0, count: $0.count) } }
        // And 100 frames that the server lost.
        take.receive(nil, count: 400)
        #expect(take.frames == 550_100)
        async let closing = offPool {
            #expect(throws: AudioFileError.self) { try take.finish() }
        }
        let reader = FileHandle(fileDescriptor: disk, closeOnDealloc: true)
        _ = fcntl(disk, F_SETFL, 0)
        let written = try await offPool { try reader.readToEnd() ?? Data() }
        #expect(try await closing?.kind == .io(ETIMEDOUT))
        let samples = written.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(samples.count == 2 * 550_100)
        let room = try #require(samples.firstIndex(of: 0)) / 2
        #expect(room >= 60 * 8_000 && room < 62 * 8_000)
        #expect(samples[(2 * room)...].allSatisfy { $0 == 0 })
    }

    @Test(
        "A disk that does not answer costs a minute of sound, less where that is more than 64 MiB, but ten seconds",
        arguments: [(4 * 44_100, 60.0), (8 * 192_000, 43.7), (64 * 192_000, 10.0)])
    func room(bytesPerSecond: Int, seconds: Double) {
        let piece = bytesPerSecond / 2
        let backlog = TakeBacklog(bytesPerPiece: piece, piecesPerSecond: 2)
        var taken: [TakeBacklog.Piece] = []
        while let next = backlog.take() { taken.append(next) }
        // Rounded up to whole pieces.
        let room = Double(taken.count) / 2
        #expect(room >= seconds - 0.1 && room < seconds + 0.6, "\(room) s")
        #expect(room <= 10 || taken.count * piece < 64 << 20 + piece)
        backlog.giveBack(taken.removeLast())
        #expect(backlog.take() != nil && backlog.take() == nil)
    }

    @Test("Frames that never came are silence in their place, and no error")
    func lostByServer() throws {
        let (take, url) = try take("a.caf")
        defer { try? FileManager.default.removeItem(at: url) }
        let loud = [Int16](repeating: 16_384, count: 5_000)
        take.receive(nil, count: 20)
        loud.withUnsafeBytes { take.receive($0, count: $0.count) }
        take.receive(nil, count: 10_000)
        loud.withUnsafeBytes { take.receive($0, count: $0.count) }
        take.receive(nil, count: 600_000)
        try take.finish()
        let all = try DecodedFile(url).samples
        let sound = [Float](repeating: 0.5, count: 5_000)
        func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
        #expect(all == silence(10) + sound + silence(5_000) + sound + silence(300_000))
    }

    @Test(
        "D10: a disk that does not take anything for five seconds costs nothing",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func stall(kind: HeadlessServer.Kind) async throws {
        let sink = kind.usualSink
        try await withServer(kind, sinks: [sink]) { server in
            let fifo = server.file("disk")
            let kept = server.file("kept.raw")
            try #require(mkfifo(fifo.path, 0o600) == 0)
            let shell = URL(fileURLWithPath: "/bin/sh")
            let disk = try ChildProcess(shell, ["-c", "exec cat \"$0\" >\"$1\"", fifo.path, kept.path])
            let session = try await server.recordingSession()
            let settings: [String: Any] = [AVSampleRateKey: sink.rate, AVNumberOfChannelsKey: 2]
            let core = try RecorderCore(url: server.file("a.wav"), settings: settings, session: session)
            let events = TakeEvents()
            core.onFinished = { events.finished($0) }
            core.makeWriter = { _ throws(AudioFileError) in try PipeWriter(path: fifo.path) }
            let counter = try TestSignal.counter(seconds: 12, sampleRate: sink.rate)
                .writeWAV(to: server.file("counter.wav"))
            let foreign = try await ForeignStream.start(on: server, playing: .file(counter))
            #expect(core.record())
            func recorded(_ seconds: Double) async throws {
                try await waitUntil("\(seconds) s", timeout: .seconds(15)) { core.currentTime >= seconds }
            }
            try await recorded(1)
            disk.send(SIGSTOP)
            try await recorded(6.5)
            disk.send(SIGCONT)
            try await recorded(7)
            let frames = try await offPool {
                core.pause()
                let frames = Int((core.currentTime * Double(sink.rate)).rounded())
                core.stop()
                return frames
            }
            try await disk.wait()
            try await waitUntil("the end") { events.value == true }
            let heard = try Data(contentsOf: kept).withUnsafeBytes {
                Recording(pcm16: Array($0.bindMemory(to: Int16.self)), sampleRate: sink.rate, channels: 2)
            }
            #expect(heard.frames == frames)
            // Before the program's sound there may be silence, and that is position 0 as well.
            let positions = heard.counterPositions().drop { $0 == 0 }
            #expect(positions.count > 6 * sink.rate)
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $1 == $0 + 1 }, "frames were lost or repeated")
            try await foreign.kill()
        }
    }
}

/// Whether a recording went well, once it is known.
// SAFETY: guarded by `lock`.
private final class TakeEvents: @unchecked Sendable {
    private let lock = NSLock()
    private var successfully: Bool?

    var value: Bool? { lock.withLock { successfully } }
    func finished(_ successfully: Bool) { lock.withLock { self.successfully = successfully } }
}

/// A disk that is as slow as whoever reads from the other end of a FIFO.
private final class PipeWriter: TakeWriter {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(AudioFileError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CLOEXEC)
        // F_SETPIPE_SZ, which Swift does not know: as little as a pipe can hold, so that it is full at once.
        _ = fcntl(descriptor, 1_031, 4_096)
    }

    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
        var bytes = UnsafeRawBufferPointer(start: source, count: frames * 4)
        while !bytes.isEmpty {
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { throw AudioFileError(.io(errno), "cannot write", path: path) }
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
        }
    }

    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {}
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {}
    func flush() throws(AudioFileError) {}
    func finish() throws(AudioFileError) { Glibc.close(descriptor) }
    func close() throws(AudioFileError) {}
}
