import CommandLineSupport
import Foundation
import TestSupport
import Testing

private let programs = ["player", "recorder", "tuner", "practice", "synth", "simple-play", "simple-record"]

@Suite("The command line", .serialized, .limited) struct UsageTests {
    @Test("--help and --version answer on stdout", arguments: programs)
    func helpAndVersion(program: String) async throws {
        let help = try await run(program, ["--help"])
        #expect(help.exit.status == 0)
        #expect(help.output.contains("USAGE: \(program)"))
        #expect(help.output.contains("--server") && help.output.contains("--headless"))
        let version = try await run(program, ["--version"])
        #expect(version.exit.status == 0)
        #expect(version.output.split(separator: ".").count == 3)
        let full = try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", #"exec "$0" --help >/dev/full"#, try ChildProcess.executable(program).path], environment: nowhere)
        expectFailure(try await finish(full), 1, of: program, saying: "No space left on device")
    }

    @Test("the version is that of the changelog and of the manual page")
    func version() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        func lines(_ path: String) throws -> [Substring] {
            try String(contentsOf: root.appendingPathComponent(path).standardizedFileURL, encoding: .utf8)
                .split(separator: "\n")
        }
        let printed = try await run("player", ["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(printed == programVersion)
        #expect(try lines("CHANGELOG.md").first { $0.hasPrefix("## ") } == "## \(programVersion)")
        #expect(try lines("docs/audiosession.1").first?.contains("\"audiosession \(programVersion)\"") == true)
    }

    @Test("bash completes names of files, and the words of options", arguments: ["player", "recorder"])
    func completions(program: String) async throws {
        let folder = try Folder()
        _ = try folder.write(Data(), "a song.wav")
        let script = """
            source <("$0" --generate-completion-script bash)
            cd "$1"
            offered() {
                COMP_WORDS=(\(program) "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                COMPREPLY=(); _\(program) \(program) "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s|' "${COMPREPLY[@]}"
            }
            offered ""; offered --category play; offered --js; echo
            """
        let path = try ChildProcess.executable(program).path
        let bash = try ChildProcess(
            URL(fileURLWithPath: "/bin/bash"), ["-c", script, path, folder.url.path], environment: nowhere)
        #expect(try await finish(bash).output == "a song.wav|playback|playAndRecord|--json|")
        // There is no command `help`, over which zsh would stumble.
        for shell in ["zsh", "fish"] {
            let text = try await run(program, ["--generate-completion-script", shell]).output
            #expect(text.contains("playAndRecord") && !text.contains(":->command") && !text.contains("-fa 'help'"))
        }
    }

    @Test("bad usage is 64, said in one line", arguments: programs)
    func badUsage(program: String) async throws {
        // The others need no file.
        if !["tuner", "synth"].contains(program) { expectFailure(try await run(program, []), 64, of: program) }
        expectFailure(try await run(program, ["--bogus", "x.wav"]), 64, of: program, saying: "--bogus")
        expectFailure(
            try await run(program, ["--category", "loud", "x.wav"]), 64, of: program,
            saying: "'loud' is invalid for '--category <category>'. Please provide one of the following: ambient, soloA"
        )
        expectFailure(
            try await run(program, ["--headless", "--server", "here", "x.wav"]), 64, of: program, saying: "--server")
    }

    @Test(
        "values out of range are bad usage",
        arguments: [
            ["--volume", "2"], ["--volume", "-1"], ["--volume", "loud"], ["--pan", "-2"], ["--loops", "-2"],
            ["--start-at", "x"],
            ["--mode", "Default"], ["--option", "duck"],
        ])
    func playerValues(arguments: [String]) async throws {
        // A number below zero is no option.
        let reason = arguments[0] + (arguments[1].hasPrefix("-") ? " must be" : "")
        expectFailure(try await run("player", arguments + ["x.wav"]), 64, of: "player", saying: reason)
    }

    @Test("a beginning behind the file's end is bad usage", arguments: ["0.5", "10", "inf"])
    func beyondEnd(seconds: String) async throws {
        let folder = try Folder()
        let file = try folder.tone(0.5)
        expectFailure(
            try await run("player", ["--start-at", seconds, file]), 64, of: "player", saying: "is 0.5 s long")
    }

    @Test(
        "durations that are none, or too long to be counted, are bad usage, and nothing is created",
        arguments: ["0", "nan", "inf", "1e10", "1e15", "1e300"])
    func simpleRecordDuration(seconds: String) async throws {
        let folder = try Folder()
        let out = folder.path("x.wav")
        expectFailure(
            try await run("simple-record", ["--duration", seconds, out]), 64, of: "simple-record", saying: "--duration")
        #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test(
        "formats that cannot be are bad usage",
        arguments: [
            ["--format", "aac", "x.wav"], ["--format", "flac", "x.wav"], ["--bit-depth", "12", "x.wav"],
            ["--sample-rate", "1", "x.wav"], ["--channels", "0", "x.wav"], ["--channels", "33", "x.wav"],
            ["--duration", "0", "x.wav"], ["--duration", "1e300", "x.wav"], ["x.mp3"], ["x"],
        ])
    func recorderValues(arguments: [String]) async throws {
        expectFailure(try await run("recorder", arguments), 64, of: "recorder")
    }

    @Test(
        "rates and channels that the container or the codec cannot have are bad usage, and nothing is created",
        arguments: [
            ["--sample-rate", "44100", "x.opus"], ["--sample-rate", "192000", "x.m4a"],
            ["--sample-rate", "65537", "x.flac"], ["--sample-rate", "44100.5", "x.wav"], ["--channels", "9", "x.flac"],
            ["--channels", "3", "--format", "ima4", "x.caf"], ["--bit-depth", "32", "x.flac"],
        ])
    func recorderFormats(arguments: [String]) async throws {
        let folder = try Folder()
        let out = folder.path(arguments.last ?? "x.wav")
        let result = try await run("recorder", Array(arguments.dropLast()) + [out])
        expectFailure(result, 64, of: "recorder", saying: "cannot record into \(out): ")
        #expect(!FileManager.default.fileExists(atPath: out))
    }
}

@Suite("Failures", .limited) struct FailureTimeTests {
    @Test(
        "a failure takes at most a second longer than the help does", .alone, .judges(.time(seconds: 1)),
        arguments: ["player", "recorder", "simple-play", "simple-record"])
    func areQuick(program: String) async throws {
        let folder = try Folder()
        let usual = try await run(program, ["--help"]).exit.wallTime
        for arguments in [["--bogus"], [folder.path("missing/x.wav")], [try folder.tone(0.1)]] {
            let time = try await run(program, arguments).exit.wallTime
            #expect(time < usual + atOnce, "\(program) \(arguments)")
        }
    }
}
