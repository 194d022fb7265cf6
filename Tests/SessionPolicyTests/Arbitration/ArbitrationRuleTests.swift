import SessionPolicy
import TestSupport
import Testing

/// One test for each rule, in the words of users.
@Suite("Arbitration by example", .limited)
struct ArbitrationRuleTests {
    private func standing(_ participants: [Participant], _ id: UInt32) -> Verdict.Standing {
        Arbitration(participants).verdict(on: id).standing
    }

    private func interrupted(by culprit: UInt32, _ rule: Interruption.Rule) -> Verdict.Standing {
        .interrupted(Interruption(culprit: culprit, rule: rule))
    }

    @Test("Rule 1 (S15, S28): the film that was started last is heard, and the music waits")
    func newestWins() {
        let music = Participant(.music, seq: 1)
        let film = Participant(.of(.playback, .moviePlayback), seq: 2)
        #expect(standing([music], 1) == .active)
        #expect(standing([music, film], 1) == interrupted(by: 2, .newerSession))
        #expect(standing([music, film], 2) == .active)
        let again = Participant(.music, seq: 3, id: 1)
        #expect(standing([again, film], 2) == interrupted(by: 1, .newerSession))
        #expect(standing([again, film], 1) == .active)
    }

    @Test("Rule 1: two that started in the same moment are in the same order for everybody")
    func ties() {
        let settings = SessionSettings.music
        let one = Participant(id: 1, claim: Claim(seq: 4, uid: 90, state: .active, settings: settings))
        let two = Participant(id: 2, claim: Claim(seq: 4, uid: 20, state: .active, settings: settings))
        #expect(standing([one, two], 1) == .active && standing([two, one], 1) == .active)
        let copy = Participant(id: 3, claim: one.claim)
        #expect(standing([one, copy], 1) == interrupted(by: 3, .newerSession))
        #expect(standing([copy, one], 3) == .active)
    }

    @Test("Rule 1 (S16, S17): a game's music mixes with everything, and nothing interrupts it")
    func mixable() {
        let mixing = SessionSettings.of(.playback, .default, .mixWithOthers)
        let table = [
            Participant(.game, seq: 1), Participant(mixing, seq: 2), Participant(.music, seq: 3),
            Participant(.game, seq: 4),
        ]
        #expect(arbitrate(table).allSatisfy { $0.standing == .active })
    }

    @Test(
        "Rule 2 (S19, S20): a navigation prompt interrupts the podcast, lowers the music that mixes, and lets both go on"
    )
    func promptOverPodcast() {
        let podcast = Participant(.podcast, seq: 1, state: .active)
        let music = Participant(.of(.playback, .default, .mixWithOthers), seq: 2)
        let prompt = Participant(
            .of(.playback, .spokenAudio, [.duckOthers, .interruptSpokenAudioAndMixWithOthers]), seq: 3)
        let before = Arbitration([podcast, music])
        let during = Arbitration([podcast, music, prompt])
        #expect(during.verdict(on: 1).standing == interrupted(by: 3, .spokenAudio))
        #expect(during.verdict(on: 2) == Verdict(standing: .active, isDucked: true))
        #expect(during.verdict(on: 3) == Verdict(standing: .active))
        #expect(during.interruptionChange(of: 1, since: before) == .began(Interruption(culprit: 3, rule: .spokenAudio)))
        let over = Arbitration([podcast, music, Participant(id: 3, claim: prompt.claim.idle(notify: true))])
        #expect(over.interruptionChange(of: 1, since: during) == .ended(shouldResume: true))
        #expect(!over.verdict(on: 2).isDucked && over.duckers.isEmpty && during.duckers == [3])
        // A podcast that the user starts again during the prompt is newer, and is heard.
        let again = Participant(.podcast, seq: 4, id: 1)
        #expect(standing([again, music, prompt], 1) == .active)
    }

