import SessionPolicy
import TestSupport
import Testing

/// What `explain` says: the rule, the culprit, and the command that undoes it.
@Suite("Explanations", .limited) struct ExplanationTests {
    private func expect(
        _ text: Explanation, _ state: String, says words: String, command: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(text.state == state, sourceLocation: sourceLocation)
        let all = text.sentences.joined(separator: " ")
        #expect(all.contains(words), "\(all)", sourceLocation: sourceLocation)
        #expect(text.remedies.first?.command == command, sourceLocation: sourceLocation)
    }

    @Test("a newer session that does not mix interrupts")
    func newerSession() {
        var stage = Stage()
        stage.enter("Music", seq: 1)
        expect(stage.explanation(of: "Music"), "active", says: "newest", command: nil)
        stage.enter("Film", .playback, .moviePlayback, seq: 2)
        expect(stage.explanation(of: "Music"), "interrupted", says: "Film was activated later", command: "kill 1002")
        expect(stage.explanation(of: "Film"), "active", says: "It interrupts Music.", command: nil)
    }

    @Test("everybody who interrupts is named, those too who are interrupted themselves")
    func chain() {
        var stage = Stage()
        stage.enter("A", seq: 1, state: .interrupted)
        stage.enter("B", seq: 2, state: .interrupted)
        stage.enter("Call", .playAndRecord, .voiceChat, seq: 3)
        let text = stage.explanation(of: "A")
        expect(text, "interrupted", says: "B is interrupted itself", command: "kill 1002")
        #expect(text.remedies.map(\.command) == ["kill 1002", "kill 1003"])
        #expect(text.sentences.contains { $0.contains("Call is a call, which interrupts") })
    }

    @Test("prompts interrupt those that speak and lower the others")
    func prompt() {
        var stage = Stage()
        stage.enter("Book", .playback, .spokenAudio, seq: 1)
        stage.enter("Music", .playback, .default, .mixWithOthers, seq: 2)
        stage.enter(
            "Navigation", .playback, .voicePrompt, [.duckOthers, .interruptSpokenAudioAndMixWithOthers], seq: 3)
        stage.play(7, of: "Browser")
        expect(
            stage.explanation(of: "Book"), "interrupted", says: "Navigation interrupts sessions that speak",
            command: "kill 1003")
        expect(stage.explanation(of: "Music"), "active", says: "lowered while Navigation", command: "kill 1003")
        expect(
            stage.explanation(of: "Navigation"), "active", says: "other programs play on the same device", command: nil)
        expect(stage.explanation(of: 7), "playing", says: "lowered while Navigation", command: "kill 1003")
    }

    @Test("programs outside are lowered only where the session is heard, and where nobody else does it")
    func reachOfDucking() {
        var stage = Stage()
        stage.play(7, of: "Browser")
        stage.play(8, of: "Radio", device: 1)
        stage.play(9, of: "Clock", role: "alarm", device: 1)
        stage.enter("Prompt", .playback, .voicePrompt, .duckOthers, seq: 1)
        func says(_ stream: UInt32, _ words: String) {
            let all = stage.explanation(of: stream).sentences.joined(separator: " ")
            #expect(all.contains(words) && !all.contains("It is lowered"), "\(all)")
        }
        for stream: UInt32 in [8, 9] { says(stream, "Prompt asked for duckOthers, but is heard on another device") }
        // Where a session is heard counts, and not where it might be.
        stage.play(10, of: "prompt", owner: "Prompt", device: 1)
        says(7, "heard on another device")
        expect(stage.explanation(of: 8), "playing", says: "It is lowered while Prompt", command: "kill 1001")
        stage.serverLowersStreams = true
        says(8, "no session lowers it, since the sound server lowers streams by a policy of its own")
        #expect(stage.explanation(of: "Prompt").sentences.last?.contains("a policy of its own") == true)
        stage.serverLowersStreams = false
        stage.enter("Prompt", .playback, .voicePrompt, .duckOthers, seq: 1, canDuck: false)
        says(8, "no session here is able to lower other programs")
    }

