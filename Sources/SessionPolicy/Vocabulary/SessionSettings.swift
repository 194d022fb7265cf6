/// The settings of a session: category, mode, options and policy, in a legal combination.
///
/// Only `validated` and the two setters create one, so a value needs no further check.
///
/// Apple: the arguments of `AVAudioSession.setCategory(_:mode:policy:options:)`.
package struct SessionSettings: Equatable, Sendable {
    /// The purpose of the session's sound.
    package let category: Category
    /// The variant of the category.
    package let mode: Mode
    /// Whether the route is shared with other long programmes.
    package let policy: RouteSharingPolicy

    /// The options requested by the app, with those they imply but without the mode's; kept when the mode changes.
    private let requestedOptions: CategoryOptions

    /// The options in force, with those that other options and the mode imply.
    ///
    /// `duckOthers` alone reads 0x3; voiceChat adds `allowBluetoothHFP`.
    ///
    /// Apple: `AVAudioSession.categoryOptions`.
    package var options: CategoryOptions { requestedOptions.union(mode.impliedOptions) }

    /// The settings of a new session: soloAmbient, mode default, no options, policy default.
    package static let `default` = SessionSettings(
        category: .soloAmbient, mode: .default, policy: .default, requestedOptions: [])

    /// The requested settings, or `badParam` with the rule that they break.
    ///
    /// Implied options are set, not required.
    ///
    /// Apple: `AVAudioSession.setCategory(_:mode:policy:options:)`.
    package static func validated(
        category: Category,
        mode: Mode = .default,
        options: CategoryOptions = [],
        policy: RouteSharingPolicy = .default
    ) throws(SessionError) -> SessionSettings {
        guard mode.isAllowed(in: category) else {
            throw SessionError(.badParam, "The mode \(mode.name) is not allowed with category \(category.name).")
        }
        try options.check(in: category, mode: mode)
        try policy.check(category: category, mode: mode, options: options)
        return SessionSettings(
            category: category, mode: mode, policy: policy, requestedOptions: options.withImpliedOptions)
    }

    /// The same settings in another mode, or `badParam` if category or policy do not allow it.
    ///
    /// Options requested by the app stay if the new mode allows them; those implied by the old mode are dropped.
    ///
    /// Apple: `AVAudioSession.setMode(_:)`.
    package func settingMode(_ mode: Mode) throws(SessionError) -> SessionSettings {
        try .validated(
            category: category,
            mode: mode,
            options: requestedOptions.intersection(.allowed(in: category, mode: mode)),
            policy: policy)
    }

    /// Another category with exactly these options; the mode stays if that is legal, and is default otherwise.
    ///
    /// The policy is reset to default. Throws `badParam` if category and options do not go together.
    ///
    /// Apple: `AVAudioSession.setCategory(_:options:)`.
    package func settingCategory(
        _ category: Category, options: CategoryOptions = []
    ) throws(SessionError) -> SessionSettings {
        do {
            return try .validated(category: category, mode: mode, options: options)
        } catch {
            return try .validated(category: category, options: options)
        }
    }
}
