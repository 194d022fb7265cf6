import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("A recording that the app moves", .serialized, .limited)
struct InputMoveTests {
    private static let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]

    @Test(
        "S64: an input that is preferred as soon as a recording has begun is used",
        arguments: HeadlessServer.Kind.allCases)
    func inputOfYoungRecording(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            try await Pactl(server).setDefault(source: "desk.monitor")
            for number in 1...5 {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.record)
                let hall = session.availableInputs?.first { $0.uid == "hall.monitor" }
                let recorder = try AVAudioRecorder(
                    url: server.file("\(number).wav"), settings: stereoSettings, session: session)
                #expect(recorder.record())
                // WirePlumber is just linking the stream.
                try session.setPreferredInput(hall)
                try await waitUntil("the hall") { session.currentRoute.inputs.map(\.uid) == ["hall.monitor"] }
                recorder.stop()
                try session.setActive(false)
            }
        }
    }

    @Test(
        "no server records the next one from where a recording was moved to",
        arguments: HeadlessServer.Kind.allCases)
    func inputIsNotRemembered(kind: HeadlessServer.Kind) async throws {
        let modules = kind == .pulseAudio ? ["module-stream-restore"] : []
        try await withServer(kind, sinks: Self.sinks, modules: modules) { server in
            try await Pactl(server).setDefault(source: "desk.monitor")
            for name in ["a.wav", "b.wav"] {
                let session = AVAudioSession(server: server.address)
                try session.setCategory(.record)
                let recorder = try AVAudioRecorder(url: server.file(name), settings: stereoSettings, session: session)
                #expect(recorder.record())
                try await waitUntil("a recording") { recorder.currentTime > 0.1 }
                #expect(session.currentRoute.inputs.map(\.uid) == ["desk.monitor"])
                try session.setPreferredInput(session.availableInputs?.first { $0.uid == "hall.monitor" })
                try await waitUntil("the hall") { session.currentRoute.inputs.map(\.uid) == ["hall.monitor"] }
                recorder.stop()
                try session.setActive(false)
            }
        }
    }
}
