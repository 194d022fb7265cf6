import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A recorder that is asked while it is busy", .timeLimit(.minutes(60)))
struct RecorderAnswerTests {
    @Test(
        "Who only asks is answered while a disk keeps the recorder from making its file, and from closing it",
        arguments: HeadlessServer.Kind.allCases)
    func answers(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let core = try RecorderCore(url: server.file("a.wav"), settings: stereoSettings, session: session)
            core.isMeteringEnabled = true
            let disk = Gate()
            defer { disk.open() }
            core.makeWriter = { _ throws(AudioFileError) -> any TakeWriter in
                disk.pass()
                return GatedWriter(disk)
            }
            let beginning = Task { try await offPool { core.record() } }
            try await waitUntil("the file to be made") { disk.arrived == 1 }
            try await ask(core)
            #expect(!core.isRecording && core.currentTime == 0)
            disk.open(1)
            #expect(try await beginning.value)
            try await waitUntil("some sound") { core.currentTime > 0.1 }
            let ending = Task { try await offPool { core.stop() } }
            try await waitUntil("the file to be closed") { disk.arrived == 2 }
            try await ask(core)
            #expect(!core.isRecording && core.currentTime == 0)
            disk.open(1)
            try await ending.value
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

/// A file that is closed when its gate is opened, and keeps nothing.
private final class GatedWriter: TakeWriter {
    let path = "/dev/null"
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {}
    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {}
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {}
    func flush() throws(AudioFileError) {}
    func close() throws(AudioFileError) { gate.pass() }
}
