internal import PulseClient
package import SessionPolicy

extension StreamDirectory {
    /// All streams, in the policy's words: playback before capture, both in the order of their indexes.
    package var streams: [ServerStream] {
        let roles = roleSinks
        return sinkInputs.keys.sorted().compactMap { playbackStream(at: $0, roles) }
            + sourceOutputs.keys.sorted().compactMap(captureStream)
    }

    /// The session manager's sinks for roles.
    package var roleSinks: RoleSinks {
        RoleSinks(among: sinks.values, inputs: sinkInputs.values, defaultSink: defaultSink)
    }

    /// The playback stream with that index, in the policy's words.
    package func playbackStream(at index: UInt32) -> ServerStream? {
        playbackStream(at: index, roleSinks)
    }

    private func playbackStream(at index: UInt32, _ roles: RoleSinks) -> ServerStream? {
        sinkInputs[index].map { ServerStream($0, client: $0.client.flatMap { clients[$0] }, roles: roles) }
    }

    /// The capture stream with that index, in the policy's words.
    package func captureStream(at index: UInt32) -> ServerStream? {
        sourceOutputs[index].map { output in
            ServerStream(
                output, client: output.client.flatMap { clients[$0] }, source: output.source.flatMap { sources[$0] })
        }
    }
}

extension ServerStream {
    /// Creates a playback stream from the server's object and its client, and the sinks for roles.
    init(_ input: SinkInput, client: Client?, roles: RoleSinks = .none) {
        self.init(
            direction: .playback, index: input.index, client: input.client,
            device: input.sink.flatMap { roles.device(behind: $0) }, kind: Kind(of: input),
            properties: input.properties, owner: client, isCorked: input.isCorked, isMuted: input.isMuted)
        roleSink = input.sink.flatMap { roles.policy.targets[$0] == nil ? nil : $0 }
    }

    /// Creates a capture stream from the server's object, its client, and its source; without a device while that one is
    /// not known.
    init(_ output: SourceOutput, client: Client?, source: Source?) {
        self.init(
            direction: .capture, index: output.index, client: output.client, device: source?.index,
            kind: Kind(of: output, recording: source), properties: output.properties, owner: client,
            isCorked: output.isCorked, isMuted: output.isMuted)
    }

    private init(
        direction: Direction, index: UInt32, client: UInt32?, device: UInt32?, kind: Kind, properties: PropertyList,
        owner: Client?, isCorked: Bool, isMuted: Bool
    ) {
        // PipeWire's native programs set the process ID on their client only.
        func text(_ key: String) -> String? {
            (properties[key] ?? owner?.properties[key]).flatMap { $0.isEmpty ? nil : $0 }
        }
        self.init(
            direction: direction, index: index, client: client, device: device, kind: kind,
            role: properties["media.role"], pid: text("application.process.id").flatMap { Int32($0) },
            host: text("application.process.host"), binary: text("application.process.binary"),
            applicationID: text("application.id") ?? text("pipewire.access.portal.app_id")
                ?? text("application.process.binary"),
            applicationName: text("application.name") ?? owner?.name, title: properties["media.name"],
            owner: properties.sessionOwner, isCorked: isCorked, isMuted: isMuted)
    }
}

extension ServerStream.Kind {
    /// The kind of a playback stream, by its creator.
    ///
    /// | | PulseAudio | PipeWire |
    /// |---|---|---|
    /// | a program | has a client | everything else |
    /// | the sample cache | no client, driver `play-memblockq.c` | of pipewire-pulse, but without format and buffers |
    /// | plumbing | no client, driver `module-….c` | made by a module, or half of a pair (`node.link-group`) |
    fileprivate init(of input: SinkInput) {
        if input.properties.isPlumbing {
            self = .plumbing
        } else if input.driver == "PipeWire" {
            self = input.properties.isCachedSample ? .sample : .program
        } else if input.client != nil {
            self = .program
        } else {
            self = input.driver.hasPrefix("play-mem") ? .sample : .plumbing
        }
    }

    /// The kind of a capture stream; level meters and recordings of sinks are plumbing too.
    fileprivate init(of output: SourceOutput, recording source: Source?) {
        let isMeter = output.resampleMethod == "peaks" || output.properties["resample.peaks"] == "true"
        let isServers = output.driver != "PipeWire" && output.client == nil
        let isPlumbing = output.properties.isPlumbing || isMeter || isServers || source?.monitorOf != nil
        self = isPlumbing ? .plumbing : .program
    }
}

extension PropertyList {
    /// Whether PipeWire marks the stream as an end of a module or filter.
    fileprivate var isPlumbing: Bool {
        self["node.link-group"] != nil || self["pulse.module.id"] != nil || self["stream.monitor"] == "true"
    }

    /// Whether pipewire-pulse created the stream for a sample of its cache: only those lack a format requested by a
    /// client.
    fileprivate var isCachedSample: Bool {
        self["client.api"] == "pipewire-pulse" && self["node.rate"] == nil && self["pulse.attr.maxlength"] == nil
    }

    /// The participant named by the stream: 16 hexadecimal digits.
    fileprivate var sessionOwner: UInt64? {
        guard let text = self["avaudiosession.owner"], text.utf8.count == 16, text.utf8.allSatisfy(\.isHexDigit) else {
            return nil
        }
        return UInt64(text, radix: 16)
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit }
}

extension Client {
    /// The client's process ID, once it is known.
    var process: String? { properties["application.process.id"] }
}
