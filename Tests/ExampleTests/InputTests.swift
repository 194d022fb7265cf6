import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Inputs that cannot be played", .serialized, .limited) struct InputTests {
    /// Names of wrong inputs, made by `wrong(_:in:)`; all of them are found out without a server.
    static let names = ["missing", "directory", "empty", "text", "header only", "no channels"]

    @Test("are 66, said in one line", arguments: ["player", "simple-play"], names)
    func unreadable(program: String, name: String) async throws {
        let folder = try Folder()
        let path = try wrong(name, in: folder)
        expectFailure(try await run(program, [path]), 66, of: program, saying: path)
    }

    @Test("are 66 where permission is missing", arguments: ["player", "simple-play"])
    func notPermitted(program: String) async throws {
        let folder = try Folder()
        let path = try folder.tone(0.1)
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: path)
        let executable = try ChildProcess.executable(program)
        var command = [executable.path, path]
        // The superuser may read everything: be somebody else.
        if getuid() == 0 { command = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"] + command }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        let process = try ChildProcess(
            URL(fileURLWithPath: command[0]), Array(command.dropFirst()), environment: nowhere)
        let result = try await finish(process)
        // A checkout in the superuser's home cannot be entered by anybody else.
        if result.errors.first?.hasPrefix("setpriv") == true { return }
        expectFailure(result, 66, of: program, saying: "Permission denied")
    }

    @Test("a WAV header that promises more than there is: what is there is played", .judges(.time(seconds: 3)))
    func lyingLength() async throws {
        let folder = try Folder()
        let whole = TestSignal.sine(seconds: 1).wavData
        let path = try folder.write(whole.prefix(44 + 44_100), "lying.wav")
        try await withServer(.pulseAudio) { server in
            let result = try await run("player", ["--json", path], on: server)
            #expect([0, 1].contains(result.exit.status))
            #expect(result.errors.count == (result.exit.status == 0 ? 0 : 1))
            #expect(result.exit.wallTime < .seconds(3))
        }
    }

    @Test("one bad file among several: nothing is played")
    func checkedFirst() async throws {
        let folder = try Folder()
        let good = try folder.tone(0.1)
        let missing = folder.path("missing.wav")
        expectFailure(try await run("player", [good, missing]), 66, of: "player", saying: missing)
    }

    @Test("what is no sound is told and passed over, and the list ends with 66")
    func passedOver() async throws {
        let folder = try Folder()
        let (first, cover, last) = (try folder.tone(0.1), folder.path("cover.jpg"), try folder.tone(0.2))
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: cover))
        try await withServer(.pulseAudio) { server in
            let lists = [[cover, first, last], [first, cover, last], [first, last, cover]]
            for list in lists {
                let result = try await run("player", ["--json"] + list, on: server)
                #expect(result.exit.status == 66)
                #expect(result.errors.count == 1 && result.errors.first?.contains("cover.jpg") == true)
                let lines = result.output.split(separator: "\n").compactMap { JSONLine(String($0)) }
                #expect(lines.filter { $0.string("event") == "started" }.map { $0.string("file") } == [first, last])
                #expect(lines.filter { $0.string("event") == "error" }.count == 1)
            }
            // What is asked for is the first song's.
            let late = try await run("player", ["--json", "--start-at", "0.05", cover, first], on: server)
            let start = late.output.split(separator: "\n").compactMap { JSONLine(String($0)) }
                .first { $0.string("event") == "started" }
            #expect(start?.number("position").map { $0 >= 0.05 } == true)
            let none = try await run("player", [cover, cover], on: server)
            #expect(none.exit.status == 66 && none.errors.count == 2)
        }
    }

    private func wrong(_ name: String, in folder: Folder) throws -> String {
        let sound = TestSignal.sine(seconds: 0.1).wavData
        switch name {
        case "missing": return folder.path("missing.wav")
        case "directory": return folder.url.path
        case "empty": return try folder.write(Data(), "empty.wav")
        case "text": return try folder.write(Data("To be, or not to be".utf8), "hamlet.wav")
        case "header only": return try folder.write(sound.prefix(20), "header.wav")
        default:
            var bytes = sound
            bytes[22] = 0
            return try folder.write(bytes, "channels.wav")
        }
    }
}
