// A synthesizer that is played on the keyboard: a source node for each of its voices.
//
// The command line is here; what happens is in Synth.swift, and the sound in SynthVoice.swift.
import ArgumentParser
import CommandLineSupport

struct SynthOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synth", abstract: "A synthesizer that is played on the keyboard.",
        discussion: """
            The keys a w s e d f t g y h u j k are the notes from C to C, as on a piano; z and x change the octave, q quits.
            """,
        version: programVersion)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Play these keys, four a second, and leave.", valueName: "keys"))
    var play: String?

    func validate() throws {
        guard let play, !play.allSatisfy({ Synth.keys.contains($0) }) else { return }
        throw ValidationError("--play takes the keys \(String(Synth.keys)).")
    }
}

keepStandardDescriptors()
let options = SynthOptions.parseOrLeave()
let program = Program(name: "synth", options: options.shared.values)
let synth = Synth(options: options, program: program)
program.run(synth) { synth.start() }
