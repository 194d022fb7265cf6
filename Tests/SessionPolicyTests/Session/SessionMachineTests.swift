import TestSupport
import Testing

@testable import SessionPolicy

@Suite("Session machine", .limited)
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
        #expect(try machine.joinActivation(implicitly: false) == [])
        #expect(machine.state == .active)
        _ = machine.received(.interruptionBegan(.session))
        #expect(try machine.joinActivation(implicitly: false) == nil)
        #expect(machine.state == .interrupted, "the end of the interruption is still to be told")
    }

    @Test(
        "S12: becoming active is told, and other programs' players are asked to pause only if the app said what it is")
    func activationIsTold() throws {
        var machine = SessionMachine()
        #expect(machine.activated(implicitly: false) == [.foreignPlayers(.began), .post(.activated)])
        machine = SessionMachine()
        #expect(!machine.activated(implicitly: true).contains(.foreignPlayers(.began)))
        machine = SessionMachine()
        _ = machine.configure(try .validated(category: .playback, mode: .default, options: [], policy: .default))
        #expect(machine.activated(implicitly: true).contains(.foreignPlayers(.began)))
        machine = SessionMachine()
        _ = machine.configure(try .validated(category: .ambient, mode: .default, options: [], policy: .default))
        #expect(machine.activated(implicitly: false) == [.post(.activated)])
    }

    @Test("A session that mixes from now on gives other programs' players back")
    func mixingGivesBack() throws {
        var machine = try activeMachine()
        let mixing = try SessionSettings.validated(
            category: .soloAmbient, mode: .default, options: [], policy: .default)
        #expect(machine.configure(mixing) == [])
        let ambient = try SessionSettings.validated(category: .ambient, mode: .default, options: [], policy: .default)
        #expect(machine.configure(ambient).contains(.foreignPlayers(.ended(notify: true))))
    }

    @Test("S29: muted shortFormVideo mixes, also with other programs' players, and does not when it is unmuted")
    func mutedOutput() throws {
        var machine = SessionMachine()
        let video = try SessionSettings.validated(category: .playback, mode: .shortFormVideo)
        _ = machine.configure(video)
        #expect(machine.setOutputMuted(true) == [.muteOutput(true), .post(.outputMuted(true))])
        #expect(machine.setOutputMuted(true) == [])
        #expect(machine.claimedSettings.isMixable && machine.settings == video)
        #expect(machine.activated(implicitly: false) == [.post(.activated)])
        #expect(machine.setOutputMuted(false).contains(.foreignPlayers(.began)))
        #expect(machine.claimedSettings == video)
    }

    @Test("A mode that cannot be muted unmutes, and so does a new server")
    func unmuting() throws {
        var machine = SessionMachine()
        _ = machine.setOutputMuted(true)
        _ = machine.configure(
            try .validated(category: .playAndRecord, mode: .voiceChat, options: [], policy: .default))
        #expect(!machine.isOutputMuted)
        _ = machine.configure(.default)
        _ = machine.setOutputMuted(true)
        _ = machine.received(.servicesLost)
        #expect(machine.received(.servicesReset).contains(.post(.outputMuted(false))))
        #expect(!machine.isOutputMuted)
    }

    @Test("S26, S30: an interruption stops players before it is told")
    func interruption() throws {
        var machine = try activeMachine()
        #expect(
            machine.received(.interruptionBegan(.serverPolicy))
                == [.interruptIO, .claim(.interrupted), .post(.interruptionBegan(.serverPolicy, by: nil))])
        #expect(machine.state == .interrupted)
    }

    @Test("S31, S32: the end of the last cause is told, with whether to resume", arguments: [true, false])
    func interruptionEnds(mayResume: Bool) throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.serverPolicy))
        let effects = machine.received(.interruptionEnded(.serverPolicy, shouldResume: mayResume))
        #expect(effects.first == .post(.interruptionEnded(shouldResume: mayResume)))
        #expect(machine.state == .inactive)
        // Without shouldResume the session's own victims hear so at once; with it, if the app does not come back.
        guard mayResume else { return #expect(effects.contains(.claim(.idle(notify: false)))) }
        guard case .startResumptionTimer(let number, let seconds)? = effects.last else {
            Issue.record("no time to come back")
            return
        }
        #expect(seconds == 5)
        #expect(machine.isEngaged)
        #expect(machine.received(.resumptionTimerFired(number: number)).contains(.claim(.idle(notify: true))))
        #expect(!machine.isEngaged)
    }

    @Test("An app that comes back in time keeps its victims waiting")
    func comesBackInTime() throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.session))
        let effects = machine.received(.interruptionEnded(.session, shouldResume: true))
        guard case .startResumptionTimer(let number, _)? = effects.last else {
            Issue.record("no time to come back")
            return
        }
        _ = machine.activated(implicitly: false)
        #expect(machine.received(.resumptionTimerFired(number: number)) == [])
        #expect(machine.state == .active)
    }

    @Test("A session that comes back asks other programs' players again: the user may have started one meanwhile")
    func comesBackAndAsksAgain() throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.session))
        #expect(machine.activated(implicitly: false).contains(.foreignPlayers(.began)))
        #expect(machine.activated(implicitly: false) == [], "it was active")
        _ = machine.received(.interruptionBegan(.session))
        _ = machine.received(.interruptionEnded(.session, shouldResume: true))
        #expect(machine.activated(implicitly: false).contains(.foreignPlayers(.began)))
        _ = machine.received(.interruptionBegan(.session))
        _ = machine.configure(try .validated(category: .ambient, mode: .default, options: [], policy: .default))
        let effects = machine.activated(implicitly: false)
        #expect(effects.contains(.foreignPlayers(.ended(notify: true))))
        #expect(!effects.contains(.foreignPlayers(.began)))
    }

    @Test("S51: a loss is told to an app whose session is not active too, in whatever way it came to be so")
    func lossWhileNotActive() throws {
        let none = Route(inputs: [], outputs: [])
        let loss = RouteChange(reason: .oldDeviceUnavailable, previous: none, current: none)
        var machine = SessionMachine()
        #expect(machine.received(.routeChanged(loss)) == [.notifyRoute(loss)])
        #expect(machine.received(.availableInputsChanged) == [.notifyInputs])
        machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.session))
        #expect(machine.received(.routeChanged(loss)) == [.notifyRoute(loss)])
        machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.session))
        _ = machine.received(.interruptionEnded(.session, shouldResume: true))
        #expect(machine.received(.routeChanged(loss)) == [.notifyRoute(loss)])
        _ = machine.deactivate(notify: false)
        #expect(machine.received(.routeChanged(loss)) == [.notifyRoute(loss)])
        _ = machine.received(.servicesLost)
        #expect(machine.received(.routeChanged(loss)) == [] && machine.received(.availableInputsChanged) == [])
    }

    @Test("A killed stream has no end: those whom the session had interrupted are released after a while")
    func killedStreamReleases() throws {
        var machine = try activeMachine()
        guard case .startResumptionTimer(let number, _)? = machine.received(.interruptionBegan(.streamKilled)).last
        else {
            Issue.record("nobody would ever release the others")
            return
        }
        #expect(machine.received(.resumptionTimerFired(number: number)).contains(.claim(.idle(notify: true))))
        #expect(machine.state == .inactive)
    }

    @Test("A stream that is killed while the session is interrupted made no sound: the interruption ends as ever")
    func killedWhileInterrupted() throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.session))
        #expect(machine.received(.interruptionBegan(.streamKilled)) == [])
        let effects = machine.received(.interruptionEnded(.session, shouldResume: true))
        #expect(effects.first == .post(.interruptionEnded(shouldResume: true)))
        guard case .startResumptionTimer? = effects.last else {
            Issue.record("nobody would ever release those whom the session had interrupted")
            return
        }
    }

    @Test("Somebody who left without notify forbids to resume, while others still interrupt")
    func resumingForbidden() throws {
        var machine = try activeMachine()
        _ = machine.received(.interruptionBegan(.session))
        #expect(machine.received(.resumingForbidden) == [])
        let effects = machine.received(.interruptionEnded(.session, shouldResume: true))
        #expect(effects.first == .post(.interruptionEnded(shouldResume: false)))
    }

    @Test("Several causes: told once at the first, once at the last, and to resume only if all allow it")
    func causesAreASet() throws {
        var machine = try activeMachine()
        let began = machine.received(.interruptionBegan(.serverPolicy))
        #expect(began.contains(.post(.interruptionBegan(.serverPolicy, by: nil))))
        #expect(machine.received(.interruptionBegan(.session)) == [])
        #expect(machine.received(.interruptionEnded(.session, shouldResume: false)) == [])
        let effects = machine.received(.interruptionEnded(.serverPolicy, shouldResume: true))
        #expect(effects.contains(.post(.interruptionEnded(shouldResume: false))))
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
        let (effects, error) = machine.deactivate(notify: true)
        let farewell: [Effect] = [.claim(.idle(notify: true)), .foreignPlayers(.ended(notify: true))]
        #expect(effects == [.stopIO] + farewell + [.closeIO, .post(.deactivated)])
        #expect(error?.code == .isBusy)
        #expect(machine.state == .inactive)
    }

    @Test("Deactivating a quiet session releases its streams without an error")
    func deactivateQuiet() throws {
        var machine = try activeMachine()
        let (effects, error) = machine.deactivate(notify: false)
        let farewell: [Effect] = [.claim(.idle(notify: false)), .foreignPlayers(.ended(notify: false))]
        #expect(effects == farewell + [.closeIO, .post(.deactivated)])
        #expect(error == nil)
    }

    @Test("An interruption and the app stop a session; one that ends since nothing uses it was not stopped")
    func stops() throws {
        var machine = try activeMachine(implicitly: true)
        guard case .startIdleTimer(let number, _)? = machine.received(.ioStopped).last else {
            Issue.record("no timer")
            return
        }
        _ = machine.received(.idleTimerFired(number: number))
        _ = machine.deactivate(notify: false)
        #expect(machine.state == .inactive)
        #expect([machine.stops.interruptions, machine.stops.deactivations] == [0, 0])
        _ = machine.activated(implicitly: false)
        _ = machine.received(.interruptionBegan(.session))
        #expect([machine.stops.interruptions, machine.stops.deactivations] == [1, 0])
        _ = machine.deactivate(notify: false)
        #expect([machine.stops.interruptions, machine.stops.deactivations] == [1, 1])
    }

    @Test("S5: a session that a player activated ends 3 s after the last player")
    func implicitSessionEnds() throws {
        var machine = try activeMachine(implicitly: true)
        #expect(machine.received(.ioStarted) == [.claim(.playing(true))])
        guard case .startIdleTimer(let number, let seconds)? = machine.received(.ioStopped).last else {
            Issue.record("no timer")
            return
        }
        #expect(seconds == 3)
        #expect(
            machine.received(.idleTimerFired(number: number))
                == [.claim(.idle(notify: true)), .closeIO, .post(.deactivated)])
        #expect(machine.state == .inactive)
    }

    @Test("Streams of other libraries count as sound of an active session, and neither start nor keep one")
    func unmanagedStreams() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.configure(try .validated(category: .playback, mode: .default, options: [], policy: .default))
        #expect(machine.received(.unmanagedStreams(areRunning: true)) == [.claim(.playing(true))])
        _ = machine.received(.ioStarted)
        let stopped = machine.received(.ioStopped)
        #expect(stopped.first == .claim(.playing(true)) && stopped.count == 2, "the idle timer runs")
        #expect(!machine.isIORunning)
        let lost = RouteChange(
            reason: .oldDeviceUnavailable, previous: Route(inputs: [], outputs: []),
            current: Route(inputs: [], outputs: []))
        #expect(machine.received(.routeChanged(lost)).contains(.claim(.interrupted)))
        // They ran on through the interruption.
        #expect(machine.activated(implicitly: false).contains(.claim(.playing(true))))
        #expect(machine.received(.unmanagedStreams(areRunning: false)) == [.claim(.playing(false))])
        #expect(!machine.received(.routeChanged(lost)).contains(.claim(.interrupted)))
        _ = machine.received(.unmanagedStreams(areRunning: true))
        #expect(machine.deactivate(notify: false).error == nil, "they are not stopped")
        _ = machine.received(.servicesLost)
        _ = machine.received(.servicesReset)
        #expect(!machine.activated(implicitly: false).contains(.claim(.playing(true))))
    }

    @Test("A player that waits for more of its stream keeps the implicit session alive, as long as it does")
    func implicitSessionIsAwaited() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.received(.ioStarted)
        guard case .startIdleTimer(let number, let seconds)? = machine.received(.ioStopped).last else {
            Issue.record("no timer")
            return
        }
        #expect(
            machine.received(.idleTimerFired(number: number, isAwaited: true))
                == [.startIdleTimer(number: number + 1, seconds: seconds)])
        #expect(machine.state == .active)
        _ = machine.received(.idleTimerFired(number: number + 1))
        #expect(machine.state == .inactive)
    }

    @Test("A player that starts again keeps the implicit session alive")
    func implicitSessionGoesOn() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.received(.ioStarted)
        guard case .startIdleTimer(let number, _)? = machine.received(.ioStopped).last else {
            Issue.record("no timer")
            return
        }
        _ = machine.received(.ioStarted)
        #expect(machine.received(.idleTimerFired(number: number)) == [])
        #expect(machine.state == .active)
    }

    @Test("Whoever joins a session that a player activated has it for as long as after its beginning")
    func joiningBeginsAnew() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.received(.ioStarted)
        let stopped = machine.received(.ioStopped)
        let joined = try machine.joinActivation(implicitly: true)
        guard case .startIdleTimer(let old, _)? = stopped.last,
            case .startIdleTimer(let new, let seconds)? = joined?.last
        else {
            Issue.record("no timer")
            return
        }
        #expect(seconds == SessionMachine.idleSeconds)
        #expect(machine.received(.idleTimerFired(number: old)) == [])
        #expect(machine.state == .active)
        _ = machine.received(.ioStarted)
        #expect(try machine.joinActivation(implicitly: true) == [], "it is not idle")
        #expect(machine.received(.idleTimerFired(number: new)) == [])
        guard case .startIdleTimer(let last, _)? = machine.received(.ioStopped).last else {
            Issue.record("no timer")
            return
        }
        _ = machine.received(.idleTimerFired(number: last))
        #expect(machine.state == .inactive)
    }

    @Test("A session that the app activated stays active without players")
    func explicitSessionStays() throws {
        var machine = try activeMachine(implicitly: true)
        _ = machine.activated(implicitly: false)
        _ = machine.received(.ioStarted)
        #expect(machine.received(.ioStopped) == [.claim(.playing(false))])
    }

    @Test("S45, S46, S48: a lost server: told, dead until the reset, then defaults")
    func serverLost() throws {
        var machine = try activeMachine()
        _ = machine.configure(try .validated(category: .playback, mode: .default, options: [], policy: .default))
        #expect(machine.received(.servicesLost) == [.abandonIO, .post(.servicesLost)])
        #expect(throws: SessionError.self) { _ = try machine.prepareActivation() }
        #expect(machine.received(.servicesReset).first == .post(.servicesReset))
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
        #expect(!machine.configure(mixing).contains(.applyRoles))
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
                case 1: effects = machine.deactivate(notify: .random()).effects
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
