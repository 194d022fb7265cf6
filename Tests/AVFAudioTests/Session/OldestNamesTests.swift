import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

/// What iOS 6 and older had still works.
@Suite("The oldest spellings", .limited)
struct OldestNamesTests {
    /// Has the oldest spelling of the end only.
    private final class OldListener: NSObject, AVAudioSessionDelegate {
        let log = Log<String>()
        func beginInterruption() { note("begin") }
        func endInterruption() { note("end") }
        func inputIsAvailableChanged(_ isInputAvailable: Bool) { note("input \(isInputAvailable)") }

        private func note(_ news: String) {
            dispatchPrecondition(condition: .onQueue(.main))
            log.note(news)
        }
    }

    /// Has both spellings of the end.
    private final class NewListener: NSObject, AVAudioSessionDelegate {
        let log = Log<String>()
        func beginInterruption() { log.note("begin") }
        func endInterruption(withFlags flags: Int) { log.note("end \(flags)") }
        func endInterruption() { log.note("end") }
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("The delegate is told of an interruption and its end, in the newest spelling that it has")
    func delegate() async throws {
        try await withServer(.pulseAudio, modules: ["module-role-cork"]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 20).wavData, session: session)
            let (old, new) = (OldListener(), NewListener())
            for (delegate, log, end) in [
                (old as any AVAudioSessionDelegate, old.log, "end"),
                (new as any AVAudioSessionDelegate, new.log, "end 1"),
            ] {
                session.delegate = delegate
                #expect(session.delegate === delegate)
                #expect(player.play())
                let call = try await ForeignStream.start(on: server, role: "phone")
                try await waitUntil("the beginning") { log.all == ["begin"] }
                try await call.stop()
                try await waitUntil("the end") { log.all == ["begin", end] }
            }
            #expect(old.log.all == ["begin", "end"])
        }
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("The delegate is told of inputs that come", arguments: HeadlessServer.Kind.allCases)
    func input(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.record)
            let listener = OldListener()
            session.delegate = listener
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            _ = try await Pactl(server).loadModule("module-null-sink", ["sink_name=more", "norewinds=1"])
            try await waitUntil("an input") { listener.log.all == ["input true"] }
            #expect(session.inputIsAvailable)
            recorder.stop()
        }
    }

    @Test("Whether there is an input is told when it changes, and not again")
    func inputNews() async throws {
        let (relay, listener) = (SessionDelegateRelay(), OldListener())
        relay.delegate = listener
        for hasInput in [true, true, false, false, true] { relay.inputsChanged(hasInput) }
        try await waitUntil("all news") { listener.log.all == ["input true", "input false", "input true"] }
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("Values and calls are those of the newer spellings", arguments: HeadlessServer.Kind.allCases)
    func values(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setPreferredHardwareSampleRate(48_000)
            #expect(session.preferredHardwareSampleRate == 48_000 && session.preferredSampleRate == 48_000)
            try session.setActive(true, withFlags: 0)
            #expect(session.currentHardwareSampleRate == session.sampleRate && session.sampleRate > 0)
            #expect(session.currentHardwareOutputNumberOfChannels == 2)
            #expect(session.currentHardwareInputNumberOfChannels == 0)
            try session.setActive(false, withFlags: AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation)
        }
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("AVAudioSession() is the one session, as another object")
    func initializer() async throws {
        // In a process of its own, whose shared session nobody else uses.
        await #expect(processExitsWith: .success) {
            let session = AVAudioSession()
            try session.setCategory(.playback, mode: .spokenAudio)
            precondition(AVAudioSession.sharedInstance().mode == .spokenAudio)
            precondition(AVAudioSession.sharedInstance() !== session)
        }
    }
}
