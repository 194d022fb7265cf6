/// The type of a session in the web's Audio Session API, in the settings of this library.
///
/// | type | category | options |
/// |---|---|---|
/// | auto | that of a new session | – |
/// | ambient | ambient | – |
/// | playback | playback | – |
/// | transient | playback | duckOthers |
/// | transient-solo | playback | – |
/// | play-and-record | playAndRecord | – |
///
/// A short sound that interrupts others differs from playback in its end only: others are notified. W3C:
/// `AudioSessionType`.
package enum WebSessionType: String, CaseIterable, Sendable {
    /// The choice is the library's.
    case auto
    /// Sound that others may cover.
    case ambient
    /// Music, or a film.
    case playback
    /// A short sound over others, which are ducked.
    case transient
    /// A short sound that interrupts others.
    case transientSolo = "transient-solo"
    /// Recording and playing, such as a call.
    case playAndRecord = "play-and-record"

    /// Returns the settings of the type, in mode default; throws what `SessionSettings.validated` does, which is nothing
    /// by the table.
    package func settings() throws(SessionError) -> SessionSettings {
        switch self {
        case .auto: .default
        case .ambient: try .validated(category: .ambient)
        case .playback, .transientSolo: try .validated(category: .playback)
        case .transient: try .validated(category: .playback, options: .duckOthers)
        case .playAndRecord: try .validated(category: .playAndRecord)
        }
    }
}
