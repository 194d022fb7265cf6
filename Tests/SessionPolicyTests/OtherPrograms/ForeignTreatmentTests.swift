import SessionPolicy
import TestSupport
import Testing

/// What becomes of streams outside the library beside a session whose user wants them quiet.
@Suite(.limited) struct ForeignTreatmentTests {
    private func session(
        _ id: UInt32, _ foreign: Claim.Foreign?, seq: UInt64 = 1, state: Claim.State = .active,
        settings: SessionSettings = .music
    ) -> Participant {
        Participant(
            id: id, claim: Claim(seq: seq, uid: UInt64(id), state: state, settings: settings, foreign: foreign))
    }

    private func stream(_ index: UInt32, on device: UInt32? = 0, isCorked: Bool = false) -> ServerStream {
        ServerStream(index: index, client: 100 + index, device: device, isCorked: isCorked)
    }

    /// One process's look at a scene.
    private struct Eye {
        var own: UInt32 = 1
        var silenced = SilencedStreams()

        mutating func look(
            _ streams: [ServerStream], _ participants: [Participant], lowered: Set<UInt32> = []
        ) -> [UInt32: DuckTargets.Level] {
            let arbitration = Arbitration(participants)
            silenced.look(at: streams, arbitration: arbitration, own: own, lowered: lowered)
            return DuckTargets(among: streams, arbitration: arbitration, defaultSink: 0, silenced: silenced).levels
        }
    }

    @Test func silenceIsForWhatPlayedAlready() {
        var eye = Eye()
        let before = [stream(5), stream(6, isCorked: true), stream(7, on: 3)]
        #expect(eye.look(before, [session(1, nil)]) == [:])
        #expect(eye.look(before, [session(1, .silence)]) == [5: .silenced])
        // A new one, and one that was paused, are what the user started since.
        let later = [stream(5), stream(6), stream(7, on: 3), stream(8)]
        #expect(eye.look(later, [session(1, .silence)]) == [5: .silenced])
        #expect(eye.look(later, [session(1, .silence, state: .interrupted)]) == [:])
        // Another activation, and so another moment.
        #expect(eye.look(later, [session(1, .silence, seq: 4)]) == [5: .silenced, 6: .silenced, 8: .silenced])
        #expect(eye.look(later, [session(1, nil, seq: 4)]) == [:])
    }

    @Test func silenceFollowsTheStreamToTheSinkWhereTheSessionIsHeard() {
        var eye = Eye()
        let own = ServerStream(index: 1, client: 1, device: 3)
        #expect(eye.look([own, stream(5), stream(7, on: 3)], [session(1, .silence)]) == [7: .silenced])
        #expect(eye.look([own, stream(5, on: 3), stream(7)], [session(1, .silence)]) == [5: .silenced])
        #expect(eye.look([own, stream(5, on: nil), stream(7)], [session(1, .silence)]) == [5: .silenced])
    }

    @Test func duckLowersWhateverPlays() {
        var eye = Eye()
        #expect(eye.look([stream(5)], [session(1, .duck)]) == [5: .lowered])
        let later = [stream(5), stream(6, isCorked: true), stream(7, on: 3)]
        #expect(eye.look(later, [session(1, .duck)]) == [5: .lowered, 6: .lowered])
        #expect(eye.look(later, [session(1, .duck, state: .interrupted)]) == [:])
    }

    @Test func silenceIsDeeperThanDucking() {
        var eye = Eye()
        let prompt = session(2, nil, seq: 2, settings: .of(.playback, .default, .duckOthers))
        let streams = [stream(5)]
        #expect(eye.look(streams, [prompt]) == [5: .lowered])
        #expect(eye.look(streams, [prompt, session(1, .silence)]) == [5: .silenced])
        #expect(eye.look(streams + [stream(6)], [prompt, session(1, .silence)]) == [5: .silenced, 6: .lowered])
        #expect(eye.look(streams, [session(1, .silence)]) == [5: .silenced])
    }

