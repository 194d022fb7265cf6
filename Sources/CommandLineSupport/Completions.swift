import ArgumentParser
import Foundation

extension ParsableCommand {
    /// What a help text, a version or a completion script is printed as.
    ///
    /// ArgumentParser 1.8 offers the command `help` in the scripts of programs that have no commands, and so none of that
    /// name: zsh stumbles over it beside a list of files, and all shells offer it as if it were one.
    static func answer(to error: any Error) -> String {
        let text = fullMessage(for: error)
        let isScript = CommandLine.arguments.contains { $0.hasPrefix("--generate-completion-script") }
        guard isScript, configuration.subcommands.isEmpty else { return text }
        // Of zsh, of bash, and of fish.
        let offers = ["'(-): :->command'", "'(-)*:: :->arg'", "compgen -W 'help'", "-fa 'help'"]
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in offers.contains { line.contains($0) } ? "" : line }.joined(separator: "\n")
    }
}
