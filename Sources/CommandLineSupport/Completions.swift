import ArgumentParser
import Foundation

extension ParsableCommand {
    /// The help text, version or completion script to print for an ArgumentParser result.
    ///
    /// ArgumentParser 1.8 offers a `help` command in scripts of programs without commands, where it does not exist: it
    /// breaks zsh's completion beside a list of files, and is a wrong offer in all shells.
    static func answer(to error: any Error) -> String {
        let text = fullMessage(for: error)
        let isScript = CommandLine.arguments.contains { $0.hasPrefix("--generate-completion-script") }
        guard isScript, configuration.subcommands.isEmpty else { return text }
        // The offers in the scripts of zsh, bash and fish.
        let offers = ["'(-): :->command'", "'(-)*:: :->arg'", "compgen -W 'help'", "-fa 'help'"]
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in offers.contains { line.contains($0) } ? "" : line }.joined(separator: "\n")
    }
}
