// Plays a file slower, higher or with other tones, to practise with it, and writes the result to a file.
//
// The command line is here; what happens is in Practice.swift, and the graph in PracticeChain.swift.
import ArgumentParser
import CommandLineSupport

struct PracticeOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "practice", abstract: "Plays a file at another speed, in another key, with other tones.",
        discussion: """
            Left and right seek by 5 s, < and > change the speed by 5 %, [ and ] the pitch by a semitone, b and B the bass, \
            t and T the treble by 3 dB. Space pauses, q quits.
            """,
        version: programVersion)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions

    @Option(parsing: .unconditional, help: "The speed, 0.25 to 4 (default: 1).") var rate: Float = 1
    @Option(parsing: .unconditional, help: "The change of the pitch in cents, -2400 to 2400 (default: 0).")
    var pitch: Float = 0
    @Option(parsing: .unconditional, help: "The bass in dB, -24 to 24 (default: 0).") var bass: Float = 0
    @Option(parsing: .unconditional, help: "The treble in dB, -24 to 24 (default: 0).") var treble: Float = 0
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write the result to a WAV file, as fast as possible, and play nothing.", valueName: "file"),
        completion: .file())
    var bounce: String?
    @Argument(help: "The file to play.", completion: .file()) var file: String

    func validate() throws {
        for (value, range, option) in [
            (rate, 0.25...4, "--rate"), (pitch, -2400...2400, "--pitch"), (bass, -24...24, "--bass"),
            (treble, -24...24, "--treble"),
        ] as [(Float, ClosedRange<Float>, String)] where !range.contains(value) {
            throw ValidationError("\(option) must be \(range.lowerBound) to \(range.upperBound).")
        }
    }
}

keepStandardDescriptors()
let options = PracticeOptions.parseOrLeave()
let program = Program(name: "practice", options: options.shared.values)
let practice = Practice(options: options, program: program)
program.run(practice) { practice.start() }
