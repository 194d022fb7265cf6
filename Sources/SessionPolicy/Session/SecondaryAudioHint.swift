/// The queries of a session about other sessions' sound; the caller adds programs outside the library.
///
/// | another active session that plays | other audio plays | secondary audio should be silent |
/// |---|---|---|
/// | not mixable | yes | yes |
/// | mixable | yes | no |
/// | none, or only in the session's own process | no | no |
extension Arbitration {
    /// Whether the sound of any other session is heard.
    ///
    /// Apple: `AVAudioSession.isOtherAudioPlaying`.
    package func isOtherAudioPlaying(for id: UInt32) -> Bool { isHeard(beside: id) { _ in true } }

    /// Whether another session's main sound is heard, so that secondary audio should be silent.
    ///
    /// Apple: `AVAudioSession.secondaryAudioShouldBeSilencedHint`.
    package func secondaryAudioShouldBeSilenced(for id: UInt32) -> Bool {
        isHeard(beside: id) { !$0.claim.isMixable }
    }

    /// Whether this session's device preferences yield to another's: it mixes, and one that does not mix is heard.
    package func yieldsDevices(_ id: UInt32) -> Bool {
        secondaryAudioShouldBeSilenced(for: id) && participants.contains { $0.id == id && $0.claim.isMixable }
    }

    /// The new value of the hint if the app is to be notified: it changed while the session is and was active.
    ///
    /// Apple: `AVAudioSession.silenceSecondaryAudioHintNotification`.
    package func secondaryAudioHintChange(for id: UInt32, since old: Arbitration) -> Bool? {
        guard verdict(on: id).standing == .active, old.verdict(on: id).standing == .active else { return nil }
        let hint = secondaryAudioShouldBeSilenced(for: id)
        return hint == old.secondaryAudioShouldBeSilenced(for: id) ? nil : hint
    }

    private func isHeard(beside id: UInt32, _ condition: (Participant) -> Bool) -> Bool {
        let own = participant(id)?.claim
        return zip(participants, verdicts).contains { participant, verdict in
            participant.claim.isPlaying && verdict.isInEffect(for: participant) && participant.id != id
                && own.map { participant.claim.isOfSameProcess(as: $0) } != true && condition(participant)
        }
    }
}

/// The playback streams of programs outside the library that count as main sound; these have no category or options.
///
/// | a playback stream that is neither a session's, nor corked, nor muted | main sound |
/// |---|---|
/// | role music, video, phone or alarm | yes |
/// | role game, event, a11y, production, animation, test | no |
/// | no role (browsers, `paplay`) | no: it may be anything, and a game must not lose its music to every ping |
extension ServerStream {
    /// Whether the stream is a program's main sound.
    package var isMainSound: Bool {
        guard direction == .playback, kind == .program, !isCorked, !isMuted else { return false }
        return ["music", "video", "phone", "alarm"].contains(role)
    }
}
