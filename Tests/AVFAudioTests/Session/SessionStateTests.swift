import AudioHost
import AudioSession
import Foundation
import ScriptedHost
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// States and notifications of a session, which need no server.
@Suite("What a session says of itself", .limited)
struct SessionStateTests {
    @Test(
        "S3: what was asked for without blocking comes before what is asked for after it, even from an app's handler")
    func inOrder() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let session = lab.session
            for _ in 0..<10 {
                let told = Gate()
                session.activate(options: []) { activated, _ in
                    #expect(activated)
                    told.open()
                }
                try await offPool { try session.setActive(false) }
                try await offPool { told.pass() }
                #expect(session.core.standing == .inactive)
            }
            let told = Gate()
            session.activate(options: []) { _, _ in
                session.deactivate(options: []) { _, _ in }
                #expect(throws: Never.self) { try session.setActive(true) }
                told.open()
            }
            try await offPool { told.pass() }
            #expect(session.core.standing == .active)
        }
    }

    @Test(
        "S30, S31: began has type and reason, ended type and options, all NSNumbers",
        arguments: [
            (InterruptionCause.foreignCall, 0 as NSNumber), (.session, 0), (.serverPolicy, 0), (.inputMuted, 2),
        ], [true, false])
    func userInfo(interruption: (cause: InterruptionCause, reason: NSNumber), resumes: Bool) async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = SessionEvents(of: lab.session)
            try lab.session.setActive(true)
            lab.host.report(
                .interruptionBegan(interruption.cause, by: InterruptionOrigin(name: "telephone", pid: 42, stream: 7)))
            lab.host.report(.interruptionEnded(interruption.cause, shouldResume: resumes))
            try await events.wait(for: [.began, .ended(shouldResume: resumes)])
            #expect(events.all == [.began, .ended(shouldResume: resumes)])
            let began = events.info(of: 0)
            #expect(began[AVAudioSessionInterruptionTypeKey] as? NSNumber == 1)
            #expect(began[AVAudioSessionInterruptionReasonKey] as? NSNumber == interruption.reason)
            #expect(began[AVAudioSessionInterruptionOptionKey] == nil)
            let origin = began[AVAudioSessionInterruptionOriginKey] as? AVAudioSession.InterruptionOrigin
            #expect(origin?.applicationName == "telephone")
            #expect(origin?.processIdentifier == 42 && origin?.streamIndex == 7)
            let ended = events.info(of: 1)
            #expect(ended[AVAudioSessionInterruptionTypeKey] as? NSNumber == 0)
            #expect(ended[AVAudioSessionInterruptionOptionKey] as? NSNumber == (resumes ? 1 : 0))
            #expect(ended[AVAudioSessionInterruptionReasonKey] == nil)
        }
    }

    @Test("The mode is that of the output's channels while a player runs, and each change is told", arguments: [2, 6])
    func renderingMode(channels: Int) async throws {
        try await ScriptedLab.with(.playback) { lab in
            let labels = [
                kAudioChannelLabel_Left, kAudioChannelLabel_Right, kAudioChannelLabel_Center,
                kAudioChannelLabel_LFEScreen, kAudioChannelLabel_LeftSurround, kAudioChannelLabel_RightSurround,
            ]
            let port = RoutePort(
                kind: .virtual, uid: "out", name: "Output", device: "out", channels: Array(labels.prefix(channels)),
                rate: lab.rate)
            lab.host.answer { $0.ports.outputs = [port] }
            let modes = Log<AVAudioSession.RenderingMode>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.renderingModeChangeNotification, object: lab.session, queue: nil
            ) { note in
                let mode = note.userInfo?[AVAudioSessionRenderingModeNewRenderingModeKey]
                if let mode = mode as? AVAudioSession.RenderingMode { modes.note(mode) }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            #expect(lab.session.renderingMode == .notApplicable)
            let player = try lab.player(lab.sine(seconds: 20))
            #expect(player.play())
            let heard: AVAudioSession.RenderingMode = channels > 2 ? .surround : .monoStereo
            try await waitUntil("being heard") { modes.all == [heard] }
            #expect(lab.session.renderingMode == heard)
            let layouts = lab.session.supportedOutputChannelLayouts.map(\.layoutTag)
            #expect(layouts == (channels > 2 ? [kAudioChannelLayoutTag_MPEG_5_1_A] : []))
            player.stop()
            try await waitUntil("being silent") { modes.all == [heard, .notApplicable] }
            #expect(lab.session.renderingMode == .notApplicable)
        }
    }
}
