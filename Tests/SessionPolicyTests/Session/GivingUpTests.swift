import TestSupport
import Testing

@testable import SessionPolicy

@Suite("Session machine: giving up", .limited)
struct GivingUpTests {
    /// A session whose interruption is over, and what came of that.
    private func released(toResume: Bool) -> (machine: SessionMachine, effects: [Effect]) {
        var machine = SessionMachine()
        _ = machine.activated(implicitly: false)
        _ = machine.received(.interruptionBegan(.session))
        let effects = machine.received(.interruptionEnded(.session, shouldResume: toResume))
        return (machine, effects)
    }

    @Test("A session that is not to resume releases its streams, and is over")
    func notToResume() {
        var (machine, effects) = released(toResume: false)
        #expect(effects.last == .closeIO)
        #expect(machine.deactivate(notify: true).effects == [])
    }

    @Test("A session that does not begin again with the server's return gives other programs' players back")
    func lostServer() {
        for isComingBack in [true, false] {
            var machine = SessionMachine()
            _ = machine.activated(implicitly: false)
            #expect(machine.received(.servicesLost) == [.abandonIO, .post(.servicesLost)])
            guard case .startResumptionTimer(let number, _)? = machine.received(.servicesReset).last else {
                Issue.record("no time to come back")
                return
            }
            if isComingBack { #expect(machine.activated(implicitly: false).contains(.foreignPlayers(.began))) }
            let effects = machine.received(.resumptionTimerFired(number: number))
            #expect(effects.contains(.foreignPlayers(.ended(notify: true))) != isComingBack)
        }
    }

    @Test("One that does not come back releases them when its time is over, or when its app deactivates it")
    func notComingBack() {
        for isDeactivated in [true, false] {
            var (machine, effects) = released(toResume: true)
            guard case .startResumptionTimer(let number, _)? = effects.last else {
                Issue.record("no time to come back")
                return
            }
            #expect(!effects.contains(.closeIO))
            effects =
                isDeactivated
                ? machine.deactivate(notify: true).effects : machine.received(.resumptionTimerFired(number: number))
            #expect(effects.last == .closeIO)
            #expect(machine.deactivate(notify: true).effects == [])
        }
    }
}
