import Foundation
package import HeadlessServer
internal import PulseClient

/// A server's view of itself, and what a mixer's user does there, through the connections of ``ServerView``.
///
/// Only ``run(_:)`` starts a process: while clients come and go, PipeWire tells others less.
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
    package func sinks() async throws -> [Object] {
        try await view.ask { try await $0.sinks() }.map {
            Object(
                index: $0.index, name: $0.name, state: $0.state, isMuted: $0.isMuted, volume: $0.volume,
                specification: $0.spec, properties: $0.properties)
        }
    }
    /// The sources, monitors among them.
    package func sources() async throws -> [Object] {
        try await view.ask { try await $0.sources() }.map {
            Object(
                index: $0.index, name: $0.name, state: $0.state, isMuted: $0.isMuted, volume: $0.volume,
                specification: $0.spec, properties: $0.properties)
        }
    }
    /// The playback streams, once each of them is on a sink.
    package func sinkInputs() async throws -> [Object] {
        try await linked {
            try await view.ask { try await $0.sinkInputs() }.map {
                Object(
                    index: $0.index, isMuted: $0.isMuted, isCorked: $0.isCorked, volume: $0.volume, device: $0.sink,
                    client: $0.client, specification: $0.spec, properties: $0.properties)
            }
        }
    }
    /// The recording streams, once each of them is on a source.
    package func sourceOutputs() async throws -> [Object] {
        try await linked {
            try await view.ask { try await $0.sourceOutputs() }.map {
                Object(
                    index: $0.index, isMuted: $0.isMuted, isCorked: $0.isCorked, volume: $0.volume, device: $0.source,
                    client: $0.client, specification: $0.spec, properties: $0.properties)
            }
        }
    }

    /// Lists streams until each has a device, which PipeWire gives a stream after it lists it, but no longer than half a
    /// second: one may wait for a device that is gone.
    private func linked(_ list: () async throws -> [Object]) async throws -> [Object] {
        var objects: [Object] = []
        do {
            try await waitUntil(timeout: .milliseconds(500)) {
                objects = try await list()
                return objects.allSatisfy { $0.device != nil }
            }
        } catch is SupportError {}
        return objects
    }

    /// The connections, without those of the view.
    package func clients() async throws -> [Object] {
        try await view.ask { try await $0.clients() }.map { Object(index: $0.index, properties: $0.properties) }
            .filter { $0.properties[ServerView.mark] == nil }
    }

    private var view: ServerView { ServerView.of(server) }

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

    /// Moves a playback stream to another sink, once it is on one.
    ///
    /// PipeWire's session manager forgets a move that comes while it looks for the stream's first sink.
    package func move(sinkInput: Int, to sink: String) async throws {
        try await waitUntil("a sink of stream \(sinkInput)") {
            try await sinkInputs().first { $0.index == sinkInput }?.device != nil
        }
        let wanted = try await self.sink(sink)?.index
        for target in [sink, "@DEFAULT_SINK@", sink] {
            try await view.change { try await $0.moveSinkInput(at: UInt32(sinkInput), to: target) }
            // Some other program may move it elsewhere; what is forgotten is asked for again, by way of another target.
            let isThere = await soon {
                let device = try await sinkInputs().first { $0.index == sinkInput }?.device
                return device == nil || device == wanted
            }
            if isThere { return }
        }
    }

    /// Mutes or unmutes a playback stream, as a mixer would.
    package func setMute(_ mute: Bool, sinkInput: Int) async throws {
        try await view.change { try await $0.setSinkInputMute(mute, at: UInt32(sinkInput)) }
    }

    /// Sets a playback stream's volume, 1 for 100 %, as a mixer would.
    package func setVolume(_ volume: Double, sinkInput: Int) async throws {
        try await view.change { connection in
            let channels = try await connection.sinkInputs().first { $0.index == sinkInput }?.volume.values.count
            guard let channels else { throw SupportError("no stream \(sinkInput)") }
            let values = Array(repeating: UInt32(volume * 65_536), count: channels)
            try await connection.setSinkInputVolume(Volume(values: values), at: UInt32(sinkInput))
        }
    }

    /// Suspends or resumes a sink.
    package func suspend(_ suspend: Bool, sink: String) async throws {
        try await view.change { try await $0.suspendSink(sink, suspend) }
    }

    /// Makes a sink the default, and waits until it is.
    package func setDefault(sink: String) async throws { try await setDefault("sink", sink) }

    /// Makes a source the default, and waits until it is.
    package func setDefault(source: String) async throws { try await setDefault("source", source) }

    /// PipeWire refuses as long as its session manager is not there yet.
    private func setDefault(_ what: String, _ name: String) async throws {
        try await waitUntil("a server that takes the default \(what) \(name)", timeout: hangLimit) {
            (try? await view.setDefault(what, name)) != nil
        }
        var looks = 0
        try await waitUntil("the default \(what) \(name)", timeout: hangLimit) {
            looks += 1
            if try await view.defaultName(of: what) == name { return true }
            guard looks % 100 == 0 else { return false }
            let answer = try await run("get-default-\(what)").trimmingCharacters(in: .whitespacesAndNewlines)
            if answer == name { return true }
            // After two seconds it is forgotten. PipeWire's session manager is told of a choice that is another one.
            let devices = try await what == "sink" ? sinks() : sources()
            if let other = devices.first(where: { $0.name != name })?.name { try? await view.setDefault(what, other) }
            try? await view.setDefault(what, name)
            return false
        }
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
            return matches(try await view.defaultName(of: what) ?? "")
        }
    }

    /// Sets a sink's volume, 1 for 100 %, as a mixer would.
    package func setVolume(_ volume: Double, sink: String) async throws {
        try await run("set-sink-volume", sink, "\(Int((volume * 100).rounded()))%")
    }

    /// Loads a module and returns its index.
    package func loadModule(_ name: String, _ arguments: [String] = []) async throws -> Int {
        try await view.change { Int(try await $0.loadModule(name, arguments.joined(separator: " "))) }
    }

    /// Unloads a module, and waits until it is gone.
    ///
    /// PulseAudio answers before it unloads; until then the module's devices have their names, and others get none of them.
    package func unloadModule(_ index: Int) async throws {
        try await view.change { try await $0.unloadModule(UInt32(index)) }
        try await waitUntil("the end of module \(index)", timeout: hangLimit) {
            try await !view.ask { try await $0.modules() }.contains { $0.index == UInt32(index) }
        }
    }
}

extension Pactl.Object {
    fileprivate init(
        index: UInt32, name: String = "", state: DeviceState? = nil, isMuted: Bool = false, isCorked: Bool = false,
        volume: Volume? = nil, device: UInt32? = nil, client: UInt32? = nil, specification: SampleSpec? = nil,
        properties: PropertyList
    ) {
        self.index = Int(index)
        self.name = name
        self.state = state.map { "\($0)".uppercased() } ?? ""
        (self.isMuted, self.isCorked) = (isMuted, isCorked)
        self.volume = Double(volume?.values.first ?? 65_536) / 65_536
        (self.device, self.client) = (device.map { Int($0) }, client.map { Int($0) })
        sampleSpecification = specification?.description ?? ""
        self.properties = properties.values
    }
}
