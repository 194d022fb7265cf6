import TestSupport
import Testing

@testable import SessionPolicy

@Suite("What is pulled while the session is interrupted", .limited)
struct LossDuringInterruptionTests {
    /// Whether a session is told to resume that was interrupted, and heard of changes of its route meanwhile.
    private func mayResume(after reasons: [RouteChangeReason]) throws -> Bool? {
        var machine = SessionMachine()
        _ = machine.configure(try .validated(category: .playback))
        #expect(try machine.prepareActivation())
        _ = machine.activated(implicitly: false)
        _ = machine.received(.interruptionBegan(.session))
        let route = Route(inputs: [], outputs: [])
        for reason in reasons {
            let change = RouteChange(reason: reason, previous: route, current: route)
            #expect(machine.received(.routeChanged(change)) == [.notifyRoute(change)])
        }
        for case .post(.interruptionEnded(let shouldResume)) in machine.received(
            .interruptionEnded(.session, shouldResume: true))
        { return shouldResume }
        return nil
    }

    @Test("S51, S32: whoever lost its headphones meanwhile is not told to resume on the speaker; nothing else counts")
    func resumption() throws {
        #expect(try mayResume(after: []) == true)
        #expect(try mayResume(after: [.oldDeviceUnavailable]) == false)
        #expect(try mayResume(after: [.oldDeviceUnavailable, .newDeviceAvailable]) == false)
        for reason in (0...8).compactMap(RouteChangeReason.init(rawValue:)) where reason != .oldDeviceUnavailable {
            #expect(try mayResume(after: [reason]) == true, "\(reason)")
        }
    }

    @Test("S32: a loss before the interruption, or in an earlier one, says nothing of this one")
    func earlierLoss() throws {
        var machine = SessionMachine()
        _ = machine.configure(try .validated(category: .playback))
        #expect(try machine.prepareActivation())
        _ = machine.activated(implicitly: false)
        let route = Route(inputs: [], outputs: [])
        let loss = HostEvent.routeChanged(RouteChange(reason: .oldDeviceUnavailable, previous: route, current: route))
        _ = machine.received(loss)
        for isLossMeanwhile in [false, true, false] {
            _ = machine.received(.interruptionBegan(.session))
            if isLossMeanwhile { _ = machine.received(loss) }
            let effects = machine.received(.interruptionEnded(.session, shouldResume: true))
            #expect(effects.first == .post(.interruptionEnded(shouldResume: !isLossMeanwhile)))
            #expect(try machine.prepareActivation())
            _ = machine.activated(implicitly: false)
        }
    }
}
