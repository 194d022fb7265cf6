import SessionPolicy
import SoundAnalysis

extension SeededGenerator {
    /// True once in so many times.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

extension SessionSettings {
    static func of(_ category: SessionPolicy.Category, _ mode: Mode = .default, _ options: CategoryOptions = [])
        -> SessionSettings
    {
        try! .validated(category: category, mode: mode, options: options)
    }

    static let music = of(.playback)
    static let podcast = of(.playback, .spokenAudio)
    static let prompt = of(.playback, .voicePrompt, [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
    static let game = of(.ambient)
    static let call = of(.playAndRecord, .voiceChat)
    static let recording = of(.record)

    /// What users run, all rules touched, calls and prompts more often than in life.
    static let typical: [SessionSettings] = [
        music, podcast, prompt, game, call, recording, music, podcast, call,
        .default,
        of(.playback, .default, .mixWithOthers),
        of(.playback, .spokenAudio, .mixWithOthers),
        of(.playback, .spokenAudio, [.duckOthers, .interruptSpokenAudioAndMixWithOthers]),
        of(.playback, .default, .duckOthers),
        of(.ambient, .default, .duckOthers),
        of(.playAndRecord),
        of(.playAndRecord, .videoChat),
        of(.playAndRecord, .voiceChat, .mixWithOthers),
        of(.playAndRecord, .default, .interruptSpokenAudioAndMixWithOthers),
        of(.multiRoute),
    ]

    /// What leaves the order of activations alone, and what quarrels about the microphone.
    static let withoutCalls = typical.filter { !$0.isCall }
    static let manyCalls = typical.filter { $0.isCall || $0.allowsInput } + [music, music]

    /// Every legal combination of category, mode and a subset of four telling options.
    static let all: [SessionSettings] = {
        let telling: [CategoryOptions] = [
            .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .allowBluetoothHFP,
        ]
        return SessionPolicy.Category.allCases.flatMap { category in
            category.allowedModes.flatMap { mode in
                (0..<16).compactMap { bits in
                    let chosen = telling.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
                    return try? SessionSettings.validated(
                        category: category, mode: mode, options: CategoryOptions(chosen))
                }
            }
        }
    }()
}

extension Participant {
    /// Somebody with settings, a ticket, and an index that is the ticket if none is given.
    init(
        _ settings: SessionSettings, seq: UInt64, id: UInt32? = nil, state: Claim.State = .active,
        isPlaying: Bool = true, isStopped: Bool = false
    ) {
        self.init(
            id: id ?? UInt32(seq),
            claim: Claim(seq: seq, uid: 7, state: state, settings: settings, isPlaying: isPlaying),
            isStopped: isStopped)
    }

    /// Somebody at random, with few tickets and random bits so that ties are frequent.
    ///
    /// - Parameter processes: The number of processes that the session may be of; 0 if no claim names one.
    static func random(id: UInt32, processes: Int32 = 0, using random: inout SeededGenerator) -> Participant {
        let states: [Claim.State] = [.idle, .active, .active, .interrupted]
        let state = states.randomElement(using: &random)!
        let claim = Claim(
            seq: .random(in: 0..<12, using: &random), uid: .random(in: 0..<4, using: &random), state: state,
            settings: SessionSettings.typical.randomElement(using: &random)!, isPlaying: .random(using: &random),
            canDuck: .random(using: &random), host: "here",
            pid: processes > 0 ? .random(in: 0...processes, using: &random) : 0, notify: .random(using: &random))
        return Participant(id: id, claim: claim, isStopped: random.oneIn(8))
    }
}
