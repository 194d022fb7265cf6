import Foundation

/// Completions of `audiosession run -- …` and `trace -- …`: `--` itself, programs for the first word after it, and the shell's completions
/// of that program for the others.
///
/// ArgumentParser completes files but not commands.
enum RunCompletions {
    /// A script of ArgumentParser with these completions added.
    static func added(to script: String) -> String {
        var lines = script.components(separatedBy: "\n")
        for (function, files, commands) in ["run", "trace"].flatMap({ [bash($0), zsh($0), fish($0)] }) {
            guard let start = lines.firstIndex(where: { $0.hasPrefix(function) }) else { continue }
            // Options that take files come before the command.
            let end = lines[start...].firstIndex(of: "}") ?? lines.endIndex
            guard let line = lines[start..<end].lastIndex(where: { $0.contains(files) }) else { continue }
            lines.replaceSubrange(line...line, with: commands)
        }
        return lines.joined(separator: "\n")
    }

    /// A change of a script: the function, its line that completes files, and the lines to replace that with.
    private typealias Replacement = (function: String, files: String, commands: [String])

    private static func bash(_ command: String) -> Replacement {
        let lines = [
            #"        local kind=-f"#,
            #"        [[ "${positional_number}" = 1 ]] && kind=-c"#,
            #"        [[ " ${COMP_WORDS[*]::COMP_CWORD} " = *" -- "* ]] || kind="-W --""#,
            #"        __audiosession_add_completions ${kind}"#,
        ]
        return ("_audiosession_\(command)() {", "__audiosession_add_completions -f", lines)
    }

    private static func zsh(_ command: String) -> Replacement {
        let lines = [
            "        '(-):command:{ (( ${words[(Ie)--]} )) && _command_names -e || compadd -- -- }'",
            "        '*::argument:_normal'",
        ]
        return ("_audiosession_\(command)() {", "'*:command:_files'", lines)
    }

    /// The change for fish, which completes the words after `--` like a command line of their own.
    private static func fish(_ command: String) -> Replacement {
        let place =
            #"complete -c 'audiosession' -n '__audiosession_should_offer_completions_for_positional "audiosession "#
            + command + #"" -ge 1"#
        let lines = [
            place + #"'"#
                + #" -fa '(for line in (string replace -rf "^.*? -- " "" -- (commandline -pc)); complete -C $line; end)'"#,
            place + #"; and not contains -- -- (__audiosession_tokens -pc)'"#
                + #" -fa '--' -d 'The command comes behind it.'"#,
        ]
        return ("complete -c 'audiosession'", "\"audiosession \(command)\" -ge 1' -F", lines)
    }
}
