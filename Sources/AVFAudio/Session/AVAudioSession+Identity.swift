internal import AudioHost
internal import Foundation
internal import SessionPolicy

extension AVAudioSession {
    /// Sets the program's identifier, name and icon, as mixers, desktops and other sessions show them.
    ///
    /// For programs that do not bear their own name: scripts of an interpreter, modules of a host. Call it before
    /// `sharedInstance()`: the choice holds for the whole process, from the first connection to the sound server on.
    /// Without it the executable's name is used, or the identifier of the Flatpak. The user's environment has
    /// precedence: `PULSE_PROP_application.id`, `PULSE_PROP_application.name`, `PULSE_PROP_application.icon_name`.
    ///
    /// Any thread; returns at once. Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a text that is
    /// empty, has control characters or is longer than 200 bytes of UTF-8, and `isBusy` once the identity was used.
    ///
    /// - Parameters:
    ///   - identifier: The identifier, as in the name of the desktop file: `org.example.Player`. Servers remember the
    ///     program's volumes by it.
    ///   - name: The name that people read; nil for the executable's name.
    ///   - iconName: The name of an icon in the desktop's theme; nil for the identifier.
    ///
    /// Linux only; PulseAudio: `application.id`, `application.name` and `application.icon_name` of clients and streams.
    public static func setApplicationIdentity(
        _ identifier: String, name: String? = nil, iconName: String? = nil
    ) throws {
        do throws(SessionError) {
            try AppIdentity.choose(id: identifier, name: name, icon: iconName)
        } catch {
            throw NSError(error)
        }
    }
}
