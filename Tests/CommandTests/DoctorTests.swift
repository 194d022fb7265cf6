import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("doctor", .serialized, .timeLimit(.minutes(5))) struct DoctorTests {
    @Test("says what the server is, one line for each check", arguments: HeadlessServer.Kind.allCases)
    func server(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.exit.status == 0, "\(doctor.output) \(doctor.errors)")
            let lines = doctor.output.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("ok    ") || $0.hasPrefix("warn  ") })
            #expect(doctor.output.contains(kind == .pipeWire ? "on PipeWire" : "PulseAudio \(server.version)"))
            #expect(doctor.output.contains("warn  input: there is no microphone"))
            #expect(doctor.output.contains("warn  session bus: there is none"))
            let json = try await audiosession("doctor", "--json", on: server)
            #expect(json.events.count == lines.count)
            #expect(json.events.allSatisfy { ["ok", "warn"].contains($0.string("level") ?? "") })
        }
    }

    @Test("module-role-cork is fine, module-role-ducking a risk")
    func modules() async throws {
        try await withServer(.pulseAudio, modules: ["module-role-cork", "module-role-ducking"]) { server in
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.exit.status == 0)
            #expect(doctor.output.contains("ok    calls: module-role-cork is loaded"))
            #expect(doctor.output.contains("warn  ducking: module-role-ducking is loaded"))
            #expect(doctor.output.contains("pactl unload-module module-role-ducking"))
        }
    }

    @Test("many connections are a warning")
    func connections() async throws {
        try await withServer(.pulseAudio) { server in
            let others = try (0..<52).map { _ in try ChildProcess(tool: "pactl", ["subscribe"], on: server) }
            try await waitUntil("all of them") { try await Pactl(server).clients().count > 52 }
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.output.contains("warn  connections: 53 of 64"), "\(doctor.output)")
            for other in others { other.send(SIGTERM) }
        }
    }

    @Test("a ledger that nobody holds was left by a crash")
    func ledgers() async throws {
        try await withServer(.pulseAudio) { server in
            let folder = URL(fileURLWithPath: server.environment["XDG_RUNTIME_DIR"] ?? "")
                .appendingPathComponent("avaudiosession")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let ledger = folder.appendingPathComponent("ledger")
            try Data("something".utf8).write(to: ledger)
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.output.contains("warn  lowered programs:") && doctor.output.contains(ledger.path))
            let file = open(ledger.path, O_RDWR)
            defer { close(file) }
            #expect(flock(file, LOCK_EX) == 0)
            #expect(!(try await audiosession("doctor", on: server).output.contains("lowered programs")))
        }
    }
}
