import SessionPolicy
import TestSupport
import Testing

/// What is owed to a player, event by event.
@Suite(.limited) struct ForeignPlayerPauseTests {
    private static let id = ":1.7"
    private static let music = ForeignPlayer(id: id, status: .playing, track: "a")

    /// After a session began and paused the player.
    private func paused() -> ForeignPlayerPause {
        var pause = ForeignPlayerPause(own: 1)
        #expect(pause.received(.sessionBegan) == [.look])
        #expect(pause.received(.found(Self.music)) == [.pause(Self.id), .read(Self.id)])
        #expect(pause.received(.status(Self.id, .paused)) == [])
        #expect(pause.received(.answered(Self.id, .paused, track: "a")) == [])
        #expect(pause.entries.map(\.stage) == [.paused])
        return pause
    }

    private func end(
        _ pause: inout ForeignPlayerPause, notify: Bool = true, _ participants: [Participant] = []
    ) -> [ForeignPlayerPause.Effect] {
        pause.received(.sessionEnded(notify: notify, participants: participants))
    }

    @Test func untouchedGoesOn() {
        var pause = paused()
        #expect(end(&pause) == [.read(Self.id)])
        #expect(pause.isReturning)
        #expect(pause.received(.answered(Self.id, .paused, track: "a")) == [.play(Self.id), .read(Self.id)])
        #expect(pause.received(.status(Self.id, .playing)) == [])
        #expect(pause.isReturning)
        #expect(pause.received(.answered(Self.id, .playing, track: "a")) == [])
        #expect(pause.entries.isEmpty && !pause.isReturning)
        #expect(end(&pause) == [])
    }

    @Test func whatComesWithALatePauseIsNoTouch() {
        var pause = ForeignPlayerPause(own: 1)
        _ = pause.received(.sessionBegan)
        _ = pause.received(.found(Self.music))
        #expect(pause.received(.answered(Self.id, .playing, track: "a")) == [])
        // It pauses only now, and tells its position with that.
        #expect(pause.received(.status(Self.id, .paused)) == [.read(Self.id)])
        #expect(pause.received(.seeked(Self.id)) == [])
        #expect(pause.received(.answered(Self.id, .paused, track: "a")) == [])
        #expect(pause.entries.map(\.stage) == [.paused])
        #expect(pause.received(.seeked(Self.id)) == [])
        #expect(pause.entries.isEmpty, "and from then on it is somebody's doing")
    }

    @Test func withoutNotifyNobodyGoesOn() {
        var pause = paused()
        #expect(end(&pause, notify: false) == [])
        #expect(pause.entries.isEmpty)
    }

    @Test(
        arguments: [
            .status(id, .playing), .status(id, .stopped), .track(id, "b"), .track(id, nil), .seeked(id), .gone(id),
            .busLost,
            .answered(id, .playing, track: "a"), .answered(id, .paused, track: "b"), .answered(id, nil, track: "a"),
        ] as [ForeignPlayerPause.Event])
    func touchedIsForgotten(event: ForeignPlayerPause.Event) {
        var before = paused()
        #expect(before.received(event) == [])
        #expect(before.entries.isEmpty)
        #expect(end(&before) == [])
        // The same while it is asked whether it was touched.
        var after = paused()
        #expect(end(&after) == [.read(Self.id)])
        #expect(after.received(event) == [])
        #expect(after.entries.isEmpty)
    }

    @Test(
        arguments: [
            .status(id, .paused), .track(id, "a"), .refused(id), .unanswered(id), .seeked(":1.8"), .gone(":1.8"),
            .answered(id, .paused, track: "a"), .sessionBegan, .found(ForeignPlayer(id: ":1.8", status: .paused)),
        ] as [ForeignPlayerPause.Event])
    func whatIsNoTouchChangesNothing(event: ForeignPlayerPause.Event) {
        var pause = paused()
        _ = pause.received(event)
        #expect(pause.entries.map(\.stage) == [.paused])
    }