    @Test("a policy for roles is named with its rule and its setting")
    func rolePolicy() {
        var stage = Stage()
        stage.rolePolicy.targets = [
            20: .init(name: "Multimedia", priority: 10),
            21: .init(name: "Navigation", priority: 30, lowerPriority: .duck),
            22: .init(name: "Communication", priority: 50, lowerPriority: .cork),
        ]
        stage.play(8, of: "Radio", roleSink: 20)
        expect(stage.explanation(of: 8), "playing", says: "no session asks others to be quiet", command: nil)
        stage.play(9, of: "Route", roleSink: 21)
        expect(
            stage.explanation(of: 8), "playing",
            says: "The session manager lowers it to linking.role-based.duck-level while Route has a stream in "
                + "\"Navigation\", whose priority is higher (policy.role-based.action.lower-priority = duck)",
            command: "audiosession end 9")
        // A stream that is cut off has no device.
        stage.play(8, of: "Radio", device: nil)
        stage.play(10, of: "Phone", isCorked: true, roleSink: 22)
        expect(
            stage.explanation(of: 8), "playing",
            says: "cuts it off while Phone has a stream in \"Communication\", whose priority is higher "
                + "(policy.role-based.action.lower-priority = cork)", command: "audiosession end 10")
        #expect(!stage.explanation(of: 10).sentences.joined().contains("session manager"))
        stage.enter("Prompt", .playback, .voicePrompt, .duckOthers, seq: 1)
        stage.stop(10)
        stage.play(8, of: "Radio", roleSink: 20)
        // A stranger's in the same sink is found first.
        stage.play(9, of: "Route", roleSink: 21)
        stage.play(11, of: "Prompt", owner: "Prompt", roleSink: 21)
        let sentences = stage.explanation(of: 8).sentences
        #expect(sentences.count == 1 && sentences[0].contains("while Route has a stream"), "one hand: \(sentences)")
    }

    @Test("a rule among roles of one priority is named as that")
    func rolePolicyOfOnePriority() {
        var stage = Stage()
        stage.rolePolicy.targets = [
            20: .init(name: "Multimedia", priority: 10, samePriority: .cork, lowerPriority: .cork),
            21: .init(name: "Game", priority: 10, samePriority: .duck, lowerPriority: .cork),
        ]
        stage.play(8, of: "Puzzle", roleSink: 21)
        stage.play(9, of: "Radio", roleSink: 20)
        expect(
            stage.explanation(of: 9), "playing",
            says: "lowers it to linking.role-based.duck-level while Puzzle has a stream in \"Game\", "
                + "whose priority is the same (policy.role-based.action.same-priority = duck)",
            command: "audiosession end 8")
    }

    @Test("what the user wants of programs outside is said only of those that it reaches")
    func reachOfForeign() {
        var stage = Stage()
        stage.play(8, of: "Radio", device: 1)
        for foreign: Claim.Foreign in [.duck, .silence] {
            stage.serverLowersStreams = false
            stage.enter("Music", seq: 1, foreign: foreign)
            expect(stage.explanation(of: 8), "playing", says: "not this one, which is heard on another", command: nil)
            stage.play(7, of: "Browser")
            stage.serverLowersStreams = true
            expect(stage.explanation(of: 7), "playing", says: "not this one, since the sound server", command: nil)
        }
    }

    @Test("programs outside are lowered or silenced where the user wants it")
    func foreign() {
        var stage = Stage()
        stage.play(7, of: "Browser")
        stage.enter("Music", seq: 1, foreign: .duck)
        expect(stage.explanation(of: 7), "playing", says: "it is lowered", command: "kill 1001")
        stage.enter("Music", seq: 1, foreign: .silence)
        expect(stage.explanation(of: 7), "playing", says: "it is silenced if it played", command: "kill 1001")
        stage.enter("Music", seq: 1)
        expect(stage.explanation(of: 7), "playing", says: "asked to pause", command: nil)
    }

    @Test("calls refuse recorders and are never interrupted; recorders mute what mixes")
    func callsAndRecorders() {
        var stage = Stage()
        stage.enter("Call", .playAndRecord, .voiceChat, seq: 1)
        stage.enter("Memo", .record, seq: 2)
        expect(stage.explanation(of: "Call"), "active", says: "nothing interrupts a call", command: nil)
        expect(stage.explanation(of: "Memo"), "interrupted", says: "nobody else may record", command: "kill 1001")
        stage.leave("Call")
        stage.enter("Game", .ambient, seq: 3)
        expect(stage.explanation(of: "Game"), "active", says: "muted while Memo records", command: "kill 1002")
    }

