import SessionPolicy
import TestSupport
import Testing

@Suite("Who is asked about being stopped", .limited)
struct StoppedRulesTests {
    private func claim(_ category: SessionPolicy.Category, _ mode: Mode = .default, _ options: CategoryOptions = [])
        throws -> Claim
    {
        let settings = try SessionSettings.validated(category: category, mode: mode, options: options)
        return Claim(uid: 1, host: "here", pid: 1).activating(with: settings, ticket: 3)
    }

    private let idle = Claim(uid: 2, canDuck: true, host: "here", pid: 2)

    private func isWatched(_ other: Claim, by own: Claim, isStopped: Bool = false, isLowering: Bool = false) -> Bool {
        let arbitration = Arbitration([
            Participant(id: 1, claim: other, isStopped: isStopped), Participant(id: 2, claim: own),
        ])
        return arbitration.participantsToWatch(for: own, as: 2, isLowering: isLowering).map(\.id) == [1]
    }

    @Test("Idle processes look at those that lower others and at calls, stopped or not", arguments: [false, true])
    func idleProcess(isStopped: Bool) throws {
        #expect(isWatched(try claim(.playback, .default, .duckOthers), by: idle, isStopped: isStopped))
        #expect(isWatched(try claim(.playAndRecord, .voiceChat), by: idle, isStopped: isStopped))
        #expect(!isWatched(try claim(.playback), by: idle, isStopped: isStopped))
        #expect(!isWatched(try claim(.playback, .default, .duckOthers).interrupted(), by: idle, isStopped: isStopped))
    }

    @Test("Whoever has to lower streams is looked at though it is idle itself")
    func idleExecutor() throws {
        let silent = try claim(.playback).interrupted().silencing(process: true)
        for asking in [try claim(.playback, .default, .duckOthers), silent, try claim(.playback)] {
            let own = Participant(id: 2, claim: asking)
            let other = Participant(id: 1, claim: Claim(uid: 3, canDuck: true, host: "here", pid: 3))
            let watched = Arbitration([own, other]).participantsToWatch(for: own.claim, as: own.id).map(\.id)
            #expect(watched == (asking.ducksOthers || asking.isProcessSilent ? [1] : []))
        }
    }

    @Test("Whoever has lowered streams looks at stopped ones that would have to do it, until it has given them back")
    func lowering() throws {
        var other = try claim(.ambient)
        #expect(!isWatched(other, by: idle, isStopped: true, isLowering: true))
        other.canDuck = true
        #expect(isWatched(other, by: idle, isStopped: true, isLowering: true))
        #expect(!isWatched(other, by: idle, isLowering: true))
        #expect(!isWatched(other, by: idle, isStopped: true))
    }

    @Test("A session that is not idle looks at those that play, interrupt it or are stopped, on its own machine")
    func engagedProcess() throws {
        let own = idle.activating(with: try claim(.ambient).settings, ticket: 4)
        #expect(!isWatched(try claim(.playback), by: own))
        #expect(isWatched(try claim(.playback), by: own, isStopped: true))
        #expect(isWatched(try claim(.record), by: own))
        var playing = try claim(.playback)
        playing.isPlaying = true
        #expect(isWatched(playing, by: own))
        #expect(!isWatched(playing.idle(notify: true), by: own))
        #expect(isWatched(try claim(.playback), by: idle.activating(with: try claim(.playback).settings, ticket: 2)))
        var elsewhere = Claim(uid: 1, isPlaying: true, host: "there", pid: 1)
        elsewhere = elsewhere.activating(with: try claim(.playback).settings, ticket: 3)
        #expect(!isWatched(elsewhere, by: own))
    }

    @Test("Of fifty interrupted sessions each looks at one")
    func fewLooks() throws {
        let music = try claim(.playback).settings
        let claims = (1...50).map { number in
            Participant(
                id: UInt32(number),
                claim: Claim(
                    seq: UInt64(number), uid: 7, state: number == 50 ? .active : .interrupted, settings: music, pid: 1))
        }
        let arbitration = Arbitration(claims)
        for own in claims {
            let watched = arbitration.participantsToWatch(for: own.claim, as: own.id).map(\.id)
            #expect(watched == (own.id == 50 ? [] : [own.id + 1]))
        }
    }
}
