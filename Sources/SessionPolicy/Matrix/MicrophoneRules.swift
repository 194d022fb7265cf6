/// Whether this app may listen, by everything that is known of it.
///
/// | the store says | the user answered this process | the settings say | somebody can ask | permission |
/// |---|---|---|---|---|
/// | yes, no | | | | granted, denied |
/// | ask | yes, no | | | granted, denied |
/// | ask | | | yes | undetermined |
/// | ask | | | no | denied: who is to be asked, and cannot be, has not agreed |
/// | nothing | yes, no | | | granted, denied |
/// | nothing | | allow, deny | | granted, denied |
/// | nothing | | nothing | yes | undetermined |
/// | nothing | | nothing | no | granted: nothing on such a system keeps anybody from listening |
/// | has not answered | yes, no | | | granted, denied |
/// | has not answered | | | | not known, which is silence |
///
/// Apple: `AVAudioApplication.recordPermission`.
package struct MicrophoneFacts: Hashable, Sendable {
    /// What the desktop's permission store says of an app.
    package enum Stored: Hashable, Sendable { case nothing, yes, no, ask }

    /// What follows.
    package enum Permission: Hashable, Sendable { case undetermined, denied, granted }

    /// What the desktop's permission store says; `nil` before it has answered.
    package var stored: Stored?
    /// Whether there may be somebody who can ask the user; `nil` before that is known.
    package var canAsk: Bool?
    /// What the user answered this process, if the store did not take it.
    package var answer: Bool?
    /// What the user's settings say of the app.
    package var setting: Bool?

    /// Nothing is known but the settings.
    package init(setting: Bool? = nil) { self.setting = setting }

    /// Whether the app may listen; `nil` before enough is known.
    package var permission: Permission? {
        guard let stored else { return decided(answer) }
        switch stored {
        case .yes: return .granted
        case .no: return .denied
        case .ask: return decided(answer) ?? canAsk.map { $0 ? .undetermined : .denied }
        case .nothing: return decided(answer ?? setting) ?? canAsk.map { $0 ? .undetermined : .granted }
        }
    }

    private func decided(_ isAllowed: Bool?) -> Permission? { isAllowed.map { $0 ? .granted : .denied } }
}
