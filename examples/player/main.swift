// Plays files as an app with a session does: interrupted, resumed and told about routes like any other.
//
// The command line is here; what happens is in Playback.swift.
import ArgumentParser
import CommandLineSupport

/// What to play, and how.
struct PlayerOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player", abstract: "Plays sound files, one after the other.",
        discussion: """
            Keys on a terminal: space pauses and resumes, left and right seek by 5 s, up and down change the volume, \
            < and > the rate, q leaves.
            The category is playback unless another one is named.
            Exit status: 0 done, 1 failed, 64 bad usage, 66 a file cannot be read or is no sound, 69 no sound server.
            """,
        version: programVersion)

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

    func validate() throws {
        guard (0...1).contains(volume) else { throw ValidationError("--volume must be between 0 and 1.") }
        guard (-1...1).contains(pan) else { throw ValidationError("--pan must be between -1 and 1.") }
        guard (0.5...2).contains(rate) else { throw ValidationError("--rate must be between 0.5 and 2.") }
        guard loops >= -1 else { throw ValidationError("--loops must be -1 or more.") }
        guard startAt >= 0 else { throw ValidationError("--start-at must be 0 or more.") }
    }
}

keepStandardDescriptors()
let options = PlayerOptions.parseOrLeave()
let program = Program(name: "player", options: options.shared.values)
let playback = Playback(options: options, program: program)
// The server answers while all the rest is begun.
playback.warmUp()
program.run(playback) { playback.start() }
