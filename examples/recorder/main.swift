// Records to a file as an app with a session does; nothing that was captured is lost, however it ends.
//
// The command line is here, the file's settings in RecordingSettings.swift, what happens in Recording.swift.
import ArgumentParser
import CommandLineSupport

struct RecorderOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recorder", abstract: "Records sound into a file; its extension chooses the container.",
        discussion: """
            Containers: wav, rf64, w64, aif, aiff, aifc, caf, au, m4a, mp4, aac, flac, ogg, opus. Keys on a terminal: space \
            pauses and goes on, q stops.
            The category is playAndRecord unless another one is named.
            Exit status: 0 done (also after SIGINT and SIGTERM), 1 failed, 64 bad usage, 66 nothing to record from, \
            69 no sound server, 73 the file cannot be created.
            """,
        version: programVersion)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var settings: RecordingSettings

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after so many seconds of sound.", valueName: "seconds"))
    var duration: Double?

    @Option(help: ArgumentHelp("Input to record from, by its UID.", valueName: "uid"))
    var input: String?

    @Argument(help: "The file to write; an existing one is replaced.", completion: .file())
    var output: String

    func validate() throws {
        try checkSeconds(duration, of: "--duration")
        try settings.checkContainer(of: output)
    }
}

keepStandardDescriptors()
let options = RecorderOptions.parseOrLeave()
let program = Program(name: "recorder", options: options.shared.values)
let recording = Recording(options: options, program: program)
program.run(recording) { recording.start() }
