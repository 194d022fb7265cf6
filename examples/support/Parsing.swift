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
            Glibc.exit(ExitStatus.done.rawValue)
        } catch {
            let name = configuration.commandName ?? "\(self)"
            // Asking for help or the version is an "error" too, with status 0 and an answer on stdout.
            guard exitCode(for: error) != .success else {
                let code = put(answer(to: error) + "\n", to: STDOUT_FILENO)
                if code != 0 { leaveUnread(name, code) }
                Glibc.exit(ExitStatus.done.rawValue)
            }
            complain(name, "\(inOneLine(message(for: error))) (\(name) --help says more)")
            Glibc.exit(ExitStatus.usage.rawValue)
        }
    }
}

/// What ArgumentParser says, in one line; it gives each item of a list a line of its own.
package func inOneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).reduce(into: "") { result, line in
        let words = line.split(whereSeparator: \.isWhitespace)
        let isLaterItem = words.first == "-" && !result.hasSuffix(":")
        result += result.isEmpty ? "" : isLaterItem ? ", " : " "
        result += words.drop { $0 == "-" }.joined(separator: " ")
    }
}

/// Refuses seconds that are none, and those of more than thirty years, which are too many to be counted in frames.
package func checkSeconds(_ seconds: Double?, of option: String) throws {
    guard let seconds else { return }
    // In this direction, because what is no number is neither too little nor too much.
    guard seconds > 0, seconds <= 1e9 else {
        throw ValidationError("\(option) must be more than 0, and at most 1000000000.")
    }
}

extension Program {
    /// The command line's arguments where there are some and none is an option.
    nonisolated package static var plainArguments: [String]? {
        let arguments = CommandLine.arguments.dropFirst()
        return arguments.isEmpty || arguments.contains { $0.hasPrefix("-") } ? nil : Array(arguments)
    }
}
