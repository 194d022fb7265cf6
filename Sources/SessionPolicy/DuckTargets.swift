/// The streams of programs outside the library that are lowered while somebody ducks.
///
/// | stream | lowered |
/// |---|---|
/// | records, or is a sample of the server's cache, a loopback or a filter | no |
/// | is a participant's own, over its control connection | no: it lowers itself |
/// | belongs to a participant otherwise (the command of `audiosession run`, SDL beside the library) | as the verdict on that one says |
/// | has the role `phone`: a call must be heard | no |
/// | has the role `a11y`: a screen reader must be heard | no |
/// | any other program's, on a sink where a ducker is heard | yes, also while paused or muted: it may go on at any time |
/// | the same, being moved between sinks | yes, so as not to go up and down on the way |
/// | on another sink | no: it disturbs nobody |
///
/// A ducker without a stream will be heard on the default sink.
package struct DuckTargets: Hashable, Sendable {
    /// The server's numbers of the playback streams.
    package let streams: Set<UInt32>

    /// Judges all streams.
    ///
    /// - Parameters:
    ///   - streams: Everything on the server, of whatever direction and kind.
    ///   - arbitration: The sessions, and who of them ducks.
    ///   - defaultSink: The sink that new streams go to.
    package init(among streams: [ServerStream], arbitration: Arbitration, defaultSink: UInt32?) {
        let duckers = Set(arbitration.duckers)
        guard !duckers.isEmpty else {
            self.streams = []
            return
        }
        var foreign: [ServerStream] = []
        var sinks: Set<UInt32> = []
        var heard: Set<UInt32> = []
        for stream in streams where stream.direction == .playback {
            guard let owner = stream.participant(among: arbitration.participants)?.id else {
                foreign.append(stream)
                continue
            }
            if stream.client != owner, arbitration.verdict(on: owner).isDucked { foreign.append(stream) }
            guard duckers.contains(owner), let sink = stream.device else { continue }
            sinks.insert(sink)
            heard.insert(owner)
        }
        if heard != duckers, let defaultSink { sinks.insert(defaultSink) }
        let lowered = foreign.filter { stream in
            Self.mayBeLowered(stream) && (stream.device.map(sinks.contains) ?? !sinks.isEmpty)
        }
        self.streams = Set(lowered.map(\.index))
    }

    private static func mayBeLowered(_ stream: ServerStream) -> Bool {
        stream.kind == .program && stream.role != "phone" && stream.role != "a11y"
    }
}
