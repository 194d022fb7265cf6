import Foundation

/// Completions of `audiosession run -- …`: `--` itself, programs for the first word after it, and the shell's completions
/// of that program for the others.
///
/// ArgumentParser completes files but not commands.
enum RunCompletions {
    /// A script of ArgumentParser with these completions added.
    static func added(to script: String) -> String {
        var lines = script.components(separatedBy: "\n")
        for (function, files, commands) in [bash, zsh, fish] {
            guard let start = lines.firstIndex(where: { $0.hasPrefix(function) }),
                let line = lines[start...].firstIndex(where: { $0.contains(files) })
            else { continue }
            lines.replaceSubrange(line...line, with: commands)
        }
        return lines.joined(separator: "\n")
    }

    /// A change of a script: the function, its line that completes files, and the lines to replace that with.
    private typealias Replacement = (function: String, files: String, commands: [String])

    private static let bash: Replacement = (
        "_audiosession_run() {", "__audiosession_add_completions -f",
        [
            #"        local kind=-f"#,
            #"        [[ "${positional_number}" = 1 ]] && kind=-c"#,
            #"        [[ " ${COMP_WORDS[*]::COMP_CWORD} " = *" -- "* ]] || kind="-W --""#,
            #"        __audiosession_add_completions ${kind}"#,
        ]
    )

    private static let zsh: Replacement = (
        "_audiosession_run() {", "'*:command:_files'",
        [
            "        '(-):command:{ (( ${words[(Ie)--]} )) && _command_names -e || compadd -- -- }'",
            "        '*::argument:_normal'",
        ]
    )

    /// The change for fish, which completes the words after `--` like a command line of their own.
    private static let fish: Replacement = (
        "complete -c 'audiosession'", #""audiosession run" -ge 1' -F"#,
        [
            fishCommand + #"'"#
                + #" -fa '(for line in (string replace -rf "^.*? -- " "" -- (commandline -pc)); complete -C $line; end)'"#,
            fishCommand + #"; and not contains -- -- (__audiosession_tokens -pc)'"#
                + #" -fa '--' -d 'The command comes behind it.'"#,
        ]
    )

    private static let fishCommand =
        #"complete -c 'audiosession'"#
        + #" -n '__audiosession_should_offer_completions_for_positional "audiosession run" -ge 1"#
}
