import ArgumentParser
import CommandLineSupport

/// Where to record to, and how.
package struct RecorderOptions: ParsableArguments {
    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var settings: RecordingSettings

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after so many seconds of sound.", valueName: "seconds"))
    var duration: Double?

    @Option(help: ArgumentHelp("Input to record from, by its UID.", valueName: "uid"))
    var input: String?

    @Argument(help: "The file to write; an existing one is replaced.", completion: .file())
    var output: String

    /// For ArgumentParser.
    package init() {}

    /// Throws for values out of range, and for a container that cannot be written.
    package func validate() throws {
        try checkSeconds(duration, of: "--duration")
        try settings.checkContainer(of: output)
    }
}
