import SessionPolicy
import TestSupport
import Testing

/// What settings mean to others and to the sound server.
@Suite("Traits of settings", .limited)
struct SessionTraitsTests {
    private static let roleTable: [(SessionPolicy.Category, Mode, UInt, StreamRole?, StreamRole?)] = [
        (.ambient, .default, 0, .game, nil),
        (.ambient, .voicePrompt, 0, .game, nil),
        (.soloAmbient, .default, 0, .game, nil),
        (.playback, .default, 0, .music, nil),
        (.playback, .spokenAudio, 1, .music, nil),
        (.playback, .moviePlayback, 0, .video, nil),
        (.playback, .shortFormVideo, 0, .video, nil),
        (.playback, .voicePrompt, 0x13, .a11y, nil),
        (.playback, .measurement, 0, .production, nil),
        (.playAndRecord, .voiceChat, 0, .phone, .phone),
        (.playAndRecord, .videoChat, 0, .phone, .phone),
        (.playAndRecord, .voiceChat, 1, .game, .phone),
        (.playAndRecord, .gameChat, 0, .game, .production),
        (.playAndRecord, .default, 1, .game, .production),
        (.playAndRecord, .default, 0, .production, .production),
        (.record, .default, 0, .production, .production),
        (.multiRoute, .default, 0, .production, .production),
        (.audioProcessing, .default, 0, nil, nil),
    ]

    @Test("Ambient always mixes; playback, playAndRecord and multiRoute by option; others never (S16, S17)")
    func mixable() throws {
        for category in SessionPolicy.Category.allCases {
            #expect(try SessionSettings.validated(category: category).isMixable == (category == .ambient))
        }
        for category in [SessionPolicy.Category.playback, .playAndRecord, .multiRoute] {
            for option in [CategoryOptions.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers] {
                #expect(try SessionSettings.validated(category: category, options: option).isMixable)
            }
        }
    }

    @Test("A call is a conversation that does not mix (S21)")
    func calls() throws {
        for mode in SessionPolicy.Category.playAndRecord.allowedModes {
            let settings = try SessionSettings.validated(category: .playAndRecord, mode: mode)
            #expect(settings.isCall == (mode == .voiceChat || mode == .videoChat))
            #expect(settings.wantsEchoCancellation == (mode == .voiceChat || mode == .videoChat))
            let mixed = try SessionSettings.validated(category: .playAndRecord, mode: mode, options: .duckOthers)
            #expect(!mixed.isCall)
        }
    }

    @Test("Ducking and interrupting speech are asked for one by one (S18, S19)")
    func manners() throws {
        let mix = try SessionSettings.validated(category: .playback, options: .mixWithOthers)
        #expect(!mix.ducksOthers && !mix.interruptsSpokenAudio)
        let duck = try SessionSettings.validated(category: .playback, options: .duckOthers)
        #expect(duck.ducksOthers && !duck.interruptsSpokenAudio)
        let prompt = try SessionSettings.validated(
            category: .playback, options: .interruptSpokenAudioAndMixWithOthers)
        #expect(!prompt.ducksOthers && prompt.interruptsSpokenAudio)
    }

    @Test(
        "Input, output and silence by the lock follow the category (2.1)",
        arguments: [
            (SessionPolicy.Category.ambient, false, true, true), (.soloAmbient, false, true, true),
            (.playback, false, true, false), (.record, true, false, false), (.playAndRecord, true, true, false),
            (.multiRoute, true, true, false), (.audioProcessing, false, false, false),
        ])
    func directions(category: SessionPolicy.Category, input: Bool, output: Bool, locked: Bool) throws {
        let settings = try SessionSettings.validated(category: category)
        #expect(settings.allowsInput == input)
        #expect(settings.allowsOutput == output)
        #expect(settings.silencedByLock == locked)
    }

    @Test("Roles of the streams", arguments: roleTable)
    func roles(
        category: SessionPolicy.Category, mode: Mode, options: UInt, role: StreamRole?, captureRole: StreamRole?
    ) throws {
        let settings = try SessionSettings.validated(
            category: category, mode: mode, options: CategoryOptions(rawValue: options))
        #expect(settings.role == role)
        #expect(settings.captureRole == captureRole)
    }

    @Test(
        "Error codes are the four characters that they stand for",
        arguments: [
            (SessionError.Code.mediaServicesFailed, "msrv"), (.isBusy, "!act"), (.incompatibleCategory, "!cat"),
            (.cannotInterruptOthers, "!int"), (.missingEntitlement, "ent?"), (.siriIsRecording, "siri"),
            (.cannotStartPlaying, "!pla"), (.cannotStartRecording, "!rec"), (.insufficientPriority, "!pri"),
            (.resourceNotAvailable, "!res"), (.unspecified, "what"), (.expiredSession, "!ses"),
            (.sessionNotActive, "inac"),
        ])
    func codes(code: SessionError.Code, text: String) {
        #expect(code.rawValue == text.utf8.reduce(0) { $0 << 8 | Int($1) })
    }

    @Test("Raw strings are the names with a prefix")
    func rawStrings() {
        for category in SessionPolicy.Category.allCases {
            let name = category.name
            #expect(category.rawValue == "AVAudioSessionCategory" + name.prefix(1).uppercased() + name.dropFirst())
        }
        for mode in Mode.allCases {
            #expect(mode.rawValue == "AVAudioSessionMode" + mode.name.prefix(1).uppercased() + mode.name.dropFirst())
        }
        #expect(Mode.allCases.count == 11)
    }
}
