import Foundation
import HeadlessServer
import TestSupport
import Testing

/// `F_SETPIPE_SZ`, which glibc's headers hide from Swift.
private let setPipeSize: Int32 = 1031
private let commands = [
    "status", "monitor", "explain", "doctor", "devices", "play", "record", "run", "end", "simulate",
]
/// The commands that tell what happened.
private let seeing = ["log", "history", "timeline", "trace", "assert"]

@Suite("The command line", .serialized, .limited) struct CommandLineTests {
    @Test("--help and --version answer on stdout", arguments: commands)
    func helpAndVersion(command: String) async throws {
        let help = try await audiosession(command, "--help")
        #expect(help.exit.status == 0)
        #expect(help.output.contains("USAGE: audiosession \(command)"))
        #expect(help.output.contains("--server") && help.output.contains("--headless"))
        let version = try await audiosession(command, "--version")
        #expect(version.exit.status == 0)
        #expect(version.output.split(separator: ".").count == 3)
        let all = try await audiosession("--help")
        #expect(all.exit.status == 0 && all.output.contains("\n  \(command) "))
    }

    @Test(
        "bad usage is 64, said in one line",
        arguments: [
            ["bogus"], ["status", "--bogus"], ["status", "--json", "--watch"], ["run"], ["run", "true"],
            ["run", "--bogus", "--", "true"], ["run", "--category", "loud", "--", "true"],
            ["run", "--mode", "Default", "--", "true"], ["simulate"], ["simulate", "earthquake"],
            ["simulate", "call", "--seconds", "0"], ["simulate", "reset"], ["simulate", "call", "--pid", "1"],
            ["simulate", "reset", "--pid", "1", "--seconds", "1"], ["simulate", "lock", "--pid", "1", "--tone"],
            ["simulate", "lock"], ["simulate", "silent", "--seconds", "1"], ["silent", "maybe"],
            ["silent", "on", "off"], ["end"], ["end", "music"], ["end", "-1"], ["end", "1", "2"],
            ["devices", "--headless", "--server", "here"],
        ])
    func badUsage(arguments: [String]) async throws {
        let process = try ChildProcess("audiosession", arguments, environment: nowhere)
        let reason = arguments == ["bogus"] ? "there is no command 'bogus'" : ""
        expectFailure(try await finish(process), 64, saying: reason)
    }

