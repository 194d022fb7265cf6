extension CategoryOptions {
    /// The options allowed in a category and mode, before the options' rules for each other.
    ///
    /// | option | ambient | playback | record | playAndRecord | multiRoute |
    /// |---|---|---|---|---|---|
    /// | mixWithOthers, duckOthers | yes | yes | – | yes | mode default |
    /// | interruptSpokenAudioAndMixWithOthers | – | yes | – | yes | mode default |
    /// | allowBluetoothHFP | – | – | yes | yes | mode dualRoute |
    /// | farFieldInput | – | – | yes | yes | mode dualRoute |
    /// | defaultToSpeaker, allowBluetoothA2DP, allowAirPlay | – | – | – | yes | – |
    /// | overrideMutedMicrophoneInterruption | – | – | yes | yes | yes |
    /// | bluetoothHighQualityRecording | – | – | – | mode default | mode default |
    ///
    /// soloAmbient and audioProcessing allow none.
    ///
    /// Apple: the remarks at the members of `AVAudioSession.CategoryOptions`.
    package static func allowed(in category: Category, mode: Mode) -> CategoryOptions {
        switch category {
        case .soloAmbient, .audioProcessing: return []
        case .ambient: return [.mixWithOthers, .duckOthers]
        case .playback: return mixing
        case .record: return microphone
        case .playAndRecord:
            let routes: CategoryOptions = [.defaultToSpeaker, .allowBluetoothA2DP, .allowAirPlay]
            let options = mixing.union(microphone).union(routes)
            return mode == .default ? options.union(.bluetoothHighQualityRecording) : options
        case .multiRoute:
            switch mode {
            case .default:
                return mixing.union([.overrideMutedMicrophoneInterruption, .bluetoothHighQualityRecording])
            case .dualRoute: return microphone
            default: return .overrideMutedMicrophoneInterruption
            }
        }
    }

    private static let mixing: CategoryOptions = [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
    private static let microphone: CategoryOptions = [
        .allowBluetoothHFP, .farFieldInput, .overrideMutedMicrophoneInterruption,
    ]

    /// Throws `badParam` with the first rule that this set breaks in a category and mode.
    func check(in category: Category, mode: Mode) throws(SessionError) {
        let unknown = subtracting(.known)
        guard unknown.isEmpty else {
            throw SessionError(.badParam, "0x\(String(unknown.rawValue, radix: 16)) is no category option.")
        }
        let refused = subtracting(.allowed(in: category, mode: mode))
        if let name = refused.firstName {
            throw SessionError(
                .badParam,
                "The option \(name) is not allowed with category \(category.name)"
                    + (refused.isSubset(of: .allowed(in: category, mode: .default)) ? " in mode \(mode.name)." : "."))
        }
        if mode == .dualRoute, !contains(.allowBluetoothHFP) {
            throw SessionError(.badParam, "The mode dualRoute requires the option allowBluetoothHFP.")
        }
        // A conversation implies the Bluetooth option, so farFieldInput may stand alone there.
        if contains(.farFieldInput), !union(mode.impliedOptions).contains(.allowBluetoothHFP) {
            throw SessionError(.badParam, "The option farFieldInput requires the option allowBluetoothHFP.")
        }
    }

    /// The name of the first option that has a bit in this set.
    private var firstName: String? {
        // The option that contains the mix bit comes first, or the mix bit would be named instead.
        if contains(.interruptSpokenAudio) { return "interruptSpokenAudioAndMixWithOthers" }
        return Self.names.first { !isDisjoint(with: $0.option) }?.name
    }
}
