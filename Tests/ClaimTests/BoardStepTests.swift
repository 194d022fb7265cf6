import AudioHost
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// What a session says of itself when several things happen to it at once.
@Suite("A session's own claim", .limited)
struct BoardStepTests {
    /// Activates, and returns the claim that stands afterwards.
    private func activated(_ session: BareSession, as settings: SessionSettings = .music) throws -> Claim {
        try session.activate(settings)
        return session.read(\.claim)
    }

    @Test("An interruption that comes while new settings are being published is said after them")
    func interruptedWhileChanging() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try BareSession(on: server)
            let mixing = SessionSettings.of(.playback, .default, .mixWithOthers)
            #expect(try activated(session, as: mixing).state == .active)
            session.read { board in
                board.change(to: .music) { _ in }
                // A call of a program outside: the machine says so at once.
                board.apply(.interrupted)
            }
            try await waitUntil("the new settings", timeout: hangLimit) { session.read { $0.claim.settings == .music } }
            try await waitUntil("the interruption", timeout: hangLimit) {
                session.read { $0.claim.state == .interrupted }
            }
        }
    }

    @Test("A session that was interrupted or ended while it played does not say that it plays when it comes back")
    func comesBackSilent() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try BareSession(on: server)
            let steps: [ClaimStep] = [.interrupted, .idle(notify: true)]
            for step in steps {
                _ = try activated(session)
                session.host.publish(.playing(true))
                // The app has been told of its success before that counts, and what it says then is said after it.
                try await waitUntil("playing", timeout: hangLimit) { session.read { $0.claim.isPlaying } }
                session.host.publish(step)
                #expect(try !activated(session).isPlaying)
            }
        }
    }

    @Test("A recorder that starts while its session is being interrupted stays silent, and is told")
    func heldBackCapture() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try BareSession(on: server)
            try session.activate(.of(.record))
            let told = TakenInterruptions()
            let capture = try session.host.openCapture(
                CaptureRequest(format: .int16, rate: 44100, channels: 1, role: nil),
                handlers: .init(data: { _, _ in }, interrupted: { told.append($0) }, ended: {}))
            session.host.stopIO(interrupting: true)
            session.host.withLock { capture.resume() }
            #expect(!session.host.withLock { capture.isRunning })
            #expect(told.all == [true])
            try session.activate(.of(.record))
            session.host.withLock { capture.resume() }
            #expect(session.host.withLock { capture.isRunning })
            session.host.withLock { capture.close() }
        }
    }

    @Test("Music that plays already is known to a session that asks before it is active, and is not news to it then")
    func hintOfWhatStood() async throws {
        try await withServer(.pulseAudio) { server in
            let music = try await ForeignStream.start(on: server, role: "music")
            let session = try BareSession(on: server)
            #expect(session.host.others.silencesSecondaryAudio)
            try session.activate(.of(.ambient))
            try await waitUntil("the whole picture", timeout: hangLimit) {
                session.host.withLock { session.host.monitor?.isCurrent == true }
            }
            #expect(session.host.others.silencesSecondaryAudio)
            #expect(session.hints == [])
            try await music.stop()
            try await waitUntil("the end of the music", timeout: hangLimit) { session.hints == [false] }
        }
    }

    @Test("A call that comes while effects are carried out is not nested: its effects come afterwards")
    func calledFromReport() throws {
        let mainloop = try Mainloop()
        let order = TakenSteps()
        var board: ClaimBoard?
        board = ClaimBoard(mainloop: mainloop) { event in
            guard case .secondaryAudioHint(true) = event else { return order.append("\(event)") }
            order.append("report begins")
            // Without a server this completes at once, with an error, unless it has to wait for its turn.
            board?.activate(.music) { order.append($0 == nil ? "succeeded" : "failed") }
            board?.apply(.idle(notify: true))
            order.append("report ends")
        }
        mainloop.withLock { board?.noteForeignMainSound(true, isNews: true) }
        #expect(order.all == ["report begins", "report ends", "failed"])
        mainloop.withLock { board = nil }
    }

    @Test("A server that is gone plays nothing")
    func hintAfterReset() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try BareSession(on: server)
            session.read { $0.noteForeignMainSound(true, isNews: true) }
            session.read { $0.detach() }
            #expect(!session.read(\.isSecondaryAudioToBeSilenced))
        }
    }
}

/// What a capture was told.
// SAFETY: only touched with the main loop's lock held, or after it.
private final class TakenInterruptions: @unchecked Sendable {
    private(set) var all: [Bool] = []
    func append(_ wasRunning: Bool) { all.append(wasRunning) }
}

/// What happened, in order.
// SAFETY: only touched with the main loop's lock held, or after it.
private final class TakenSteps: @unchecked Sendable {
    private(set) var all: [String] = []
    func append(_ step: String) { all.append(step) }
}
