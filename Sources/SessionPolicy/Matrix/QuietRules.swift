/// The silent switch and the screen lock, which silence sessions of category ambient and soloAmbient.
///
/// | system | silent |
/// |---|---|
/// | with a feedback profile, as on phones | the profile is `silent` |
/// | any other | the user's switch (`audiosession silent on`) |
///
/// The screen is locked if any source reports it. The players of a silenced session continue: `isPlaying` stays true,
/// the position advances, and a player may end meanwhile.
///
/// Apple: what the categories `ambient` and `soloAmbient` promise.
package struct QuietFacts: Hashable, Sendable {
    /// The names of the sources that report a locked screen.
    package var lockedBy: Set<String> = []
    /// The device's feedback profile; `nil` if the system has none.
    package var profile: String?
    /// Whether the user's own switch is on.
    package var isSwitchOn = false
    /// The clients that simulate quiet for this process.
    package var simulatedBy: Set<UInt32> = []

    /// Creates the facts of an unknown system, which silence no session.
    package init() {}

    /// Whether the device is silent.
    package var isSilent: Bool { profile.map { $0 == "silent" } ?? isSwitchOn }

    /// Whether a session is silenced.
    package func silences(_ settings: SessionSettings) -> Bool {
        settings.silencedByLock && (!lockedBy.isEmpty || isSilent || !simulatedBy.isEmpty)
    }
}
