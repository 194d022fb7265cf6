/// The role of a stream, by which the sound server's own policies treat it.
///
/// PulseAudio: the values of `media.role`.
package enum StreamRole: String, CaseIterable, Sendable {
    /// Sound of a game, or sound that may be missed.
    case game
    /// Music and speech.
    case music
    /// Sound of moving pictures.
    case video
    /// Prompts and screen readers, which default policies never silence.
    case a11y
    /// Calls, which default policies let silence others.
    case phone
    /// Recording, measuring, music making.
    case production
    /// Short system sounds.
    case event
}
