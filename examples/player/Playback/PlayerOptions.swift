import ArgumentParser
import CommandLineSupport

/// What to play, and how.
package struct PlayerOptions: ParsableArguments {
    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions

    @Option(parsing: .unconditional, help: "Volume, 0 to 1.")
    var volume: Float = 1

    @Option(parsing: .unconditional, help: "Position between the speakers, -1 (left) to 1 (right).")
    var pan: Float = 0

    @Option(parsing: .unconditional, help: "How fast, 0.5 to 2; the pitch stays.")
    var rate: Float = 1

    @Option(parsing: .unconditional, help: "Repeat each file so many times; -1 means for ever.")
    var loops = 0

    @Option(
        name: .customLong("start-at"), parsing: .unconditional,
        help: ArgumentHelp("Seconds to skip at the start of the first file.", valueName: "seconds"))
    var startAt = 0.0

    @Flag(name: .customLong("no-resume"), help: "Stay paused when an interruption ends.")
    var noResume = false

    @Argument(help: "The files to play.", completion: .file())
    var files: [String]

    /// For ArgumentParser.
    package init() {}

    /// Throws for values out of range.
    package func validate() throws {
        guard (0...1).contains(volume) else { throw ValidationError("--volume must be between 0 and 1.") }
        guard (-1...1).contains(pan) else { throw ValidationError("--pan must be between -1 and 1.") }
        guard (0.5...2).contains(rate) else { throw ValidationError("--rate must be between 0.5 and 2.") }
        guard loops >= -1 else { throw ValidationError("--loops must be -1 or more.") }
        guard startAt >= 0 else { throw ValidationError("--start-at must be 0 or more.") }
    }
}