    @Test("silent needs no sound server, keeps its switch for the user, and doctor tells of it as of other settings")
    func silentSwitch() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        let variables = [
            "HOME": home.path, "XDG_STATE_HOME": "", "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/no-bus",
        ]
        #expect(try await audiosession("silent", "--help").output.contains("USAGE: audiosession silent"))
        #expect(try await audiosession("silent", environment: variables).output == "off\n")
        #expect(try await audiosession("silent", "off", environment: variables).exit.status == 0)
        #expect(!FileManager.default.fileExists(atPath: home.path), "nothing is made for what is off already")
        #expect(try await audiosession("silent", "on", environment: variables).exit.status == 0)
        #expect(try await audiosession("silent", environment: variables).output == "on\n")
        let wishes = ["AVAUDIOSESSION_DUCK": "loud"]
        let doctor = try await audiosession("doctor", environment: variables.merging(wishes) { $1 })
        #expect(doctor.output.contains("audiosession silent off"))
        #expect(doctor.output.contains("AVAUDIOSESSION_DUCK: “loud” is not "))
        #expect(doctor.output.contains("correct the variable"))
        #expect(try await audiosession("silent", "off", environment: variables).exit.status == 0)
        #expect(try await audiosession("silent", environment: variables).output == "off\n")
        // A home that cannot be written to is an error.
        try Data().write(to: home.appendingPathComponent("file"))
        let lost = variables.merging(["XDG_STATE_HOME": home.path + "/file"]) { $1 }
        expectFailure(try await audiosession("silent", "on", environment: lost), 1, saying: "cannot be kept")
    }

    @Test("a combination that no session has is 64")
    func badCombination() async throws {
        try await withServer(.pulseAudio) { server in
            let run = try await audiosession(
                "run", "--category", "ambient", "--mode", "voiceChat", "--", "true", on: server)
            expectFailure(run, 64, saying: "voiceChat")
        }
    }

    @Test(
        "no server is 69, said in one line with what to do",
        arguments: [
            ["status"], ["status", "--watch"], ["monitor"], ["explain"], ["doctor"], ["devices"],
            ["run", "--", "true"],
            ["simulate", "call"], ["simulate", "reset", "--pid", "1"],
        ])
    func noServer(arguments: [String]) async throws {
        let process = try ChildProcess("audiosession", arguments, environment: nowhere)
        expectFailure(try await finish(process), 69, saying: "--headless")
    }

    @Test("--server chooses a server, --headless brings one along")
    func servers() async throws {
        try await withServer(.pulseAudio) { server in
            for before in [["--server", server.address], ["--json", "--server=\(server.address)"]] {
                let arguments = before + ["devices"] + (before.contains("--json") ? [] : ["--json"])
                let chosen = try await finish(try ChildProcess("audiosession", arguments, environment: nowhere))
                #expect(chosen.exit.status == 0, "\(chosen.errors)")
                #expect(chosen.events.contains { $0.string("kind") == "sink" })
            }
        }
        let own = try await audiosession("devices", "--json", "--headless")
        #expect(own.exit.status == 0, "\(own.errors)")
        let sink = own.events.first { $0.string("kind") == "sink" }
        #expect(sink?.bool("default") == true)
        // That one goes with the command, which is nobody's news.
        let watch = try ChildProcess("audiosession", ["status", "--watch", "--headless"], environment: nowhere)
        try await waitUntil("the table") { watch.outputLines.contains("No sessions.") }
        watch.send(SIGINT)
        let end = try await finish(watch)
        #expect(end.exit.status == 0 && end.errors.isEmpty, "\(end.errors)")
    }

    @Test("a reader that is slow gets everything, also where writing to it does not wait")
    func slowReader() async throws {
        let sinks = (1...40).map { HeadlessServer.NullSink(name: "sink-\($0)-" + String(repeating: "x", count: 100)) }
        try await withServer(.pulseAudio, sinks: sinks) { server in
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            let (reading, writing) = (ends[0], ends[1])
            // Both ends, for the file description is what does not wait.
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            let capacity = fcntl(writing, setPipeSize, 4096)
            let program = Process()
            program.executableURL = try ChildProcess.executable("audiosession")
            program.arguments = ["devices"]
            program.environment = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
            program.standardOutput = FileHandle(fileDescriptor: writing)
            try program.run()
            close(writing)
            try await waitUntil("a full pipe") {
                var waiting: Int32 = 0
                return ioctl(reading, UInt(FIONREAD), &waiting) == 0 && waiting == capacity
            }
            var output: [UInt8] = []
            try await waitUntil("the end") {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = read(reading, &buffer, buffer.count)
                output += buffer.prefix(max(0, count))
                return count == 0
            }
            close(reading)
            program.waitUntilExit()
            #expect(program.terminationStatus == 0)
            let text = String(decoding: output, as: UTF8.self)
            #expect(sinks.allSatisfy { text.contains($0.name) }, "\(output.count) bytes")
        }
    }

    @Test(
        "what cannot be written is an error",
        arguments: ["status", "status --json", "devices", "explain", "doctor --json", "--help", "--version"])
    func fullDevice(command: String) async throws {
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("audiosession").path
            let run = try await finish(
                try ChildProcess(tool: "sh", ["-c", "exec \"$0\" \(command) >/dev/full", program], on: server))
            expectFailure(run, 1, saying: "No space left on device")
        }
    }

    @Test(
        "who prints what happens ends with its reader, at once",
        arguments: ["monitor", "monitor --json", "status --watch"], [true, false])
    func goneReader(command: String, isIgnored: Bool) async throws {
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("audiosession").path
            let music = try await session(named: "Music", on: server)
            let trap = isIgnored ? "trap '' PIPE; " : ""
            let script = "{ \(trap)\"$0\" \(command); echo \"ended with $?\" >&2; } | head -n 1"
            let run = try await finish(try ChildProcess(tool: "bash", ["-c", script, program], on: server))
            let words = isIgnored ? ["audiosession: cannot write: Broken pipe", "ended with 1"] : ["ended with 141"]
            #expect(run.errors == words)
            withExtendedLifetime(music) {}
        }
    }

    @Test("it writes completions for the shells", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let script = try await audiosession("--generate-completion-script", shell)
        #expect(script.exit.status == 0)
        for command in commands + seeing { #expect(script.output.contains(command), "\(command)") }
        let commands = [
            "bash": "&& kind=-c", "zsh": "_command_names -e ||", "fish": "(for line in (string replace ",
        ]
        #expect(script.output.contains(try #require(commands[shell])))
    }

    @Test("bash offers -- behind run and trace, programs behind that, and files for them")
    func commandCompletions() async throws {
        let script = """
            source <("$0" --generate-completion-script bash)
            cd "$1"; mkdir bin; touch bin/avtool bin/avnote; chmod +x bin/avtool; PATH="$PWD/bin"
            offered() {
                COMP_WORDS=(audiosession "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                COMPREPLY=(); _audiosession audiosession "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s|' "${COMPREPLY[@]}"
            }
            offered run avt; offered run ''; offered run --category playback '';
            offered run --category playback -- avt; offered run -- bin/avt; offered run -- avtool bi; offered run --mo
            offered trace -o x -- avt; offered trace -o bin/avn
            """
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("words-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try ChildProcess.executable("audiosession").path
        let bash = try ChildProcess(
            URL(fileURLWithPath: "/bin/bash"), ["-c", script, program, folder.path], environment: nowhere)
        #expect(try await finish(bash).output == "|--|--|avtool|bin/avtool|bin|--mode|avtool|bin/avnote|")
    }

    @Test(
        "fish offers -- behind run, programs behind that, and for them what it has",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "needs fish"))
    func fishCompletions() async throws {
        let script = #"""
            $argv[1] --generate-completion-script fish | source
            cd $argv[2]; mkdir bin; touch bin/zqxtool; chmod +x bin/zqxtool; set -gx PATH $argv[2]/bin $PATH
            function offered
                complete -C "audiosession $argv" | string replace -r '\t.*' '' | string join ' '
            end
            offered 'run '; offered 'run --category playback '; offered 'run -- zqxt'; offered 'run -- zqxtool bi'
            offered 'run --mo'; exit 0
            """#
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fish-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fish = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/fish"),
            ["--no-config", "-c", script, try ChildProcess.executable("audiosession").path, folder.path],
            environment: nowhere.merging(["HOME": folder.path]) { $1 })
        #expect(try await finish(fish).output == "--\n--\nzqxtool\nbin/\n--mode\n")
    }

    @Test("the manual page has every command and every option, and those only")
    func manualPage() async throws {
        let page = try String(contentsOf: Self.manualPage, encoding: .utf8)
        let written = page.matches(of: #/\\-\\-([a-z]+(?:\\-[a-z]+)*)/#)
        let told = Set(written.map { String($0.1).replacing("\\", with: "") })
        var known: Set<String> = ["generate-completion-script", "help", "version"]
        for command in commands + seeing {
            #expect(page.contains("\n.SS \(command)"), "\(command)")
            let help = try await audiosession(command, "--help").output
            known.formUnion(help.matches(of: /\n  (?:-[a-z], )?--([a-z-]+)/).map { String($0.1) })
        }
        #expect(told == known)
        let version = try await audiosession("--version").output.trimmingCharacters(in: .newlines)
        #expect(page.contains("\"audiosession \(version)\""))
    }

    private static let manualPage = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/audiosession.1").standardizedFileURL
}