    @Test("a foreign call is the culprit where no session is")
    func foreignCall() {
        var stage = Stage()
        stage.enter("Music", seq: 1, state: .interrupted)
        stage.play(12, of: "Telephone", role: "phone")
        expect(
            stage.explanation(of: "Music"), "interrupted", says: "stream 12 of Telephone",
            command: "audiosession end 12")
        expect(
            stage.explanation(of: 12), "playing", says: "nobody lowers it", command: "audiosession end 12")
        stage.stop(12)
        expect(stage.explanation(of: "Music"), "interrupted", says: "may go on", command: nil)
    }

    @Test("stopped and idle processes are told apart")
    func stopped() {
        var stage = Stage()
        stage.enter("Music", seq: 1, isStopped: true)
        stage.enter("Radio", seq: 2, state: .idle)
        expect(stage.explanation(of: "Music"), "stopped", says: "counts as inactive", command: "kill -CONT 1001")
        expect(stage.explanation(of: "Radio"), "idle", says: "wants nothing", command: nil)
    }

    @Test("a culprit on another machine is ended there, and its host's name is no shell command")
    func otherHosts() {
        var stage = Stage()
        stage.enter("Music", seq: 1)
        stage.enter("Film", seq: 2, host: "bed-room.local")
        expect(
            stage.explanation(of: "Music"), "interrupted", says: "Film", command: "ssh bed-room.local kill 1002")
        #expect(stage.explanation(of: "Film").title == "Film (pid 1002 on bed-room.local)")
        for host in ["-oProxyCommand=rm", "a;rm", "$(rm)", "a b"] {
            stage.enter("Film", seq: 2, host: host)
            #expect(stage.explanation(of: "Music").remedies.first?.command == nil, "\(host)")
        }
    }

    @Test("streams: whose they are, and who muted them")
    func streams() {
        var stage = Stage()
        stage.enter("Prompt", seq: 1)
        stage.play(1, of: "paplay", owner: "Prompt")
        stage.play(2, of: "Browser", isMuted: true)
        stage.play(3, of: "Player", isCorked: true)
        stage.play(4, of: "Orca", role: "a11y")
        expect(stage.explanation(of: 1), "playing", says: "belongs to the session of Prompt", command: nil)
        expect(stage.explanation(of: 2), "playing, muted", says: "mixer", command: "pactl set-sink-input-mute 2 0")
        expect(stage.explanation(of: 3), "paused", says: "has paused it", command: nil)
        expect(stage.explanation(of: 4), "playing", says: "never silenced", command: nil)
        stage.serverSilencesForCalls = true
        stage.play(5, of: "Telephone", role: "phone")
        expect(stage.explanation(of: 2), "playing, muted", says: "module-role-cork", command: "audiosession end 5")
    }

    @Test("every combination of two sessions is explained in whole sentences")
    func completeness() {
        let kinds: [(SessionPolicy.Category, Mode, CategoryOptions)] = [
            (.ambient, .default, []), (.playback, .default, []), (.playback, .spokenAudio, []),
            (.playback, .default, .duckOthers), (.playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers),
            (.record, .default, []), (.playAndRecord, .voiceChat, []), (.playAndRecord, .default, .mixWithOthers),
        ]
        for first in kinds {
            for second in kinds {
                for state in Claim.State.allCases {
                    var stage = Stage()
                    stage.enter("A", first.0, first.1, first.2, seq: 1, state: state)
                    stage.enter("B", second.0, second.1, second.2, seq: 2)
                    let text = stage.explanation(of: "A")
                    #expect(!text.sentences.isEmpty, "\(first) \(second) \(state)")
                    #expect(text.sentences.allSatisfy { $0.hasSuffix(".") })
                    if text.state == "interrupted", stage.state.arbitration.verdict(on: 1).standing != .active {
                        #expect(text.remedies.first?.command == "kill 1002")
                    }
                }
            }
        }
    }
}
