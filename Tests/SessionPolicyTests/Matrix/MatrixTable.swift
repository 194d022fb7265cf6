import SessionPolicy
import Testing

/// The compatibility matrix written out, independently of the rules it checks.
///
/// One line for each legal pair of category and mode; a pair that is not here is illegal. The columns say which
/// options are settable there, in the order of `columns`.
enum MatrixTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let category: SessionPolicy.Category
        let mode: Mode
        /// `nil` where the pair itself is illegal.
        let settable: CategoryOptions?
        var testDescription: String { "\(category) × \(mode)" }
    }

    static let columns: [CategoryOptions] = [
        CategoryOptions(rawValue: 0x1),  // mixWithOthers
        CategoryOptions(rawValue: 0x2),  // duckOthers
        CategoryOptions(rawValue: 0x11),  // interruptSpokenAudioAndMixWithOthers
        CategoryOptions(rawValue: 0x4),  // allowBluetoothHFP
        CategoryOptions(rawValue: 0x8),  // defaultToSpeaker
        CategoryOptions(rawValue: 0x20),  // allowBluetoothA2DP
        CategoryOptions(rawValue: 0x40),  // allowAirPlay
        CategoryOptions(rawValue: 0x80),  // overrideMutedMicrophoneInterruption
        CategoryOptions(rawValue: 0x40000),  // farFieldInput
        CategoryOptions(rawValue: 0x80000),  // bluetoothHighQualityRecording
    ]

    //                      mix duck spoken HFP speaker A2DP AirPlay muted far HQ
    private static let text = """
        ambient/default           Y Y - - - - - - - -
        ambient/voicePrompt       Y Y - - - - - - - -
        soloAmbient/default       - - - - - - - - - -
        soloAmbient/voicePrompt   - - - - - - - - - -
        playback/default          Y Y Y - - - - - - -
        playback/measurement      Y Y Y - - - - - - -
        playback/moviePlayback    Y Y Y - - - - - - -
        playback/spokenAudio      Y Y Y - - - - - - -
        playback/voicePrompt      Y Y Y - - - - - - -
        playback/shortFormVideo   Y Y Y - - - - - - -
        record/default            - - - Y - - - Y Y -
        record/videoRecording     - - - Y - - - Y Y -
        record/measurement        - - - Y - - - Y Y -
        playAndRecord/default         Y Y Y Y Y Y Y Y Y Y
        playAndRecord/voiceChat       Y Y Y Y Y Y Y Y Y -
        playAndRecord/videoChat       Y Y Y Y Y Y Y Y Y -
        playAndRecord/gameChat        Y Y Y Y Y Y Y Y Y -
        playAndRecord/videoRecording  Y Y Y Y Y Y Y Y Y -
        playAndRecord/measurement     Y Y Y Y Y Y Y Y Y -
        playAndRecord/spokenAudio     Y Y Y Y Y Y Y Y Y -
        playAndRecord/voicePrompt     Y Y Y Y Y Y Y Y Y -
        multiRoute/default        Y Y Y - - - - Y - Y
        multiRoute/voicePrompt    - - - - - - - Y - -
        multiRoute/dualRoute      - - - Y - - - Y Y -
        audioProcessing/default   - - - - - - - - - -
        """

    private static let legal: [String: CategoryOptions] = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            let settable = zip(words.dropFirst(), columns).filter { $0.0 == "Y" }.map(\.1)
            return (String(words[0]), CategoryOptions(settable))
        })

    /// All 77 pairs of category and mode.
    static let rows: [Row] = SessionPolicy.Category.allCases.flatMap { category in
        Mode.allCases.map { Row(category: category, mode: $0, settable: legal["\(category)/\($0)"]) }
    }

    /// All 1024 combinations of options.
    static let combinations: [CategoryOptions] = (0..<1 << columns.count).map { bits in
        CategoryOptions(columns.indices.filter { bits >> $0 & 1 == 1 }.map { columns[$0] })
    }
}
