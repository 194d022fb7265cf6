package import AVFAudio
package import ArgumentParser
import Foundation

/// The options for the audio session, spelled as in Swift; the default category is the program's.
package struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Session category.", valueName: "category"))
    package var category: CategoryWord?

    @Option(help: ArgumentHelp("Session mode.", valueName: "mode"))
    package var mode: ModeWord = .default

    @Option(name: .customLong("option"), help: ArgumentHelp("Category option; may be repeated.", valueName: "option"))
    package var options: [OptionWord] = []

    /// For ArgumentParser.
    package init() {}

    /// The parsed values.
    package var choice: SessionChoice { SessionChoice(category: category, mode: mode, options: options) }
}

/// The values of ``SessionOptions``, without the parser; by default no particular choice.
package struct SessionChoice: Sendable {
    /// The category; nil for the program's default.
    package let category: CategoryWord?
    /// The mode.
    package let mode: ModeWord
    /// The category's options.
    package let options: [OptionWord]

    /// Creates a choice.
    package init(category: CategoryWord? = nil, mode: ModeWord = .default, options: [OptionWord] = []) {
        self.category = category
        self.mode = mode
        self.options = options
    }

    /// The chosen category, or `fallback`, the program's default.
    package func category(default fallback: CategoryWord) -> CategoryWord { category ?? fallback }

    /// Sets the session's category, mode and options, without activating it.
    ///
    /// Throws the errors of `AVAudioSession.setCategory(_:mode:options:)`: −50 for a combination that Apple forbids.
    package func configure(_ session: AVAudioSession, default fallback: CategoryWord) throws {
        let all = options.reduce(into: AVAudioSession.CategoryOptions()) { $0.formUnion($1.option) }
        try session.setCategory(category(default: fallback).category, mode: mode.mode, options: all)
    }
}

/// The categories by their Swift names.
package enum CategoryWord: String, CaseIterable, ExpressibleByArgument, Sendable {
    case ambient, soloAmbient, playback, record, playAndRecord, multiRoute

    /// Apple's value of the same name.
    package var category: AVAudioSession.Category {
        switch self {
        case .ambient: .ambient
        case .soloAmbient: .soloAmbient
        case .playback: .playback
        case .record: .record
        case .playAndRecord: .playAndRecord
        case .multiRoute: .multiRoute
        }
    }
}

/// The modes by their Swift names.
package enum ModeWord: String, CaseIterable, ExpressibleByArgument, Sendable {
    case `default`, voiceChat, gameChat, videoRecording, measurement, moviePlayback, videoChat, spokenAudio, voicePrompt
    case shortFormVideo

    /// Apple's value of the same name.
    package var mode: AVAudioSession.Mode {
        switch self {
        case .default: .default
        case .voiceChat: .voiceChat
        case .gameChat: .gameChat
        case .videoRecording: .videoRecording
        case .measurement: .measurement
        case .moviePlayback: .moviePlayback
        case .videoChat: .videoChat
        case .spokenAudio: .spokenAudio
        case .voicePrompt: .voicePrompt
        case .shortFormVideo: .shortFormVideo
        }
    }
}

/// The category options by their Swift names.
package enum OptionWord: String, CaseIterable, ExpressibleByArgument, Sendable {
    case mixWithOthers, duckOthers, interruptSpokenAudioAndMixWithOthers
    case allowBluetoothHFP, allowBluetoothA2DP, allowAirPlay, defaultToSpeaker
    case overrideMutedMicrophoneInterruption

    /// Apple's value of the same name.
    package var option: AVAudioSession.CategoryOptions {
        switch self {
        case .mixWithOthers: .mixWithOthers
        case .duckOthers: .duckOthers
        case .interruptSpokenAudioAndMixWithOthers: .interruptSpokenAudioAndMixWithOthers
        case .allowBluetoothHFP: .allowBluetoothHFP
        case .allowBluetoothA2DP: .allowBluetoothA2DP
        case .allowAirPlay: .allowAirPlay
        case .defaultToSpeaker: .defaultToSpeaker
        case .overrideMutedMicrophoneInterruption: .overrideMutedMicrophoneInterruption
        }
    }
}
