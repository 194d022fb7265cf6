internal import AudioHost
internal import PulseClient

/// The source and channels that a capture request selects on a server.
struct CaptureInput {
    /// The source's name; nil for the default one.
    let source: String?
    /// The positions of the channels to take; nil for those of a file.
    let map: ChannelMap?

    /// Looks at the server's sources only where the request depends on them.
    init(_ request: CaptureRequest, on connection: PulseConnection) throws(PulseError) {
        guard request.processing != .usual || !request.sourceChannels.isEmpty else {
            source = request.source
            map = nil
            return
        }
        let sources = try connection.sync { connection throws(PulseError) in
            try connection.answerAndWait("pa_context_get_source_info_list") { connection.sources(completion: $0) }
        }
        let wanted = request.source ?? AppIdentity.environment("PULSE_SOURCE")
        let fallback = try connection.sync { connection throws(PulseError) in
            try connection.answerAndWait("pa_context_get_server_info") { connection.serverInfo(completion: $0) }
        }.defaultSource
        let chosen = sources.first { $0.name == wanted ?? fallback }
        let name: String?
        switch request.processing {
        case .usual: name = request.source
        case .none:
            let raw = chosen.map { EchoCancellation.raw($0, among: sources).name }
            // Only who has not been given a name follows the default.
            name = raw == chosen?.name ? request.source : raw
        // The user's own choice of a microphone counts for more than a filter on another one.
        case .voice: name = request.source ?? sources.first(where: EchoCancellation.isSource)?.name
        }
        source = name
        let taken = sources.first { $0.name == name } ?? chosen
        map = taken.flatMap { Self.map(of: request.sourceChannels, in: $0) }
    }

    private static func map(of channels: [Int], in source: Source) -> ChannelMap? {
        let positions = source.map.positions
        guard !channels.isEmpty, channels.allSatisfy(positions.indices.contains) else { return nil }
        return ChannelMap(channels.map { positions[$0] })
    }
}

/// How servers take the echo of what is played out of a microphone's sound.
///
/// PulseAudio loads `module-echo-cancel` for streams that ask for it, where `module-filter-apply` is loaded; it levels
/// the voice as well. PipeWire has a source of its own where the user has set one up.
enum EchoCancellation {
    /// The filter's name in stream properties.
    static let filter = "echo-cancel"
    /// The module that loads filters.
    static let loader = "module-filter-apply"

    /// Whether a source gives sound without echo.
    static func isSource(_ source: Source) -> Bool {
        guard source.monitorOf == nil else { return false }
        return source.driver.contains("module-echo-cancel") || source.name.contains("echo-cancel")
            || source.properties["node.name"]?.contains("echo-cancel") == true
    }

    /// The microphone behind a source that filters another one.
    static func raw(_ source: Source, among sources: [Source]) -> Source {
        var source = source
        // Filters may stand on filters, though not in a circle.
        for _ in sources {
            guard let name = source.properties["device.master_device"],
                let master = sources.first(where: { $0.name == name })
            else { break }
            source = master
        }
        guard isSource(source) else { return source }
        // PipeWire does not say on what a filter stands.
        return sources.first { $0.monitorOf == nil && $0.flags.contains(.isHardware) && !isSource($0) } ?? source
    }
}
