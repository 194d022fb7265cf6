package import ArgumentParser
import Foundation
import Glibc

extension ParsableCommand {
    /// The command line as a value; where it makes no sense the process ends with one line on stderr and status 64.
    ///
    /// ArgumentParser's own exit prints the whole help beside the error, which hides it.
    package static func parseOrLeave() -> Self {
        do {
            var command = try parseAsRoot()
            if let command = command as? Self { return command }
            // `--help` parses as a command of its own, whose work is to throw the text.
            try command.run()
            exit()
        } catch {
            // Asking for help or the version is an "error" too, with status 0 and an answer on stdout.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            let lines = message(for: error).split(whereSeparator: \.isNewline).map { line in
                line.trimmingCharacters(in: .whitespaces)
            }
            let name = configuration.commandName ?? "\(self)"
            put("\(name): \(lines.joined(separator: " ")) (\(name) --help says more)\n", to: STDERR_FILENO)
            Glibc.exit(ExitStatus.usage.rawValue)
        }
    }
}

extension Program {
    /// The command line's arguments where there are some and none is an option.
    nonisolated package static var plainArguments: [String]? {
        let arguments = CommandLine.arguments.dropFirst()
        return arguments.isEmpty || arguments.contains { $0.hasPrefix("-") } ? nil : Array(arguments)
    }
}
