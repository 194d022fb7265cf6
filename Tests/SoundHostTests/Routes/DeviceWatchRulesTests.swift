import SessionPolicy
import TestSupport
import Testing

@Suite("When devices interrupt", .limited)
struct DeviceWatchRulesTests {
    private static let sink = Device(.playback, 3)
    private static let source = Device(.capture, 3)
    private static let asleep: [Device: DeviceCondition] = [sink: .init(isSuspended: true), source: .init()]
    private static let awake: [Device: DeviceCondition] = [sink: .init(), source: .init()]
    private static let muted: [Device: DeviceCondition] = [sink: .init(), source: .init(isMuted: true)]
    private static let began = [HostEvent.interruptionBegan(.deviceSuspended)]
    private static let ended = [HostEvent.interruptionEnded(.deviceSuspended, shouldResume: true)]

    /// Rules, and a clock that the test moves.
    private struct Subject {
        var rules = DeviceRules()
        var now = 0.0

        mutating func look(
            _ uses: [Device: Bool], _ conditions: [Device: DeviceCondition], after seconds: Double = 0,
            muteInterrupts: Bool = true
        ) -> [HostEvent] {
            now += seconds
            return rules.observe(uses, conditions: conditions, muteInterrupts: muteInterrupts, at: now)
        }
    }

    @Test("Suspended while our sound runs: began when it lasts, ended with shouldResume when it works again")
    func suspended() {
        var subject = Subject()
        #expect(subject.look([Self.sink: true], Self.awake) == [])
        #expect(subject.look([Self.sink: true], Self.asleep, after: 1) == [])
        #expect(subject.rules.nextLook == 1 + DeviceRules.settling)
        #expect(subject.look([Self.sink: true], Self.asleep, after: DeviceRules.settling) == Self.began)
        #expect(subject.look([Self.sink: false], Self.asleep, after: 1) == [])
        #expect(subject.look([:], Self.asleep, after: 5) == [])
        #expect(subject.look([:], Self.awake, after: 1) == Self.ended)
        #expect(subject.rules.nextLook == nil)
    }

    @Test("Suspended for a moment, or while nothing of ours runs: nothing")
    func idle() {
        var subject = Subject()
        _ = subject.look([Self.sink: true], Self.awake)
        #expect(subject.look([Self.sink: true], Self.asleep, after: 1) == [])
        #expect(subject.look([Self.sink: true], Self.awake, after: 0.1) == [])
        #expect(subject.look([Self.sink: false], Self.asleep, after: 5) == [])
        #expect(subject.look([Self.sink: false], Self.asleep, after: 5) == [])
        // Our sound runs again, and the device wakes up a moment later.
        #expect(subject.look([Self.sink: true], Self.asleep, after: 5) == [])
        #expect(subject.look([Self.sink: true], Self.asleep, after: 1) == [])
        #expect(subject.look([Self.sink: true], Self.awake, after: 1) == [])
        #expect(subject.rules.nextLook == nil)
    }

    @Test("Asleep when our sound starts, and still so when it should have woken up: began")
    func neverWakes() {
        var subject = Subject()
        #expect(subject.look([Self.sink: true], Self.asleep) == [])
        #expect(subject.look([Self.sink: true], Self.asleep, after: DeviceRules.waking) == Self.began)
    }

    @Test("Ended too when the device is gone, or our stream was moved to another one")
    func goneOrMoved() {
        for way in 0..<2 {
            var subject = Subject()
            _ = subject.look([Self.sink: true], Self.awake)
            _ = subject.look([Self.sink: true], Self.asleep)
            #expect(subject.look([Self.sink: true], Self.asleep, after: 1) == Self.began)
            // Another stream of ours that captures has nothing to do with it.
            #expect(subject.look([Self.source: false], Self.asleep) == [])
            let after = way == 0 ? subject.look([:], [:]) : subject.look([Device(.playback, 4): false], Self.asleep)
            #expect(after == Self.ended)
        }
    }

    @Test("S34: a source that is muted while a record session takes sound from it: began, and ended when it is unmuted")
    func mutedSource() {
        var subject = Subject()
        #expect(subject.look([Self.source: true], Self.awake) == [])
        #expect(subject.look([Self.source: true], Self.muted) == [.interruptionBegan(.inputMuted)])
        #expect(subject.look([Self.source: false], Self.muted) == [])
        #expect(subject.look([:], Self.awake) == [.interruptionEnded(.inputMuted, shouldResume: true)])
    }

    @Test("S34: no interruption in other categories, with the option against it, or where the source was muted before")
    func mutedSourceOtherwise() {
        var subject = Subject()
        #expect(subject.look([Self.source: true], Self.awake, muteInterrupts: false) == [])
        #expect(subject.look([Self.source: true], Self.muted, muteInterrupts: false) == [])
        #expect(subject.look([Self.source: true], Self.muted) == [])
        subject = Subject()
        #expect(subject.look([Self.source: true], Self.muted) == [])
        #expect(subject.look([Self.source: true], Self.awake) == [])
        #expect(subject.look([Self.source: false], Self.muted) == [])
    }

    @Test("S34: a muted source interrupts until our stream is moved to another one, too")
    func movedFromMuted() {
        var subject = Subject()
        _ = subject.look([Self.source: true], Self.awake)
        #expect(subject.look([Self.source: true], Self.muted) == [.interruptionBegan(.inputMuted)])
        #expect(subject.look([Self.sink: false], Self.muted) == [])
        #expect(
            subject.look([Device(.capture, 4): false], Self.muted)
                == [.interruptionEnded(.inputMuted, shouldResume: true)])
    }

    @Test("The category changes while a muted source interrupts: ended")
    func muteStopsMattering() {
        var subject = Subject()
        _ = subject.look([Self.source: true], Self.awake)
        #expect(subject.look([Self.source: true], Self.muted) == [.interruptionBegan(.inputMuted)])
        #expect(
            subject.look([Self.source: false], Self.muted, muteInterrupts: false)
                == [.interruptionEnded(.inputMuted, shouldResume: true)])
    }
}