    @Test func echoesOfTheRequestAreNoTouches() {
        var pause = ForeignPlayerPause(own: 1)
        _ = pause.received(.sessionBegan)
        _ = pause.received(.found(Self.music))
        for event: ForeignPlayerPause.Event in [
            .status(Self.id, .playing), .seeked(Self.id), .track(Self.id, "b"), .status(Self.id, .paused),
            .seeked(Self.id), .answered(Self.id, .paused, track: "b"),
        ] { #expect(pause.received(event) == []) }
        #expect(pause.entries.map(\.stage) == [.paused])
        // What it answered last is what counts from then on.
        #expect(end(&pause) == [.read(Self.id)])
        #expect(pause.received(.answered(Self.id, .paused, track: "b")) == [.play(Self.id), .read(Self.id)])
    }

    @Test func aPlayerThatHasNotPausedYetIsToldToPlayAfterwards() {
        var pause = ForeignPlayerPause(own: 1)
        _ = pause.received(.sessionBegan)
        _ = pause.received(.found(Self.music))
        #expect(end(&pause) == [.play(Self.id), .read(Self.id)])
        #expect(pause.received(.unanswered(Self.id)) == [])
        #expect(pause.entries.isEmpty)
    }

    @Test(
        arguments: [.refused(id), .status(id, .stopped), .answered(id, .stopped, track: nil), .gone(id)]
            as [ForeignPlayerPause.Event])
    func whoeverDoesNotPauseIsForgotten(event: ForeignPlayerPause.Event) {
        var pause = ForeignPlayerPause(own: 1)
        _ = pause.received(.sessionBegan)
        _ = pause.received(.found(Self.music))
        _ = pause.received(event)
        #expect(end(&pause) == [])
    }

    @Test func whatIsFoundTooLateIsLeftAlone() {
        var pause = ForeignPlayerPause(own: 1)
        #expect(pause.received(.found(Self.music)) == [])
        _ = pause.received(.sessionBegan)
        _ = end(&pause)
        #expect(pause.received(.found(Self.music)) == [])
    }

    @Test func aPlayerThatPlaysAgainIsPausedByTheNextActivation() {
        var pause = paused()
        _ = pause.received(.status(Self.id, .playing))
        #expect(pause.received(.sessionBegan) == [.look])
        #expect(pause.received(.found(Self.music)) == [.pause(Self.id), .read(Self.id)])
    }

    @Test func beginningAgainStopsTheReturn() {
        var pause = paused()
        _ = end(&pause)
        #expect(pause.received(.sessionBegan) == [.look])
        #expect(pause.received(.answered(Self.id, .paused, track: "a")) == [])
        #expect(pause.entries.map(\.stage) == [.paused])
        _ = end(&pause)
        _ = pause.received(.answered(Self.id, .paused, track: "a"))
        #expect(pause.received(.sessionBegan) == [.pause(Self.id), .read(Self.id), .look])
    }

    @Test func answersToOldQuestionsProveNothing() {
        var pause = ForeignPlayerPause(own: 1)
        _ = pause.received(.sessionBegan)
        _ = pause.received(.found(Self.music))
        #expect(end(&pause) == [.play(Self.id), .read(Self.id)])
        #expect(pause.received(.sessionBegan) == [.pause(Self.id), .read(Self.id), .look])
        // Pause, question, play, question, pause, question: the player does it all in this order.
        for status in [ForeignPlayer.Status.paused, .playing, .paused] {
            #expect(pause.received(.status(Self.id, status)) == [])
            #expect(pause.entries.map(\.stage) == [.asked])
            #expect(pause.received(.answered(Self.id, status, track: "a")) == [])
        }
        #expect(pause.entries.map(\.stage) == [.paused])
    }

    @Test func anUnclearChangeIsAskedAbout() {
        var pause = paused()
        #expect(pause.received(.unclear(":1.8")) == [])
        #expect(pause.received(.unclear(Self.id)) == [.read(Self.id)])
        #expect(pause.received(.answered(Self.id, .playing, track: "a")) == [])
        #expect(pause.entries.isEmpty)
    }

    // MARK: Other sessions

    private static let playback = settings(.playback)

    private static func settings(_ category: Category) -> SessionSettings {
        try! SessionSettings.validated(category: category, mode: .default, options: [])
    }

    private func participant(_ uid: UInt64, seq: UInt64, _ settings: SessionSettings = playback) -> Participant {
        Participant(id: UInt32(uid), claim: Claim(uid: uid).activating(with: settings, ticket: seq))
    }

    private func left(_ participant: Participant, notify: Bool) -> Participant {
        Participant(id: participant.id, claim: participant.claim.idle(notify: notify))
    }

    private var ourselves: Participant { left(participant(1, seq: 5), notify: true) }

    @Test(arguments: [true, false])
    func aNewerSessionIsWaitedFor(notify: Bool) {
        var pause = paused()
        let newer = participant(2, seq: 6)
        #expect(end(&pause, [ourselves, newer]) == [])
        #expect(pause.isWaiting && pause.entries.map(\.stage) == [.paused])
        #expect(pause.received(.participantsChanged([ourselves, newer])) == [])
        let effects = pause.received(.participantsChanged([ourselves, left(newer, notify: notify)]))
        #expect(effects == (notify ? [.read(Self.id)] : []))
        #expect(!pause.isWaiting && pause.entries.isEmpty == !notify)
    }

    @Test func aNewerSessionThatDiesIsNotWaitedFor() {
        var pause = paused()
        _ = end(&pause, [ourselves, participant(2, seq: 6)])
        #expect(pause.received(.participantsChanged([])) == [.read(Self.id)])
    }

    @Test func othersAreNotWaitedFor() {
        let mixing = Self.settings(.ambient)
        for other in [
            participant(2, seq: 4), participant(2, seq: 6, mixing), left(participant(2, seq: 6), notify: true),
            Participant(id: 2, claim: participant(2, seq: 6).claim, isStopped: true),
        ] {
            var pause = paused()
            #expect(end(&pause, [ourselves, other]) == [.read(Self.id)])
        }
    }

    @Test func beginningAgainEndsTheWait() {
        var pause = paused()
        let newer = participant(2, seq: 6)
        _ = end(&pause, [ourselves, newer])
        _ = pause.received(.sessionBegan)
        #expect(!pause.isWaiting)
        #expect(pause.received(.participantsChanged([])) == [])
        #expect(end(&pause, []) == [.read(Self.id)])
    }
}
