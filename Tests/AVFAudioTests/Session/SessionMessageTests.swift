import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The newest notifications as values with types.
@Suite("Messages", .limited)
struct SessionMessageTests {
    @Test("Activation, deactivation, interruption and its end come as messages, and as notifications too")
    func messages() async throws {
        try await withServer(.pulseAudio, modules: ["module-role-cork"]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let log = Log<String>()
            let center = NotificationCenter.default
            let tokens = [
                center.addObserver(of: session, for: .didBecomeActive) { _ in log.note("active") },
                center.addObserver(of: session, for: .didBecomeInactive) { message in
                    switch message.deactivationResult {
                    case .appDeactivated: log.note("inactive by the app")
                    case .systemInterruption(let context): log.note("interrupted: \(context.reason.rawValue)")
                    }
                },
                center.addObserver(of: session, for: .resumptionRecommendation) { message in
                    log.note("resumption: \(message.recommendation.rawValue)")
                },
            ]
            let note = center.addObserver(
                forName: AVAudioSession.didBecomeActiveNotification, object: session, queue: nil
            ) { _ in log.note("notification") }
            try session.setActive(true)
            try await waitUntil("being active") { log.all == ["notification", "active"] }
            center.removeObserver(note)
            let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 20).wavData, session: session)
            #expect(player.play())
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await waitUntil("the interruption") { log.all.count == 3 }
            try await call.stop()
            try await waitUntil("its end") { log.all.count == 4 }
            try session.setActive(true)
            try session.setActive(false)
            try await waitUntil("the end of it") { log.all.count == 6 }
            let all = log.all.dropFirst(2)
            #expect(all == ["interrupted: 0", "resumption: 1", "active", "inactive by the app"])
            for token in tokens { center.removeObserver(token) }
        }
    }

    @Test("A message and its notification are made of each other")
    func conversion() throws {
        typealias Inactive = AVAudioSession.DidBecomeInactiveMessage
        let context = AVAudioSession.DeactivationContext(
            source: .system, interruptionContext: .init(reason: .routeDisconnected))
        let note = Notification(
            name: Inactive.name, userInfo: [AVAudioSession.deactivationContextKey: context])
        let message = try #require(Inactive.makeMessage(note))
        guard case .systemInterruption(let told) = message.deactivationResult else {
            Issue.record("not an interruption")
            return
        }
        #expect(told.reason == .routeDisconnected)
        let again = Inactive.makeNotification(message, object: nil)
        let back = again.userInfo?[AVAudioSession.deactivationContextKey] as? AVAudioSession.DeactivationContext
        #expect(back?.source == .system && back?.interruptionContext?.reason == .routeDisconnected)
        #expect(Inactive.makeMessage(Notification(name: Inactive.name)) == nil)
    }
}
