import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A command of audiosession beside the program that it is.
enum Pair: String, CaseIterable, CustomTestStringConvertible {
    case play = "player"
    case record = "recorder"

    var command: String { self == .play ? "play" : "record" }
    var testDescription: String { "audiosession \(command)" }

    /// What the command and the program do with the same arguments.
    func runs(
        _ arguments: [String], on server: HeadlessServer? = nil
    ) async throws -> (command: Run, program: Run) {
        let surroundings = server == nil ? nowhere : [:]
        let command = try ChildProcess(
            "audiosession", [command] + arguments, on: server, environment: surroundings)
        let first = try await finish(command)
        let program = try ChildProcess(rawValue, arguments, on: server, environment: surroundings)
        return (first, try await finish(program))
    }
}

extension Run {
    /// What was printed, without what depends on the clock and on the name that the program was called by.
    fileprivate var told: [String] {
        let lines = events.filter { !["progress", "routeChange"].contains($0.string("event")) }.map {
            $0.description.replacing(#/"(t|position|duration)":[-0-9.e]+/#, with: "")
        }
        let complaints = errors.map {
            $0.replacing(#/^[a-z]+: /#, with: "").replacing(#/\([a-z]+ --help/#, with: "(--help")
        }
        return lines + complaints + ["exit status \(exit.status ?? -1)"]
    }
}

@Suite("audiosession play and record", .serialized, .limited) struct PlayAndRecordTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func tone(_ seconds: Double, _ name: String = "tone.wav") throws -> String {
        let file = folder.appendingPathComponent(name)
        try TestSignal.sine(frequency: 1_000, seconds: seconds).wavData.write(to: file)
        return file.path
    }

    private func clean() { try? FileManager.default.removeItem(at: folder) }

    @Test("they have the options and the words of player and recorder", arguments: Pair.allCases)
    func options(pair: Pair) async throws {
        defer { clean() }
        let (command, program) = try await pair.runs(["--help"])
        func words(_ run: Run) -> [String] {
            run.output.replacing(#/USAGE: [a-z]+( play| record)?/#, with: "").split(whereSeparator: \.isWhitespace)
                .map(String.init)
        }
        #expect(command.output.contains("USAGE: audiosession \(pair.command) "))
        #expect(words(command) == words(program) && words(program).contains("--headless"))
    }

    @Test(
        "bad usage, files that cannot be, and no server give the messages and exit statuses of player and recorder",
        arguments: [
            (Pair.play, ["--volume", "2", "TONE"], Int32(64)), (.play, ["--loops", "-2", "TONE"], 64), (.play, [], 64),
            (.play, ["--category", "loud", "TONE"], 64), (.play, ["--bogus"], 64), (.play, ["missing.wav"], 66),
            (.play, ["--json", "missing.wav"], 66), (.play, ["--json", "--start-at", "9", "TONE"], 64),
            (.play, ["--json", "/etc/passwd"], 66), (.play, ["--json", "TONE"], 69),
            (.play, ["--json", "--category", "record", "TONE"], 1),
            (.record, ["--format", "aac", "x.wav"], 64), (.record, ["--duration", "0", "x.wav"], 64), (.record, [], 64),
            (.record, ["--json", "/nonexistent/x.wav"], 73), (.record, ["--json", "--category", "playback", "OUT"], 1),
            (.record, ["--json", "OUT"], 69), (.record, ["x.mp3"], 64),
        ])
    func failures(pair: Pair, arguments: [String], status: Int32) async throws {
        defer { clean() }
        let file = try tone(0.2)
        let out = folder.appendingPathComponent("out.wav").path
        let words = arguments.map { $0 == "TONE" ? file : $0 == "OUT" ? out : $0 }
        let (command, program) = try await pair.runs(words)
        #expect(command.told == program.told)
        expectFailure(command, status)
        // The program's own errors have its name as their domain.
        let domains = command.events.compactMap { $0.string("domain") }
        if status == 1 { #expect(domains == [pair.rawValue]) }
    }

    @Test("play plays, and tells what player tells", arguments: HeadlessServer.Kind.allCases)
    func plays(kind: HeadlessServer.Kind) async throws {
        defer { clean() }
        let file = try tone(0.4)
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            // The options of all commands may stand in front.
            let command = try ChildProcess(
                "audiosession", ["--json", "play", "--category", "playback", "--rate", "1.5", file], on: server)
            let first = try await finish(command)
            let heard = try await monitor.stop()
            let program = try ChildProcess(
                "player", ["--json", "--category", "playback", "--rate", "1.5", file], on: server)
            let second = try await finish(program)
            #expect(first.told == second.told)
            #expect(
                first.events.compactMap { $0.string("event") }.filter { $0 != "progress" && $0 != "routeChange" }
                    == ["active", "started", "finished", "inactive"])
            let range = try #require(heard.soundRange())
            #expect(abs((heard.frequency(range) ?? 0) - 1_000) < 20)
        }
    }

    @Test("record records, and tells what recorder tells", arguments: HeadlessServer.Kind.allCases)
    func records(kind: HeadlessServer.Kind) async throws {
        defer { clean() }
        let out = folder.appendingPathComponent("out.flac").path
        try await withServer(kind) { server in
            let (command, program) = try await Pair.record.runs(
                ["--json", "--duration", "0.3", "--channels", "1", out], on: server)
            #expect(command.told == program.told)
            #expect(command.exit.status == 0 && command.events.contains { $0.bool("successfully") == true })
        }
        let size = try FileManager.default.attributesOfItem(atPath: out)[.size] as? Int
        #expect((size ?? 0) > 100)
    }

    @Test("other sessions are told of audiosession play, or of the name that the user gives", arguments: ["", "Radio"])
    func name(wish: String) async throws {
        defer { clean() }
        let file = try tone(60)
        try await withServer(.pulseAudio) { server in
            let music = try ChildProcess(
                "audiosession", ["play", "--json", file], on: server,
                environment: wish.isEmpty ? [:] : ["PULSE_PROP_application.name": wish])
            _ = try await music.event("started")
            let sessions = try await audiosession("status", "--json", on: server)
            #expect(sessions.event("session", app: wish.isEmpty ? "audiosession play" : wish) != nil)
            music.send(SIGTERM)
            #expect(try await finish(music).exit.status == 0)
        }
    }

    @Test("files whose names are not UTF-8 are recorded and played")
    func anyName() async throws {
        defer { clean() }
        let script = """
            cd "$1"; mkdir "$(printf 'M\\374sik')"; cd M*; name=$(printf 'caf\\351.wav')
            "$0" record --duration 0.2 "$name" && "$0" play --json "$PWD/$name" && "$0" play "$name" || exit
            rm "$name" && rmdir "$PWD" || exit
            "$0" play "$name"
            """
        let program = try ChildProcess.executable("audiosession").path
        try await withServer(.pulseAudio) { server in
            let run = try await finish(try ChildProcess(tool: "sh", ["-c", script, program, folder.path], on: server))
            expectFailure(run, 66, saying: "cannot read caf\u{FFFD}.wav: No such file or directory")
            #expect(run.events.compactMap { $0.string("event") }.contains("finished"))
        }
    }

    @Test("called by a link named player or recorder, audiosession is that program", arguments: Pair.allCases)
    func links(pair: Pair) async throws {
        defer { clean() }
        let link = folder.appendingPathComponent(pair.rawValue)
        let program = try ChildProcess.executable("audiosession")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: program)
        let help = try await finish(try ChildProcess(link, ["--help"], environment: nowhere))
        #expect(help.exit.status == 0 && help.output.contains("USAGE: \(pair.rawValue) "))
        let arguments = pair == .play ? ["missing.wav"] : ["/nonexistent/x.wav"]
        let failure = try await finish(try ChildProcess(link, arguments, environment: nowhere))
        #expect(failure.exit.status == (pair == .play ? 66 : 73))
        #expect(failure.errors.count == 1 && failure.errors[0].hasPrefix("\(pair.rawValue): "), "\(failure.errors)")
        // A script for the shell completes the program's own name, and there is no command `help`.
        let words = ["--generate-completion-script", "bash"]
        let script = try await finish(try ChildProcess(link, words, environment: nowhere))
        #expect(script.output.contains("_\(pair.rawValue)()") && !script.output.contains("compgen -W 'help'"))
    }

    @Test("bash offers the files and the words of options behind play and record", arguments: Pair.allCases)
    func completions(pair: Pair) async throws {
        defer { clean() }
        _ = try tone(0.1, "a song.wav")
        let script = """
            source <("$0" --generate-completion-script bash)
            cd "$1"
            offered() {
                COMP_WORDS=(audiosession "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                COMPREPLY=(); _audiosession audiosession "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s|' "${COMPREPLY[@]}"
            }
            offered \(pair.command) ""; offered \(pair.command) --category play; offered \(pair.command) --js
            """
        let program = try ChildProcess.executable("audiosession").path
        let bash = try ChildProcess(
            URL(fileURLWithPath: "/bin/bash"), ["-c", script, program, folder.path], environment: nowhere)
        #expect(try await finish(bash).output == "a song.wav|playback|playAndRecord|--json|")
    }
}
