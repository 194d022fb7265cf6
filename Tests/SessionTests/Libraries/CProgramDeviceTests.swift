import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What programs in C are told about devices; see ``CProgram``.
@Suite("Devices in C", .limited)
struct CProgramDeviceTests {
    @Test("Ports and numbers of the devices are those of the server", arguments: HeadlessServer.Kind.allCases)
    func devices(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "first", rate: 44_100), HeadlessServer.NullSink(name: "second")]
        try await withServer(kind, sinks: sinks) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            try await app.send("available")
            let playing = try await app.wait(for: "current")
            #expect(Set(playing.strings("outputs") ?? []) == ["first", "second"] && playing.strings("inputs") == [])
            try await app.send("category record default")
            try await app.send("available")
            let recording = try await app.wait(for: "current")
            #expect(recording.strings("outputs") == [])
            #expect(recording.strings("inputs")?.contains("first.monitor") == true)

            try await app.send("type playback")
            try await Pactl(server).setDefault(sink: "first")
            func number(_ which: Int) async throws -> Double? {
                try await app.send("number \(which)")
                return try await app.wait(for: "number").number("number")
            }
            try await waitUntil("the rate", timeout: hangLimit) { try await number(1) == 44_100 }
            #expect(try await number(6) == 2)
            // None of a category that does not record.
            for input in [3, 5, 7] { #expect(try await number(input) == 0, "\(input)") }
            try await Pactl(server).run("set-sink-volume", "first", "25%")
            try await waitUntil("the volume", timeout: hangLimit) {
                abs((try await number(8) ?? 0) - 0.25) < 0.01
            }
            for seconds in [2, 4] {
                let value = try #require(try await number(seconds))
                #expect(value >= 0 && value < 5, "\(seconds)")
            }
        }
    }

    @Test("A route in JSON is the same route, with any name")
    func json() async throws {
        let name = "Bed\u{1B}[2J \u{1F509} \"phones\" \\"
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try await withServer(.pulseAudio, sinks: [.init(properties: "device.description='\(escaped)'")]) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            try await app.send("route")
            let route = try await app.wait(for: "current")
            let json = try await app.wait(for: "json").description
            let ports = try JSONDecoder().decode(RouteInJSON.self, from: Data(json.utf8)).route
            let (uid, shown) = (try #require(route.strings("outputs")?.first), try #require(route.string("name")))
            #expect(shown == name)
            #expect(ports.inputs.isEmpty)
            #expect(ports.outputs == [.init(type: "Virtual", name: name, uid: uid, channels: 2)])
        }
    }

    @Test("Warming up connects, and changes nothing else", arguments: HeadlessServer.Kind.allCases)
    func warmUp(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("warm-up")
            try await waitUntil("the connection", timeout: hangLimit) {
                try await Pactl(server).clients().contains { $0.processID == app.processID }
            }
            #expect(try await app.send("state").number("value") == 0)
            #expect(try await Pactl(server).sinkInputs().isEmpty)
        }
    }
}

/// What `c-peer` prints of a route.
private struct RouteInJSON: Decodable {
    struct Route: Decodable { let outputs, inputs: [Port] }

    struct Port: Decodable, Equatable {
        let type, name, uid: String
        let channels: Int
    }

    let route: Route
}
