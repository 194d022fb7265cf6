import SessionPolicy
import TestSupport
import Testing

@Suite("Who may listen, and who keeps quiet", .limited)
struct PermissionRuleTests {
    @Test("The table of permissions: what the store says comes first, then the user's answer, then the settings")
    func permissions() {
        for stored in [MicrophoneFacts.Stored.nothing, .yes, .no, .ask] {
            for answer in [nil, true, false] {
                for setting in [nil, true, false] {
                    for canAsk in [true, false] {
                        var facts = MicrophoneFacts(setting: setting)
                        (facts.stored, facts.answer, facts.canAsk) = (stored, answer, canAsk)
                        let expected: MicrophoneFacts.Permission =
                            switch (stored, answer, setting, canAsk) {
                            case (.yes, _, _, _), (.ask, true?, _, _), (.nothing, true?, _, _): .granted
                            case (.no, _, _, _), (.ask, false?, _, _), (.nothing, false?, _, _): .denied
                            case (.ask, nil, _, true): .undetermined
                            case (.ask, nil, _, false): .denied
                            case (.nothing, nil, true?, _): .granted
                            case (.nothing, nil, false?, _): .denied
                            case (.nothing, nil, nil, true): .undetermined
                            case (.nothing, nil, nil, false): .granted
                            }
                        #expect(facts.permission == expected, "\(facts)")
                    }
                }
            }
        }
    }

    @Test("Nothing is decided before the store has answered, nor before it is known whether anybody can ask")
    func unknown() {
        var facts = MicrophoneFacts(setting: true)
        #expect(facts.permission == nil)
        facts.canAsk = false
        #expect(facts.permission == nil)
        // The user's own word needs no store.
        facts.answer = true
        #expect(facts.permission == .granted)
        facts = MicrophoneFacts()
        facts.canAsk = nil
        facts.stored = .nothing
        #expect(facts.permission == nil)
        facts.stored = .no
        #expect(facts.permission == .denied)
    }

    @Test("S86: only ambient and soloAmbient keep quiet; a profile counts for more than the switch")
    func quiet() throws {
        let silenced = try Category.allCases.filter { category in
            var facts = QuietFacts()
            facts.lockedBy = ["login"]
            return facts.silences(try .validated(category: category))
        }
        #expect(silenced == [.ambient, .soloAmbient])
        var facts = QuietFacts()
        #expect(!facts.silences(.default))
        facts.isSwitchOn = true
        #expect(facts.silences(.default))
        facts.profile = "quiet"
        #expect(!facts.silences(.default), "a telephone that is quiet does not ring, and plays")
        facts.profile = "silent"
        #expect(facts.silences(.default))
        facts = QuietFacts()
        facts.simulatedBy = [7]
        #expect(facts.silences(.default))
    }

    @Test("S85: a muted input is told while the session is active and has an input, and else at its activation")
    func inputMute() throws {
        let recording = try SessionSettings.validated(category: .record)
        var machine = SessionMachine()
        _ = machine.configure(recording)
        #expect(machine.setInputMuted(true) == [.muteInput(true)])
        #expect(machine.setInputMuted(true) == [])
        #expect(machine.activated(implicitly: false).contains(.post(.inputMuted(true))))
        #expect(machine.setInputMuted(false) == [.muteInput(false), .post(.inputMuted(false))])
        _ = machine.configure(try .validated(category: .playback))
        #expect(machine.setInputMuted(true) == [.muteInput(true)])
        #expect(machine.configure(recording).contains(.post(.inputMuted(true))))
        // What was undone before anybody was told is no news.
        _ = machine.deactivate(notify: false)
        _ = machine.setInputMuted(false)
        _ = machine.setInputMuted(true)
        #expect(!machine.activated(implicitly: false).contains(.post(.inputMuted(true))))
        #expect(machine.isInputMuted)
    }
}
