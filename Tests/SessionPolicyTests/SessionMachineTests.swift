import Testing

@testable import SessionPolicy

@Suite("Session machine")
struct SessionMachineTests {
    /// A machine that was activated by the app, or by a player.
    private func activeMachine(implicitly: Bool = false) throws -> SessionMachine {
        var machine = SessionMachine()
        #expect(try machine.prepareActivation())
        _ = machine.activated(implicitly: implicitly)
        return machine
    }

    @Test("S2: a fresh session is inactive with default settings")
    func fresh() {
        let machine = SessionMachine()
        #expect(machine.state == .inactive)
        #expect(machine.settings == .default)
    }

    @Test("S4: activating an active session asks nothing of the server")
    func activateTwice() throws {
        var machine = try activeMachine()
        #expect(try !machine.prepareActivation())
        #expect(machine.activated(implicitly: false) == [])
        #expect(machine.state == .active)
    }

    @Test("S26, S30: an interruption stops players before it is told")
    func interruption() throws {
        var machine = try activeMachine()
        #expect(machine.received(.interruptionBegan(.serverPolicy)) == [.interruptIO, .post(.interruptionBegan(.serverPolicy, by: nil))])
        #expect(machine.state == .interrupted)
    }

    @Test("S31, S32: the end of the last cause is told, with whether to resume", arguments: [true, false])
    func interruptionEnds(mayResume: Bool) throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.serverPolicy))
        let effects = machine.received(.interruptionEnded(.serverPolicy, shouldResume: mayResume))
        #expect(effects == [.post(.interruptionEnded(shouldResume: mayResume))])
        #expect(machine.state == .inactive)
    }

    @Test("Several causes: told once at the first, once at the last, and to resume only if all allow it")
    func causesAreASet() throws {
        var machine = try activeMachine()
        #expect(machine.received(.interruptionBegan(.serverPolicy)).contains(.post(.interruptionBegan(.serverPolicy, by: nil))))
        #expect(machine.received(.interruptionBegan(.streamKilled)) == [])
        #expect(machine.received(.interruptionEnded(.streamKilled, shouldResume: false)) == [])
        let effects = machine.received(.interruptionEnded(.serverPolicy, shouldResume: true))
        #expect(effects == [.post(.interruptionEnded(shouldResume: false))])
    }

    @Test("An end without a beginning, and a beginning without an active session, are told to nobody")
    func strayEvents() throws {
        var machine = SessionMachine()
        #expect(machine.received(.interruptionBegan(.serverPolicy)) == [])
        #expect(machine.received(.interruptionEnded(.serverPolicy, shouldResume: true)) == [])
        machine = try activeMachine()
        #expect(machine.received(.interruptionEnded(.serverPolicy, shouldResume: true)) == [])
        #expect(machine.state == .active)
    }

    @Test("An app that comes back during an interruption is not told of its end any more")
    func comesBack() throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.serverPolicy))
        #expect(try machine.prepareActivation())
        _ = machine.activated(implicitly: false)
        #expect(machine.received(.interruptionEnded(.serverPolicy, shouldResume: true)) == [])
        #expect(machine.state == .active)
    }

    @Test("S8: deactivating under running players deactivates, stops them, and says isBusy")
    func deactivateBusy() throws {
        var machine = try activeMachine()
        _ = machine.received(.ioStarted)
        let (effects, error) = machine.deactivate()
        #expect(effects == [.stopIO, .closeIO])
        #expect(error?.code == .isBusy)
        #expect(machine.state == .inactive)
    }

    @Test("Deactivating a quiet session releases its streams without an error")
    func deactivateQuiet() throws {
        var machine = try activeMachine()
        let (effects, error) = machine.deactivate()
        #expect(effects == [.closeIO])
        #expect(error == nil)
    }

    @Test("S5: a session that a player activated ends 3 s after the last player")
    func implicitSessionEnds() throws {
        var machine = try activeMachine(implicitly: true)
        #expect(machine.received(.ioStarted) == [])
        guard case .startIdleTimer(let number, let seconds)? = machine.received(.ioStopped).first else {
            Issue.record("no timer")
            return
        }
        #expect(seconds == 3)
        #expect(machine.received(.idleTimerFired(number: number)) == [.closeIO])
        #expect(machine.state == .inactive)
    }

    @Test("A player that starts again keeps the implicit session alive")
    func implicitSessionGoesOn() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.received(.ioStarted)
        guard case .startIdleTimer(let number, _)? = machine.received(.ioStopped).first else {
            Issue.record("no timer")
            return
        }
        _ = machine.received(.ioStarted)
        #expect(machine.received(.idleTimerFired(number: number)) == [])
        #expect(machine.state == .active)
    }

    @Test("A session that the app activated stays active without players")
    func explicitSessionStays() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.activated(implicitly: false)
        _ = machine.received(.ioStarted)
        #expect(machine.received(.ioStopped) == [])
    }

    @Test("S45, S46, S48: a lost server: told, dead until the reset, then defaults")
    func serverLost() throws {
        var machine = try activeMachine()
        _ = machine.configure(try .validated(category: .playback, mode: .default, options: [], policy: .default))
        #expect(machine.received(.servicesLost) == [.abandonIO, .post(.servicesLost)])
        #expect(throws: SessionError.self) { _ = try machine.prepareActivation() }
        #expect(machine.received(.servicesReset) == [.post(.servicesReset)])
        #expect(machine.settings == .default)
        #expect(machine.state == .inactive)
    }

    @Test("S2.3.7: a category that changes the role of what plays changes the streams; another one does not")
    func roleChanges() throws {
        var machine = try activeMachine()
        let playback = try SessionSettings.validated(category: .playback, mode: .default, options: [], policy: .default)
        #expect(machine.configure(playback) == [.applyRoles])
        let mixing = try SessionSettings.validated(
            category: .playback, mode: .default, options: [.mixWithOthers], policy: .default)
        #expect(machine.configure(mixing) == [])
    }

    @Test("Each ended has its began, whatever happens in whatever order")
    func endedHasItsBegan() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var machine = SessionMachine()
            var open = false
            for _ in 0..<60 {
                var effects: [Effect] = []
                switch Int.random(in: 0..<9, using: &random) {
                case 0:
                    guard (try? machine.prepareActivation()) != nil else { break }
                    effects = machine.activated(implicitly: .random())
                case 1: effects = machine.deactivate().effects
                case 2: effects = machine.received(.interruptionBegan(.serverPolicy))
                case 3: effects = machine.received(.interruptionEnded(.serverPolicy, shouldResume: .random()))
                case 4: effects = machine.received(.interruptionBegan(.streamKilled))
                case 5: effects = machine.received(.servicesLost)
                case 6: effects = machine.received(.servicesReset)
                case 7: effects = machine.received(.ioStarted)
                default: effects = machine.received(.ioStopped)
                }
                for effect in effects {
                    if case .post(.interruptionBegan) = effect { open = true }
                    if case .post(.interruptionEnded) = effect {
                        #expect(open)
                        open = false
                    }
                }
            }
        }
    }
}
