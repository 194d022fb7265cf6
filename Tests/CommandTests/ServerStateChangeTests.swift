import SessionPolicy
import TestSupport
import Testing

/// What `monitor` makes of two looks at a server.
@Suite("Changes between two looks", .limited) struct ServerStateChangeTests {
    private func changes(_ old: Stage, _ new: Stage) -> [ServerStateChange] { new.state.changes(since: old.state) }

    @Test("nothing changes where nothing happened")
    func nothing() {
        var stage = Stage()
        stage.enter("A", seq: 1, isPlaying: true)
        stage.enter("B", .ambient, seq: 2)
        stage.play(1, of: "Browser")
        #expect(changes(stage, stage).isEmpty)
    }

    @Test("a session interrupts another, ends, and the other comes back")
    func interruption() {
        var before = Stage()
        before.enter("A", seq: 1, isPlaying: true)
        var during = before
        during.enter("B", seq: 2)
        #expect(
            changes(before, during) == [
                .active(2), .interruptionBegan(1, by: [.session(2, .newerSession)]),
            ])
        var silent = during
        silent.enter("A", seq: 1, state: .interrupted)
        #expect(changes(during, silent) == [.paused(1)])
        var over = silent
        over.enter("B", seq: 2, state: .idle, notify: true)
        #expect(changes(silent, over) == [.inactive(2, notify: true), .interruptionEnded(1, shouldResume: true)])
        var back = over
        back.enter("A", seq: 3, isPlaying: true)
        #expect(changes(over, back) == [.active(1), .started(1)])
        #expect(
            changes(silent, back) == [
                .inactive(2, notify: true), .interruptionEnded(1, shouldResume: true), .active(1), .started(1),
            ], "the same, seen in one look")
    }

    @Test("one that ended without notify, and one that crashed")
    func endings() {
        var during = Stage()
        during.enter("A", seq: 1, state: .interrupted)
        during.enter("B", seq: 2)
        var over = during
        over.enter("B", seq: 2, state: .idle)
        #expect(changes(during, over) == [.inactive(2, notify: false), .interruptionEnded(1, shouldResume: false)])
        var crashed = during
        crashed.leave("B")
        #expect(changes(during, crashed) == [.inactive(2, notify: nil), .interruptionEnded(1, shouldResume: true)])
    }

    @Test("foreign calls begin and end interruptions")
    func foreignCall() {
        var before = Stage()
        before.enter("A", seq: 1)
        var during = before
        during.play(9, of: "Telephone", role: "phone")
        let call = during.state.streams[0]
        #expect(changes(before, during) == [.streamStarted(call)])
        var silent = during
        silent.enter("A", seq: 1, state: .interrupted)
        #expect(changes(during, silent) == [.interruptionBegan(1, by: [.foreignCall(call)])])
        var over = silent
        over.stop(9)
        #expect(changes(silent, over) == [.interruptionEnded(1, shouldResume: true), .streamFinished(call)])
    }

    @Test("a call that was over before its effect was seen is the cause of the interruption all the same")
    func briefCall() {
        var calling = Stage()
        calling.enter("A", seq: 1)
        calling.play(9, of: "Telephone", role: "phone")
        let call = calling.state.streams[0]
        var over = calling
        over.enter("A", seq: 1, state: .interrupted)
        over.stop(9)
        #expect(
            changes(calling, over) == [.interruptionBegan(1, by: [.foreignCall(call)]), .streamFinished(call)])
        var unseen = Stage()
        unseen.enter("A", seq: 1)
        var silent = unseen
        silent.enter("A", seq: 1, state: .interrupted)
        #expect(changes(unseen, silent) == [.interruptionBegan(1, by: [.unseen])], "nobody was there")
    }

    @Test("lowered, muted, stopped, and as before")
    func sound() {
        var before = Stage()
        before.enter("Game", .ambient, seq: 1)
        var ducked = before
        ducked.enter("Prompt", .playback, .default, .duckOthers, seq: 2)
        #expect(changes(before, ducked) == [.active(2), .ducked(1, true, by: [2])])
        #expect(changes(ducked, before) == [.inactive(2, notify: nil), .ducked(1, false, by: [2])])
        var muted = before
        muted.enter("Memo", .record, seq: 2)
        #expect(changes(before, muted) == [.active(2), .muted(1, true)])
        var stopped = before
        stopped.enter("Game", .ambient, seq: 1, isStopped: true)
        #expect(changes(before, stopped) == [.stopped(1)])
        #expect(changes(stopped, before) == [.continued(1)])
    }

    @Test("streams come, pause and go; those of sessions are told with the session")
    func streams() {
        var none = Stage()
        none.enter("A", seq: 1)
        var playing = none
        playing.play(3, of: "Browser")
        var paused = none
        paused.play(3, of: "Browser", isCorked: true)
        let stream = playing.state.streams[0]
        #expect(changes(none, playing) == [.streamStarted(stream)])
        #expect(changes(none, paused).isEmpty, "it has not been heard yet")
        #expect(changes(playing, paused) == [.streamPaused(paused.state.streams[0])])
        #expect(changes(playing, none) == [.streamFinished(stream)])
    }

    @Test("an index that was given to somebody else is somebody else")
    func reusedIndexes() {
        var before = Stage()
        before.enter("A", seq: 1)
        let state = before.state
        let other = Claim(seq: 9, uid: 99, state: .active, settings: state.participants[0].claim.settings)
        let new = ServerState(arbitration: Arbitration([Participant(id: 1, claim: other)]))
        #expect(new.changes(since: state) == [.inactive(1, notify: nil), .active(1)])
    }

    @Test("a stream of another program is lowered while a session that ducks is active, and tells by whom")
    func foreignDucking() {
        var before = Stage()
        before.play(1, of: "Browser")
        var during = before
        during.enter("Prompt", .playback, .voicePrompt, .duckOthers, seq: 1)
        let stream = before.state.streams[0]
        #expect(changes(before, during) == [.active(1), .streamDucked(stream, true, by: [1])])
        #expect(changes(during, before) == [.inactive(1, notify: nil), .streamDucked(stream, false, by: [])])
        var unable = before
        unable.enter("Prompt", .playback, .voicePrompt, .duckOthers, seq: 1, canDuck: false)
        #expect(changes(before, unable) == [.active(1)], "nobody lowers it")
        var gone = during
        gone.stop(1)
        #expect(changes(during, gone) == [.streamFinished(stream)], "its end is no end of the ducking")
    }

    @Test("a muted stream tells of the call for which the server mutes it, and of nobody if its user did")
    func mutedStream() {
        var before = Stage()
        before.serverSilencesForCalls = true
        before.play(1, of: "Browser")
        before.play(2, of: "Telephone", role: "phone")
        var during = before
        during.play(1, of: "Browser", isMuted: true)
        let streams = during.state.streams
        let (call, muted) = (streams[0], streams[1])
        #expect(changes(before, during) == [.streamMuted(muted, true, by: call)])
        #expect(changes(during, before).map(\.isUnmuting) == [true])
        during.serverSilencesForCalls = false
        #expect(changes(before, during) == [.streamMuted(muted, true, by: nil)])
    }
}

extension ServerStateChange {
    fileprivate var isUnmuting: Bool {
        if case .streamMuted(_, false, nil) = self { true } else { false }
    }
}
