import Foundation

/// Completions of `audiosession run -- …`: `--`, without which nothing is run, programs for the first word behind it, and
/// for the others what the shell has for such.
///
/// ArgumentParser can offer files, and no commands.
enum RunCompletions {
    /// A script as ArgumentParser makes it, with those completions.
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

    /// Where to look, the line that offers files, and what to write in its place.
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

    /// fish completes what is behind `--` as it would a line of that.
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
