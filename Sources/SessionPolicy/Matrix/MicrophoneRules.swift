/// The microphone permission of this app, from the permission store, the user's answer and the settings.
///
/// | permission store | the user's answer to this process | settings | a portal can ask | permission |
/// |---|---|---|---|---|
/// | yes, no | | | | granted, denied |
/// | ask | yes, no | | | granted, denied |
/// | ask | | | yes | undetermined |
/// | ask | | | no | denied: a user who cannot be asked has not agreed |
/// | nothing | yes, no | | | granted, denied |
/// | nothing | | allow, deny | | granted, denied |
/// | nothing | | nothing | yes | undetermined |
/// | nothing | | nothing | no | granted: such a system restricts no program |
/// | has not answered | yes, no | | | granted, denied |
/// | has not answered | | | | not known, which is silence |
///
/// Apple: `AVAudioApplication.recordPermission`.
package struct MicrophoneFacts: Hashable, Sendable {
    /// An entry of the desktop's permission store.
    package enum Stored: Hashable, Sendable { case nothing, yes, no, ask }

    /// The permission that follows.
    package enum Permission: Hashable, Sendable { case undetermined, denied, granted }

    /// The app's entry in the desktop's permission store; `nil` before it has answered.
    package var stored: Stored?
    /// Whether a portal may be there that can ask the user; `nil` before that is known.
    package var canAsk: Bool?
    /// The user's answer to this process, if the store did not keep it.
    package var answer: Bool?
    /// The answer in the user's settings.
    package var setting: Bool?

    /// The rules when only the settings are known.
    package init(setting: Bool? = nil) { self.setting = setting }

    /// The permission; `nil` before enough is known.
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