    @Test func callsScreenReadersAndSessionsAreNotConcerned() {
        var eye = Eye()
        let streams = [
            ServerStream(index: 5, client: 50, device: 0, role: "phone"),
            ServerStream(index: 6, client: 51, device: 0, role: "a11y"),
            ServerStream(index: 7, device: 0, kind: .plumbing),
            ServerStream(index: 8, client: 2, device: 0),
            ServerStream(index: 9, client: 52, device: 0, owner: 2),
        ]
        let game = session(2, nil, settings: .game)
        for foreign in Claim.Foreign.allCases { #expect(eye.look(streams, [session(1, foreign), game]) == [:]) }
    }

    @Test func anInterrupterTakesOverWithoutAPause() {
        var eye = Eye()
        let first = session(1, .silence)
        #expect(eye.look([stream(5)], [first]) == [5: .silenced])
        // The verdict comes before the first one's own word.
        let both = [first, session(2, .silence, seq: 2)]
        #expect(eye.look([stream(5), stream(6)], both) == [5: .silenced, 6: .silenced])
    }

    @Test func whoConnectsLaterBelievesWhatIsWrittenDown() {
        let streams = [stream(5), stream(6)]
        var late = Eye(own: 9)
        // Nothing is known yet, not even our own claim.
        #expect(late.look([], []) == [:])
        let both = [session(1, .silence), session(9, nil, state: .idle)]
        #expect(late.look(streams, both, lowered: [5]) == [5: .silenced])
        #expect(late.look(streams, both) == [5: .silenced])
        // Our own activation is one that we have seen.
        var own = Eye(own: 1)
        #expect(own.look(streams, [session(1, .silence)]) == [5: .silenced, 6: .silenced])
    }

    // MARK: The claim

    @Test func theClaimSaysSoWhileTheSessionIsEngaged() throws {
        let active = Claim(uid: 1, state: .active).treating(foreign: .silence)
        #expect(active.foreign == .silence)
        #expect(active.encoded.hasSuffix(";foreign=silence"))
        #expect(active.interrupted().foreign == .silence)
        #expect(active.activating(with: .music, ticket: 7).foreign == .silence)
        #expect(active.changing(to: .game, ticket: 7).foreign == .silence)
        #expect(active.idle(notify: true).foreign == nil)
        #expect(active.idle(notify: true).treating(foreign: .duck).foreign == nil)
        #expect(!Claim(uid: 1, state: .active).encoded.contains("foreign"))
        for foreign in Claim.Foreign.allCases {
            let claim = active.treating(foreign: foreign)
            #expect(Claim(claim.encoded) == claim)
        }
    }

    @Test func aSilentProcessIsToldUntilTheSessionComesBack() {
        let claim = Claim(uid: 1, state: .active).interrupted().silencing(process: true)
        #expect(claim.encoded.hasSuffix(";process=silent") && Claim(claim.encoded) == claim)
        #expect(!claim.silencing(process: false).encoded.contains("process"))
        #expect(!claim.activating(with: .music, ticket: 7).isProcessSilent && !claim.idle(notify: true).isProcessSilent)
        // As of a session that a call refuses, around a command that plays.
        let refused = Claim(uid: 1).silencing(process: true)
        #expect(refused.isProcessSilent && Claim(refused.encoded) == refused)
        #expect(Claim(Claim(uid: 1, state: .active).encoded + ";process=loud")?.isProcessSilent == false)
    }

    @Test(arguments: ["", "mute", "%zz", "%ff", "Silence", "1"]) func whatIsNotKnownIsNothing(value: String) throws {
        let claim = Claim(uid: 1, state: .active)
        #expect(Claim(claim.encoded + ";foreign=" + value) == claim)
    }

    @Test func anIdleClaimHasNone() throws {
        let idle = Claim(uid: 1)
        #expect(Claim(idle.encoded + ";foreign=duck") == idle)
    }

    // MARK: The way to silence

    @Test(arguments: [UInt32(30_419), 6_554, DuckVolumeSteps.shallowest])
    func theLadderEndsInSilence(factor: UInt32) throws {
        for original: [UInt32] in [[0x10000, 0x10000], [40_000, 0], [4 * DuckVolumeSteps.lowest], [99_957]] {
            let steps = try #require(DuckVolumeSteps(from: original, by: factor))
            let last = steps.volume(at: DuckVolumeSteps.stepsToSilence)
            #expect(last.allSatisfy { $0 <= 0x62 })
            for step in 0...DuckVolumeSteps.stepsToSilence { #expect(steps.step(of: steps.volume(at: step)) == step) }
            let volumes = (0...DuckVolumeSteps.stepsToSilence).map { steps.volume(at: $0)[0] }
            #expect(zip(volumes, volumes.dropFirst()).allSatisfy { $0 > $1 })
        }
    }
}
