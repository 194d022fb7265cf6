/// Whether sessions that keep quiet with the silent switch and the locked screen are to keep quiet now.
///
/// | where | silent |
/// |---|---|
/// | somebody manages a feedback profile, as on telephones | the profile is `silent` |
/// | elsewhere | the user's switch (`audiosession silent on`) |
///
/// The screen is locked if anybody says so. The players of such a session go on in silence: `isPlaying` stays true,
/// time passes, and what ends meanwhile has ended.
///
/// Apple: what the categories `ambient` and `soloAmbient` promise.
package struct QuietFacts: Hashable, Sendable {
    /// Those who say that the screen is locked, by any names.
    package var lockedBy: Set<String> = []
    /// The device's feedback profile; `nil` where nobody manages one.
    package var profile: String?
    /// Whether the user's own switch is on.
    package var isSwitchOn = false
    /// Those who pretend that it is quiet, for a test of this one process.
    package var simulatedBy: Set<UInt32> = []

    /// Nothing is known, and so nobody has to be quiet.
    package init() {}

    /// Whether the device is silent.
    package var isSilent: Bool { profile.map { $0 == "silent" } ?? isSwitchOn }

    /// Whether a session is not to be heard.
    package func silences(_ settings: SessionSettings) -> Bool {
        settings.silencedByLock && (!lockedBy.isEmpty || isSilent || !simulatedBy.isEmpty)
    }
}