    @Test("Rule 3 (S21): a call interrupts music and the game that mixes; players may start during it, and mix")
    func callOverMusic() {
        let music = Participant(.music, seq: 1)
        let game = Participant(.game, seq: 2)
        let call = Participant(.call, seq: 3)
        #expect(standing([music, game, call], 1) == interrupted(by: 3, .call))
        #expect(standing([music, game, call], 2) == interrupted(by: 3, .call))
        let radio = Participant(.music, seq: 4)
        let film = Participant(.music, seq: 5)
        for id: UInt32 in 3...5 { #expect(standing([music, game, call, radio, film], id) == .active) }
        // When the call is over, the two that mixed during it are in order again.
        #expect(standing([music, game, radio, film], 4) == interrupted(by: 5, .newerSession))
    }

    @Test("Rule 3: nobody records during a call, and nobody calls; players may (insufficientPriority)")
    func refusedByCall() {
        let table = [Participant(.music, seq: 1), Participant(.call, seq: 3)]
        for settings in SessionSettings.all {
            let claim = Claim(seq: 4, uid: 1, state: .active, settings: settings)
            let error = refusal(of: claim, as: 9, among: table)
            #expect((error?.code == .insufficientPriority) == settings.category.allowsInput)
            #expect(refusal(of: claim, as: 9, among: [table[0]]) == nil)
            #expect(refusal(of: claim, as: 3, among: table) == nil, "one's own call is no obstacle")
            let stopped = Participant(.call, seq: 3, isStopped: true)
            #expect(refusal(of: claim, as: 9, among: [stopped]) == nil)
            // Published all the same, it harms nobody.
            let intruder = Participant(id: 9, claim: claim)
            #expect(standing(table + [intruder], 3) == .active)
            let expected = settings.category.allowsInput ? interrupted(by: 3, .refusedByCall) : .active
            #expect(standing(table + [intruder], 9) == expected)
        }
    }

    @Test("Rule 3: a refused prompt neither interrupts a podcast nor hides the prompt that does")
    func refusedPrompt() {
        let table = [Participant(.call, seq: 1), Participant(.podcast, seq: 2)]
        let refused = Participant(.of(.playAndRecord, .default, .interruptSpokenAudioAndMixWithOthers), seq: 3)
        #expect(standing(table + [refused], 2) == .active)
        #expect(standing(table + [refused, Participant(.prompt, seq: 4)], 2) == interrupted(by: 4, .spokenAudio))
    }

    @Test("Rule 3: of two calls that begin at once the older lives, and the newer one is refused after its echo")
    func twoCalls() {
        let older = Participant(.call, seq: 4, id: 8)
        let newer = Participant(.of(.playAndRecord, .videoChat), seq: 5, id: 2)
        #expect(standing([older, newer], 8) == .active)
        #expect(standing([older, newer], 2) == interrupted(by: 8, .refusedByCall))
        #expect(refusal(of: older.claim, as: 8, among: [older, newer]) == nil)
        #expect(refusal(of: newer.claim, as: 2, among: [older, newer])?.code == .insufficientPriority)
    }

    @Test("Three deep: the end of the call resumes B only, and the end of B resumes A")
    func threeDeep() {
        let a = Participant(.music, seq: 1, state: .interrupted)
        let b = Participant(.music, seq: 2, state: .interrupted)
        let call = Participant(.call, seq: 3)
        let during = Arbitration([a, b, call])
        #expect(during.verdict(on: 1).standing == interrupted(by: 2, .newerSession))
        #expect(during.verdict(on: 2).standing == interrupted(by: 3, .call))
        let after = Arbitration([a, b, Participant(id: 3, claim: call.claim.idle(notify: true))])
        #expect(after.interruptionChange(of: 1, since: during) == .nothing)
        #expect(after.interruptionChange(of: 2, since: during) == .ended(shouldResume: true))
        let resumed = Arbitration([a, Participant(.music, seq: 4, id: 2)])
        #expect(resumed.interruptionChange(of: 1, since: after) == .nothing)
        let last = Arbitration([a, Participant(id: 2, claim: b.claim.idle(notify: true))])
        #expect(last.interruptionChange(of: 1, since: resumed) == .ended(shouldResume: true))
    }

    @Test("Rule 5 (S18): ducking spares calls and other duckers, and ends with the ducker, however it ends")
    func ducking() {
        let ducker = Participant(.of(.playback, .default, .duckOthers), seq: 5, isPlaying: false)
        let other = Participant(.prompt, seq: 6)
        let game = Participant(.game, seq: 4)
        let music = Participant(.music, seq: 7)
        let verdicts = Arbitration([ducker, other, game, music])
        #expect([4, 5, 6, 7].map { verdicts.verdict(on: $0).isDucked } == [true, false, false, true])
        #expect(arbitrate([game, music]).allSatisfy { !$0.isDucked })
        let stopped = Participant(.of(.playback, .default, .duckOthers), seq: 5, isStopped: true)
        #expect(!Arbitration([stopped, game]).verdict(on: 4).isDucked)
        let call = Participant(.call, seq: 1)
        #expect(Arbitration([call, ducker, game]).verdict(on: 1) == Verdict(standing: .active))
        #expect(Arbitration([call, ducker, game]).verdict(on: 4).isDucked)
        // Interrupted, and between the end of its interruption and its return, it holds nobody down.
        #expect(Arbitration([ducker, Participant(.call, seq: 8), Participant(.game, seq: 9)]).duckers.isEmpty)
        let waiting = Participant(.of(.playback, .default, .duckOthers), seq: 5, state: .interrupted)
        #expect(!Arbitration([waiting, game]).verdict(on: 4).isDucked)
    }

    @Test("Rule 6 (S23): a recording mutes what mixes, as long as it is active")
    func recording() {
        let game = Participant(.game, seq: 1)
        let recording = Participant(.recording, seq: 2)
        #expect(Arbitration([game, recording]).verdict(on: 1) == Verdict(standing: .active, isMutedByRecording: true))
        #expect(!Arbitration([game, recording]).verdict(on: 2).isMutedByRecording)
        let music = Participant(.music, seq: 3)
        #expect(!Arbitration([game, recording, music]).verdict(on: 1).isMutedByRecording)
        #expect(!Arbitration([game, Participant(.of(.playAndRecord), seq: 2)]).verdict(on: 1).isMutedByRecording)
    }

    @Test("A stopped program counts as gone, and counts again when it goes on")
    func stopped() {
        let music = Participant(.music, seq: 1)
        let film = Participant(.music, seq: 2)
        let stopped = Participant(.music, seq: 2, isStopped: true)
        #expect(Arbitration([music, stopped]).verdict(on: 2) == .inactive)
        let before = Arbitration([music, film])
        let change = Arbitration([music, stopped]).interruptionChange(of: 1, since: before)
        #expect(change == .ended(shouldResume: true))
    }

    @Test("S42, S43: only the main sound of others asks for silence, and only active sessions are told of a change")
    func hints() {
        let game = Participant(.game, seq: 1)
        let silent = Arbitration([game, Participant(.music, seq: 2, isPlaying: false)])
        let playing = Arbitration([game, Participant(.music, seq: 2)])
        let games = Arbitration([game, Participant(.game, seq: 2)])
        #expect(!silent.isOtherAudioPlaying(for: 1) && !silent.secondaryAudioShouldBeSilenced(for: 1))
        #expect(games.isOtherAudioPlaying(for: 1) && !games.secondaryAudioShouldBeSilenced(for: 1))
        #expect(playing.isOtherAudioPlaying(for: 1) && playing.secondaryAudioShouldBeSilenced(for: 1))
        #expect(!Arbitration([Participant(.music, seq: 2)]).secondaryAudioShouldBeSilenced(for: 2))
        #expect(playing.secondaryAudioHintChange(for: 1, since: silent) == true)
        #expect(silent.secondaryAudioHintChange(for: 1, since: playing) == false)
        #expect(playing.secondaryAudioHintChange(for: 1, since: playing) == nil)
        #expect(playing.secondaryAudioHintChange(for: 1, since: Arbitration()) == nil)
        let interrupted = Arbitration([game, Participant(.music, seq: 2), Participant(.call, seq: 3, isPlaying: false)])
        #expect(!interrupted.isOtherAudioPlaying(for: 3))
    }

    @Test("Foreign streams are lowered by the lowest index that can, runs, and was not given up")
    func election() {
        func able(_ id: UInt32, _ canDuck: Bool, isStopped: Bool = false) -> Participant {
            Participant(id: id, claim: Claim(uid: 1, canDuck: canDuck), isStopped: isStopped)
        }
        let table = [able(9, true), able(2, false), able(3, true, isStopped: true), able(5, true)]
        #expect(executor(of: table) == 5)
        #expect(executor(of: table, excluding: [5]) == 9)
        #expect(executor(of: table, excluding: [5, 9]) == nil)
        #expect(executor(of: []) == nil)
    }
}
