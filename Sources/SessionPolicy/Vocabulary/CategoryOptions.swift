/// The options of a session: mixing with others, and accepted routes, as a set of bits.
///
/// Which category allows which option is `CategoryOptions.allowed(in:mode:)`.
///
/// Apple: `AVAudioSession.CategoryOptions`, with the same raw values.
package struct CategoryOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt

    /// A set of these bits, known or not.
    package init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others stay audible.
    package static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    /// Others are ducked while this session is active; implies `mixWithOthers`.
    package static let duckOthers = CategoryOptions(rawValue: 0x2)
    /// Bluetooth headsets with a microphone may be used.
    package static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    /// The speaker instead of the receiver.
    package static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// Sessions in mode spokenAudio are interrupted, others stay audible; the value contains `mixWithOthers`.
    package static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    /// Bluetooth headphones may be used.
    package static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    /// AirPlay receivers may be used.
    package static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    /// A muted microphone records silence instead of interrupting the session.
    package static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    /// A microphone tuned to far voices; requires `allowBluetoothHFP`.
    package static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
    /// A Bluetooth microphone at full bandwidth, where the device offers it.
    package static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)

    /// The own bit of `interruptSpokenAudioAndMixWithOthers`.
    static let interruptSpokenAudio = CategoryOptions(rawValue: 0x10)

    /// All bits with a meaning.
    static let known = CategoryOptions(names.map(\.option))

    /// The same set with the bits that its members imply: ducking and interrupting speech both mix.
    package var withImpliedOptions: CategoryOptions {
        isDisjoint(with: [.duckOthers, .interruptSpokenAudio]) ? self : union(.mixWithOthers)
    }

    /// The options by name, in the order of their bits, as they are spelled in Swift and on the command line.
    package static let names: [(name: String, option: CategoryOptions)] = [
        ("mixWithOthers", .mixWithOthers),
        ("duckOthers", .duckOthers),
        ("allowBluetoothHFP", .allowBluetoothHFP),
        ("defaultToSpeaker", .defaultToSpeaker),
        ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
        ("allowBluetoothA2DP", .allowBluetoothA2DP),
        ("allowAirPlay", .allowAirPlay),
        ("overrideMutedMicrophoneInterruption", .overrideMutedMicrophoneInterruption),
        ("farFieldInput", .farFieldInput),
        ("bluetoothHighQualityRecording", .bluetoothHighQualityRecording),
    ]
}
