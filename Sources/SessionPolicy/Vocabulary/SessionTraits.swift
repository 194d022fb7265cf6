extension SessionSettings {
    /// Whether the session mixes with others: ambient always, others by option.
    package var isMixable: Bool { category == .ambient || options.contains(.mixWithOthers) }

    /// Whether the session is a call, which interrupts all others.
    package var isCall: Bool { category == .playAndRecord && mode.isConversation && !isMixable }

    /// Whether the session may capture sound.
    package var allowsInput: Bool { category.allowsInput }

    /// Whether the session may be heard.
    package var allowsOutput: Bool { category.allowsOutput }

    /// Whether the silent switch and the screen lock silence the session.
    package var silencedByLock: Bool { category.silencedByLock }

    /// Whether others are ducked while the session is active.
    package var ducksOthers: Bool { options.contains(.duckOthers) }

    /// Whether sessions in mode spokenAudio are interrupted while this one is active.
    package var interruptsSpokenAudio: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }

    /// Whether the session's sound, both ways, is to go through the server's echo canceller.
    package var wantsEchoCancellation: Bool { mode.isConversation }
}
