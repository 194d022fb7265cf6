// Shows the level and the pitch of the microphone's sound, by a tap on an engine's input.
//
// The command line is here; what happens is in Tuner.swift, and the arithmetic in Pitch.swift.
import ArgumentParser
import CommandLineSupport

struct TunerOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tuner", abstract: "Shows the level and the pitch of the microphone's sound.",
        version: programVersion)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop after so many seconds (default: at SIGINT or SIGTERM).", valueName: "seconds"))
    var duration: Double?

    func validate() throws { try checkSeconds(duration, of: "--duration") }
}

keepStandardDescriptors()
let options = TunerOptions.parseOrLeave()
let program = Program(name: "tuner", options: options.shared.values)
let tuner = Tuner(options: options, program: program)
program.run(tuner) { tuner.start() }
