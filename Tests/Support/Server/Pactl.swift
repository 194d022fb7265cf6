import Foundation
package import HeadlessServer

/// A server's own view of itself, through `pactl`; its defaults through ``ServerView``.
package struct Pactl: Sendable {
    /// A sink, source, client or stream as the server lists it.
    package struct Object: Sendable {
        /// The server's number for it.
        package let index: Int
        /// The name of a sink or source; empty for others.
        package let name: String
        /// `RUNNING`, `IDLE` or `SUSPENDED`; empty for streams and clients.
        package let state: String
        /// Whether it is muted.
        package let isMuted: Bool
        /// Whether the stream is corked.
        package let isCorked: Bool
        /// The volume of the first channel, 1 for 100 %.
        package let volume: Double
        /// The index of the sink or source that a stream is on.
        package let device: Int?
        /// The index of the client that a stream belongs to.
        package let client: Int?
        /// Such as `float32le 2ch 48000Hz`.
        package let sampleSpecification: String
        /// The property list.
        package let properties: [String: String]

        /// The process that it belongs to, by its properties.
        package var processID: Int32? { properties["application.process.id"].flatMap { Int32($0) } }
        /// Its role, such as `music`.
        package var role: String? { properties["media.role"] }
    }

    private let server: HeadlessServer

    /// Speaks to `server`.
    package init(_ server: HeadlessServer) {
        self.server = server
    }

    /// Runs `pactl` with any arguments and returns what it prints.
    @discardableResult
    package func run(_ arguments: String...) async throws -> String {
        try await ChildProcess.run(tool: "pactl", arguments, on: server)
    }

    /// The sinks.
    package func sinks() async throws -> [Object] { try await list("sinks") }
    /// The sources, monitors among them.
    package func sources() async throws -> [Object] { try await list("sources") }
    /// The playback streams.
    package func sinkInputs() async throws -> [Object] { try await list("sink-inputs") }
    /// The recording streams.
    package func sourceOutputs() async throws -> [Object] { try await list("source-outputs") }
    /// The connections, those of `pactl` and of the view among them.
    package func clients() async throws -> [Object] { try await list("clients") }

    /// The sink of a name.
    package func sink(_ name: String) async throws -> Object? { try await sinks().first { $0.name == name } }

    /// The playback streams of a process.
    package func sinkInputs(of process: Int32) async throws -> [Object] {
        try await sinkInputs().filter { $0.processID == process }
    }

    /// Waits until a process has a playback stream that fulfils a condition, and returns it.
    package func waitForSinkInput(
        of process: Int32, timeout: Duration = hangLimit, where matches: (Object) -> Bool = { _ in true }
    ) async throws -> Object {
        var found: Object?
        try await waitUntil("a stream of process \(process)", timeout: timeout) {
            found = try await sinkInputs(of: process).first(where: matches)
            return found != nil
        }
        guard let found else { throw SupportError("no stream of process \(process)") }
        return found
    }

    /// Moves a playback stream to another sink.
    package func move(sinkInput: Int, to sink: String) async throws {
        try await run("move-sink-input", "\(sinkInput)", sink)
    }

    /// Mutes or unmutes a playback stream, as a mixer would.
    package func setMute(_ mute: Bool, sinkInput: Int) async throws {
        try await run("set-sink-input-mute", "\(sinkInput)", mute ? "1" : "0")
    }

    /// Sets a playback stream's volume, 1 for 100 %, as a mixer would.
    package func setVolume(_ volume: Double, sinkInput: Int) async throws {
        try await run("set-sink-input-volume", "\(sinkInput)", "\(Int(volume * 65_536))")
    }

    /// Suspends or resumes a sink.
    package func suspend(_ suspend: Bool, sink: String) async throws {
        try await run("suspend-sink", sink, suspend ? "1" : "0")
    }

    /// Makes a sink the default, and waits until it is.
    package func setDefault(sink: String) async throws { try await setDefault("sink", sink) }

    /// Makes a source the default, and waits until it is.
    package func setDefault(source: String) async throws { try await setDefault("source", source) }

    /// PipeWire refuses as long as its session manager is not there yet.
    private func setDefault(_ what: String, _ name: String) async throws {
        let view = ServerView.of(server)
        try await waitUntil("a server that takes the default \(what) \(name)", timeout: hangLimit) {
            (try? await view.setDefault(what, name)) != nil
        }
        try await waitForDefault(what) { $0 == name }
    }

    /// Waits until the default sink's name fulfils a condition.
    package func waitForDefaultSink(where matches: (String) -> Bool) async throws {
        try await waitForDefault("sink", where: matches)
    }

    /// Waits until the default source's name fulfils a condition.
    package func waitForDefaultSource(where matches: (String) -> Bool) async throws {
        try await waitForDefault("source", where: matches)
    }

    private func waitForDefault(_ what: String, where matches: (String) -> Bool) async throws {
        var looks = 0
        try await waitUntil("the default \(what)", timeout: hangLimit) {
            looks += 1
            // The view may have missed the change, which a new connection does not. About once a second.
            if looks % 50 == 0 {
                return matches(try await run("get-default-\(what)").trimmingCharacters(in: .whitespacesAndNewlines))
            }
            return matches(try await ServerView.of(server).defaultName(of: what) ?? "")
        }
    }

    /// Sets a sink's volume, 1 for 100 %, as a mixer would.
    package func setVolume(_ volume: Double, sink: String) async throws {
        try await run("set-sink-volume", sink, "\(Int((volume * 100).rounded()))%")
    }

    /// Loads a module and returns its index.
    package func loadModule(_ name: String, _ arguments: [String] = []) async throws -> Int {
        let reply = try await ChildProcess.run(tool: "pactl", ["load-module", name] + arguments, on: server)
        guard let index = Int(reply.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw SupportError("\(name): \(reply)")
        }
        return index
    }

    /// Unloads a module.
    package func unloadModule(_ index: Int) async throws { try await run("unload-module", "\(index)") }

    private func list(_ what: String) async throws -> [Object] {
        let text = try await run("-f", "json", "list", what)
        guard let objects = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] else {
            throw SupportError("pactl list \(what): \(text)")
        }
        return objects.compactMap(Object.init)
    }
}

extension Pactl.Object {
    fileprivate init?(_ json: [String: Any]) {
        // Some indices are printed as strings.
        func number(_ key: String) -> Int? {
            (json[key] as? NSNumber)?.intValue ?? (json[key] as? String).flatMap { Int($0) }
        }
        guard let index = number("index") else { return nil }
        self.index = index
        name = json["name"] as? String ?? ""
        state = json["state"] as? String ?? ""
        isMuted = json["mute"] as? Bool ?? false
        isCorked = json["corked"] as? Bool ?? false
        let channels = json["volume"] as? [String: [String: Any]] ?? [:]
        let first = channels["front-left"] ?? channels["mono"] ?? channels.values.first
        volume = ((first?["value"] as? NSNumber)?.doubleValue ?? 65_536) / 65_536
        device = number("sink") ?? number("source")
        client = number("client")
        sampleSpecification = json["sample_specification"] as? String ?? ""
        properties = (json["properties"] as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
    }
}
