import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@Suite("doctor", .serialized, .limited) struct DoctorTests {
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

    @Test(
        "a server that asks for another cookie is said to refuse, with what helps",
        arguments: [["doctor"], ["status"], ["run", "--", "true"]])
    func refused(words: [String]) async throws {
        try await withServer(.pulseAudio) { server in
            let (own, other) = (server.directory.path + "/own", server.directory.path + "/other")
            for file in [own, other] {
                try Data(file.utf8.suffix(4) + Data(count: 252)).write(to: URL(fileURLWithPath: file))
            }
            let port = try freePort()
            let way = ["listen=127.0.0.1", "port=\(port)", "auth-cookie=\(own)"]
            _ = try await Pactl(server).loadModule("module-native-protocol-tcp", way)
            let address = ["PULSE_SERVER": "tcp:127.0.0.1:\(port)"]
            func call(_ cookie: String) async throws -> Run {
                let environment = address.merging(["PULSE_COOKIE": cookie]) { $1 }
                return try await finish(try ChildProcess("audiosession", words, on: server, environment: environment))
            }
            let refused = try await call(other)
            expectFailure(refused, 69, saying: "the file of the server's own cookie in PULSE_COOKIE")
            #expect(refused.errors.first?.contains("start one") == false)
            #expect(refused.output.contains("fail  server: it refuses this program: ") == (words == ["doctor"]))
            let welcome = try await call(own)
            #expect(welcome.exit.status == 0, "\(welcome.errors)")
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

    @Test("WirePlumber's role-based policy is named where its sinks are there, and nowhere else")
    func rolePolicy() async throws {
        try await withServer(.pipeWire) { server in
            let line = "ok    roles: WirePlumber's role-based policy is configured"
            #expect(try await audiosession("doctor", on: server).output.contains("roles:") == false)
            let pactl = Pactl(server)
            let sign = "sink_properties=policy.role-based.target=true"
            _ = try await pactl.loadModule("module-null-sink", ["sink_name=role", sign])
            try await waitUntil("the role's sink") { try await pactl.sinks().contains { $0.name == "role" } }
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.exit.status == 0 && doctor.output.contains(line), "\(doctor.output)")
        }
    }

    @Test("the session manager's version is the one that it states, whichever program is in PATH")
    func managerVersion() async throws {
        try await withServer(.pipeWire) { server in
            func line(of version: String) async throws -> String? {
                let manager = try PulseConnection(
                    name: "manager", properties: ["wireplumber.daemon": "true", "application.version": version])
                try await manager.connect(to: server.address, timeout: .seconds(5))
                let doctor = try await audiosession("doctor", on: server)
                await manager.close()
                return doctor.output.split(separator: "\n").first { $0.contains("session manager:") }.map(String.init)
            }
            guard server.isPipeWire(before: "1.0") else {
                // WirePlumber 0.5 states its version, and is there first.
                let version = try await ChildProcess.run(tool: "wireplumber", ["--version"], on: server)
                let own = try #require(version.split(separator: "\n").last?.split(separator: " ").last)
                #expect(try await line(of: "0.1")?.contains("session manager: WirePlumber \(own)") == true)
                return
            }
            #expect(try await line(of: "0.5.18") == "ok    session manager: WirePlumber 0.5.18")
            let older = try await line(of: "0.5.8")
            #expect(older?.hasPrefix("warn  session manager: WirePlumber 0.5.8 remembers") == true, "\(older ?? "")")
        }
    }

    @Test("many connections are a warning")
    func connections() async throws {
        try await withServer(.pulseAudio) { server in
            let mainloop = try Mainloop()
            let others = (0..<52).map { _ in PulseConnection(name: "idle", mainloop: mainloop) }
            for other in others { try await other.connect(to: server.address, timeout: .seconds(5)) }
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.output.contains("warn  connections: 53 of 64"), "\(doctor.output)")
            for other in others { await other.close() }
        }
    }

    @Test("what a program that was killed had lowered is said")
    func ledgers() async throws {
        try await withServer(.pulseAudio) { server in
            let connection = try PulseConnection(name: "test")
            try await connection.connect(to: server.address, timeout: .seconds(2))
            let info = try await connection.serverInfo()
            let index = try #require(await connection.clientIndex)
            let folder = try #require(server.environment["XDG_RUNTIME_DIR"]) + "/avaudiosession"
            let file = try #require(DuckLedgerFile(server: info.cookie, directory: folder))
            var ledger = DuckLedger(server: info.cookie, owner: index, revision: 1)
            ledger.enter(.lowered(.init()), for: 7)
            #expect(file.commit(ledger, expecting: 0) == .done)
            #expect(!(try await audiosession("doctor", on: server).output.contains("lowered programs")))
            await connection.close()
            try await waitUntil("the end of the writer") {
                try await audiosession("doctor", on: server).output.contains("warn  lowered programs:")
            }
        }
    }

    @Test("settings that make no sense are named")
    func settings() async throws {
        try await withServer(.pulseAudio) { server in
            #expect(try await audiosession("doctor", on: server).output.contains("ok    settings: /"))
            let doctor = try await audiosession(
                "doctor", on: server, environment: ["AVAUDIOSESSION_FOREIGN": "explode"])
            #expect(doctor.exit.status == 0)
            #expect(doctor.output.contains("warn  settings:") && doctor.output.contains("explode"))
        }
    }

    @Test("the guard does nothing where nothing was lowered")
    func guardian() async throws {
        let run = try await audiosession("guard", environment: ["AVAUDIOSESSION_GUARD": "1"])
        #expect(run.exit.status == 0 && run.output.isEmpty && run.errors.isEmpty)
    }
}

/// A port of this machine that nobody listens on.
private func freePort() throws -> UInt16 {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return try withUnsafeMutableBytes(of: &place) { bytes in
        let address = try #require(bytes.baseAddress).assumingMemoryBound(to: sockaddr.self)
        try #require(bind(listener, address, length) == 0 && getsockname(listener, address, &length) == 0)
        return UInt16(bigEndian: bytes.load(as: sockaddr_in.self).sin_port)
    }
}
