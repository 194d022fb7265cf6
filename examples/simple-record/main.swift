// Records to a file with blocking reads on a plain thread, under a session that may interrupt it.
//
// The command line is here; what happens is in SimpleRecord.swift.
import ArgumentParser
import CommandLineSupport

struct SimpleRecordOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simple-record", abstract: "Records a WAV file through blocking reads under a session.",
        version: programVersion)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop after so many seconds of sound (default: at SIGINT or SIGTERM).", valueName: "seconds")
    )
    var duration: Double?

    @Argument(help: "The WAV file to write; an existing one is replaced.", completion: .file())
    var output: String

    func validate() throws {
        try checkSeconds(duration, of: "--duration")
    }
}

keepStandardDescriptors()
let options = SimpleRecordOptions.parseOrLeave()
let program = Program(name: "simple-record", options: options.shared.values)
let simpleRecord = SimpleRecord(options: options, program: program)
program.run(simpleRecord) { simpleRecord.start() }
