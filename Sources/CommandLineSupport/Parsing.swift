package import ArgumentParser
import AudioFiles
import Foundation
import Glibc

extension ParsableCommand {
    /// The parsed command line.
    ///
    /// An invalid one ends the process with one line on stderr and status 64.
    ///
    /// ArgumentParser's own exit prints the whole help after the error, which hides the error.
    package static func parseOrLeave() -> Self {
        do {
            var command = try parseAsRoot(argumentsOfCommandLine)
            if let command = command as? Self { return command }
            // `--help` parses as a separate command, which throws the text.
            try command.run()
            Glibc.exit(ExitStatus.done.rawValue)
        } catch {
            let name = configuration.commandName ?? "\(self)"
            // A request for help or the version is also an error, with status 0 and its text for stdout.
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

/// The command line without the program's name, each word decoded like a path.
///
/// File names need not be UTF-8, and `CommandLine` replaces invalid bytes.
package var argumentsOfCommandLine: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { String(path: $0) } }
}

/// The absolute path of a path; neither it nor the current folder need be UTF-8.
package func absolutePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(path: folder) + "/" + path
}

extension String {
    /// A reason prefixed by the file as the user named it; the library's messages begin with the whole path.
    package func naming(_ file: String) -> String {
        for path in [file.readablePath, absolutePath(file).readablePath] where hasPrefix(path) {
            return file + dropFirst(path.count)
        }
        return "\(file): \(self)"
    }
}

/// ArgumentParser's message in one line; it prints each item of a list on a separate line.
package func inOneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).reduce(into: "") { result, line in
        let words = line.split(whereSeparator: \.isWhitespace)
        let isLaterItem = words.first == "-" && !result.hasSuffix(":")
        result += result.isEmpty ? "" : isLaterItem ? ", " : " "
        result += words.drop { $0 == "-" }.joined(separator: " ")
    }
}

/// Throws for a number of seconds that is not positive, or over thirty years, which is too many frames to count.
package func checkSeconds(_ seconds: Double?, of option: String) throws {
    guard let seconds else { return }
    // In this form, so that NaN is refused as well.
    guard seconds > 0, seconds <= 1e9 else {
        throw ValidationError("\(option) must be more than 0, and at most 1000000000.")
    }
}
