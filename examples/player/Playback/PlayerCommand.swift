package import ArgumentParser
import CommandLineSupport

/// The command line of the program `player`; `audiosession play` has the same options.
package struct PlayerCommand: ParsableCommand {
    package static let configuration = PlayerOptions.configuration(named: "player")

    /// What to play, and how.
    @OptionGroup package var options: PlayerOptions

    /// For ArgumentParser.
    package init() {}
}

extension PlayerOptions {
    /// The description of a command with these options.
    package static func configuration(named name: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: "Plays sound files, one after the other.",
            discussion: """
                Keys on a terminal: space pauses and resumes, left and right seek by 5 s, up and down change the volume, \
                < and > the rate, q leaves.
                The category is playback unless another one is named.
                Exit status: 0 done, 1 failed, 64 bad usage, 66 a file cannot be read or is no sound, 69 no sound server.
                """,
            version: programVersion)
    }

    /// Plays the files, and ends the process.
    ///
    /// - Parameter name: The program's name in messages on stderr; the domain of errors in JSON is always `player`.
    @MainActor package func play(as name: String) -> Never {
        let program = Program(name: name, domain: "player", options: shared.values)
        let playback = Playback(options: self, program: program)
        // The server answers while all the rest is begun.
        playback.warmUp()
        program.run(playback) { playback.start() }
    }
}
