internal import PulseClient
internal import SessionPolicy

/// The streams of the session, by the server's numbers.
struct SessionStreams {
    /// The output's stream; nil without one.
    var output: UInt32?
    /// The sink last reported by the server for the output, or else the sink it will use.
    var sink: UInt32?
    /// The clients of recordings, in addition to the session's own.
    var captureClients: [UInt32] = []
}

/// The session's streams among those of the server's directory, their devices, and the streams that belong to the
/// session without being its own.
///
/// Used with the main loop's lock held.
struct OwnStreams {
    let directory: StreamDirectory
    let board: ClaimBoard
    let isPipeWire: Bool
    /// The streams that the session has made.
    let streams: () -> SessionStreams

    /// The sinks and sources of the session's streams, and whether a stream is running there.
    var devicesInUse: [Device: Bool] {
        var uses: [Device: Bool] = [:]
        for input in directory.sinkInputs.values where input.client == board.id {
            guard let sink = input.sink else { continue }
            uses[Device(.playback, sink)] = !input.isCorked || uses[Device(.playback, sink)] == true
        }
        for output in recordings {
            guard let source = output.source else { continue }
            uses[Device(.capture, source)] = !output.isCorked || uses[Device(.capture, source)] == true
        }
        return uses
    }

    /// The session's recording streams.
    private var recordings: [SourceOutput] {
        let clients = [board.id] + streams().captureClients
        return directory.sourceOutputs.values.filter { $0.client != nil && clients.contains($0.client) }
    }

    /// The devices of the session's streams.
    var devices: (sink: UInt32?, sources: [UInt32]) {
        let own = streams()
        let (stream, sink) = (own.output, own.sink)
        let playing = directory.sinkInputs.values.first { $0.client == board.id && $0.index == stream ?? $0.index }
        let recording = recordings.sorted { $0.index < $1.index }
        // PipeWire reports no sink, or a former one, for a corked stream, and sends no event when the stream follows a
        // new default sink.
        let isVague = isPipeWire && playing?.isCorked == true
        return (playing.flatMap { isVague ? sink : $0.sink ?? sink }, recording.map { $0.source ?? .max })
    }

    /// The streams that belong to the session, but that it cannot stop itself.
    var unmanaged: [ServerStream] {
        let participants = board.arbitration.participants
        return directory.streams.filter { isUnmanaged($0, among: participants) }
    }

    /// The playback streams among ``unmanaged``.
    var unmanagedPlayback: [ServerStream] { unmanaged.filter { $0.direction == .playback } }

    private func isUnmanaged(_ stream: ServerStream, among participants: [Participant]) -> Bool {
        guard let id = board.id else { return false }
        switch stream.direction {
        case .playback: return stream.unmanagedStreamOwner(among: participants)?.id == id
        case .capture:
            let isManaged = stream.client.map { $0 == id || streams().captureClients.contains($0) } ?? true
            return stream.kind == .program && !isManaged && stream.participant(among: participants)?.id == id
        }
    }
}
