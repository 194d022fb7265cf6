package import ArgumentParser
import CommandLineSupport

/// The command line of the program `recorder`; `audiosession record` has the same options.
package struct RecorderCommand: ParsableCommand {
    package static let configuration = RecorderOptions.configuration(named: "recorder")

    /// Where to record to, and how.
    @OptionGroup package var options: RecorderOptions

    /// For ArgumentParser.
    package init() {}
}

extension RecorderOptions {
    /// The description of a command with these options.
    package static func configuration(named name: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: "Records sound into a file; its extension chooses the container.",
            discussion: """
                Containers: wav, rf64, w64, aif, aiff, aifc, caf, au, m4a, mp4, aac, flac, ogg, opus. Keys on a terminal: \
                space pauses and goes on, q stops.
                The category is playAndRecord unless another one is named.
                Exit status: 0 done (also after SIGINT and SIGTERM), 1 failed, 64 bad usage, 66 nothing to record from, \
                69 no sound server, 73 the file cannot be created.
                """,
            version: programVersion)
    }

    /// Records the file, and ends the process.
    ///
    /// - Parameter name: The program's name in messages on stderr; the domain of errors in JSON is always `recorder`.
    @MainActor package func record(as name: String) -> Never {
        let program = Program(name: name, domain: "recorder", options: shared.values)
        let recording = Recording(options: self, program: program)
        program.run(recording) { recording.start() }
    }
}
