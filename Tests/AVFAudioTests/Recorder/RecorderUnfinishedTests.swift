import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A take that is still being finished", .limited)
struct RecorderUnfinishedTests {
    @Test(
        "D10: a take that ended with its server is put aside by the next one, however late the disk has it whole",
        arguments: HeadlessServer.Kind.allCases)
    func lostWithServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let told = SessionEvents(of: session)
            let file = server.file("a.wav")
            let disk = Gate()
            defer { disk.open() }
            let first = try RecorderCore(url: file, settings: stereoSettings, session: session)
            let end = Gate()
            end.open()
            first.onFinished = { _ in end.pass() }
            first.makeWriter = { format throws(AudioFileError) in
                LateWriter(try format.makeWriter(path: file.path), finishing: disk)
            }
            #expect(first.record())
            try await waitUntil("a second") { first.currentTime > 1 }
            server.kill()
            try await waitUntil("the disk") { disk.arrived == 1 }
            try await offPool { try server.restart() }
            try await waitUntil("the server's return") { told.all.contains(.reset) }
            try session.setCategory(.playAndRecord)
            let second = try RecorderCore(url: file, settings: stereoSettings, session: session)
            #expect(second.record(forDuration: 0.5))
            try await waitUntil("the second take") { !second.isRecording }
            disk.open()
            try await waitUntil("the end of the first take") { end.arrived == 1 }
            second.stop()
            #expect(try DecodedFile(file).frames == 22_050)
            #expect(try DecodedFile(server.file("a (unfinished).wav")).seconds >= 0.5)
            // What was stopped is overwritten, as always.
            #expect(second.prepare())
            second.stop()
            #expect(!FileManager.default.fileExists(atPath: server.file("a (unfinished 2).wav").path))
        }
    }

    @Test("A take whose server goes while stop() waits for its last frames did not end well", arguments: 1...3)
    func lostWhileStopping(round: Int) async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            recorder.delegate = events
            #expect(recorder.record())
            try await recorder.wait(untilTime: 1)
            // It gives nothing more.
            server.suspendProcess()
            let stopping = Task { try await offPool { recorder.stop() } }
            server.kill()
            try await stopping.value
            try await events.waitForFinish()
            #expect(events.finished == [false])
            #expect(events.errors.map(\.code) == [AVAudioSession.ErrorCode.mediaServicesFailed.rawValue])
            #expect(try DecodedFile(recorder.url).seconds >= 0.5)
        }
    }
}

/// A file that is made whole when a gate is opened.
private final class LateWriter: TakeWriter {
    private let writer: AudioFileWriter
    private let gate: Gate

    init(_ writer: AudioFileWriter, finishing gate: Gate) { (self.writer, self.gate) = (writer, gate) }

    var path: String { writer.path }
    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
        try writer.write(int16: source, frames: frames)
    }
    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {
        try writer.write(int32: source, frames: frames)
    }
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {
        try writer.write(float: source, frames: frames)
    }
    func flush() throws(AudioFileError) { try writer.flush() }
    func finish() throws(AudioFileError) {
        gate.pass()
        try writer.finish()
    }
    func close() throws(AudioFileError) { try writer.close() }
}
