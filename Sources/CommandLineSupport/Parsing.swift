package import ArgumentParser
import AudioFiles
import Foundation
import Glibc

extension ParsableCommand {
    /// The command line as a value; where it makes no sense the process ends with one line on stderr and status 64.
    ///
    /// ArgumentParser's own exit prints the whole help beside the error, which hides it.
    package static func parseOrLeave() -> Self {
        do {
            var command = try parseAsRoot(argumentsOfCommandLine)
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

/// The command line without the program's name, each word as the text of a path: names of files need not be UTF-8, and
/// `CommandLine` repairs them.
private var argumentsOfCommandLine: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { String(path: $0) } }
}

/// The text of the path that begins at the root; the current folder's need not be UTF-8 either.
package func absolutePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(path: folder) + "/" + path
}

extension String {
    /// A reason with a file in front of it, named as it was given; what the library says begins with the whole path.
    package func naming(_ file: String) -> String {
        for path in [file.readablePath, absolutePath(file).readablePath] where hasPrefix(path) {
            return file + dropFirst(path.count)
        }
        return "\(file): \(self)"
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
