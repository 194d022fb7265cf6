/// Whether a session shares its route with the other long programmes of the machine.
///
/// Apple: `AVAudioSession.RouteSharingPolicy`, with the same raw values.
package enum RouteSharingPolicy: UInt, CaseIterable, Sendable {
    /// The route follows the system's usual rules.
    case `default` = 0
    /// Music, podcasts and audiobooks go to the route that the user chose for them.
    case longFormAudio = 1
    /// The system's own choice in a route picker; no app may ask for it.
    case independent = 2
    /// Films and series go to the route that the user chose for them.
    case longFormVideo = 3

    /// Whether the policy is one of the two for long programmes.
    package var isLongForm: Bool { self == .longFormAudio || self == .longFormVideo }
}
