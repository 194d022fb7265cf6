/// What a session may know of the sound of others, as far as they take part; other programs are the caller's to add.
///
/// | somebody else is active, and plays | other audio plays | secondary audio should be silent |
/// |---|---|---|
/// | not mixable | yes | yes |
/// | mixable | yes | no |
/// | nobody | no | no |
extension Arbitration {
    /// Whether the sound of any other session is heard.
    ///
    /// Apple: `AVAudioSession.isOtherAudioPlaying`.
    package func isOtherAudioPlaying(for id: UInt32) -> Bool { isHeard { $0.id != id } }

    /// Whether another session's main sound is heard, so that sound that only decorates should be left out.
    ///
    /// Apple: `AVAudioSession.secondaryAudioShouldBeSilencedHint`.
    package func secondaryAudioShouldBeSilenced(for id: UInt32) -> Bool {
        isHeard { $0.id != id && !$0.claim.isMixable }
    }

    /// Whether what others wish of the devices counts, and what this session wishes does not: it mixes with one that does
    /// not, and is heard.
    package func yieldsDevices(_ id: UInt32) -> Bool {
        secondaryAudioShouldBeSilenced(for: id) && participants.contains { $0.id == id && $0.claim.isMixable }
    }

    /// The new value of the hint if the session is to be told of it: it has changed, and the session is active and was.
    ///
    /// Apple: `AVAudioSession.silenceSecondaryAudioHintNotification`.
    package func secondaryAudioHintChange(for id: UInt32, since old: Arbitration) -> Bool? {
        guard verdict(on: id).standing == .active, old.verdict(on: id).standing == .active else { return nil }
        let hint = secondaryAudioShouldBeSilenced(for: id)
        return hint == old.secondaryAudioShouldBeSilenced(for: id) ? nil : hint
    }

    private func isHeard(_ condition: (Participant) -> Bool) -> Bool {
        zip(participants, verdicts).contains { participant, verdict in
            participant.claim.isPlaying && verdict.isInEffect(for: participant) && condition(participant)
        }
    }
}

/// What of a program outside the library counts as its main sound: it says neither category nor options.
///
/// | a playback stream that is nobody's, is not paused and not muted | main sound |
/// |---|---|
/// | role music, video, phone or alarm | yes: people listen to it |
/// | role game, event, a11y, production, animation, test | no |
/// | no role (browsers, `paplay`) | no: nobody knows, and a game must not lose its music to every ping |
extension ServerStream {
    /// Whether the stream is somebody's main sound.
    package var isMainSound: Bool {
        guard direction == .playback, kind == .program, !isCorked, !isMuted else { return false }
        return ["music", "video", "phone", "alarm"].contains(role)
    }
}
