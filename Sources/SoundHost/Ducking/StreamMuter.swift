internal import PulseClient
internal import SessionPolicy

/// Mutes of streams that the session owns and cannot stop itself, where no process silences them by their volume.
///
/// Servers remember a mute for the program's next stream, and other processes cannot distinguish it from the user's, so
/// it is the last resort:
///
/// | no ledger names the stream | it is muted |
/// |---|---|
/// | since no process can lower any (PipeWire over a network, or without libpipewire) | at once |
/// | though one is elected: it runs a version of the library that knows nothing of such streams | after a second |
///
/// A stream is muted once: one that the user unmutes stays so, and one that was muted before is left alone. A guard gives
/// all back if this process is killed.
// SAFETY: only touched with the main loop's lock held.
final class StreamMuter: @unchecked Sendable {
    /// The time for the elected process to show an effect; longer than other processes wait before they exclude it.
    private static let gracePeriod = Duration.seconds(1)

    private let connection: PulseConnection
    private let server: UInt32
    private let restorer: DuckRestorer
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.muteMissing() }
    private var muted: Set<UInt32> = []
    /// Streams that were muted before; nil before the first look since something is to be silent.
    private var mutedByUser: Set<UInt32>?
    /// The streams that no process silences.
    private var missing: Set<UInt32> = []
    /// The number of streams being unmuted.
    private var unanswered = 0
    private var hasFailed = false

    /// Creates a muter without muted streams.
    init(connection: PulseConnection, server: UInt32, restorer: DuckRestorer) {
        self.connection = connection
        self.server = server
        self.restorer = restorer
    }

    /// Whether nothing is muted here.
    var isIdle: Bool { muted.isEmpty && unanswered == 0 }

    /// Mutes the streams that no other process silences, or with nil unmutes all that were muted here.
    ///
    /// - Parameters:
    ///   - streams: The session's streams that are to be silent; nil if the session is heard.
    ///   - isAnybodyAble: Whether a process that ducks streams for all is elected.
    ///   - isWrittenDown: Whether a ledger names a stream.
    func update(_ streams: [ServerStream]?, isAnybodyAble: Bool, isWrittenDown: (UInt32) -> Bool) {
        guard let streams else { return unmute() }
        // The server may give a new stream the mute of an earlier stream of its program.
        let users = mutedByUser ?? Set(streams.filter(\.isMuted).map(\.index))
        mutedByUser = users
        let settled = muted.union(users)
        missing = Set(streams.map(\.index).filter { !settled.contains($0) && !isWrittenDown($0) })
        guard !missing.isEmpty else { return timer.cancel() }
        if !isAnybodyAble { muteMissing() } else if !timer.isRunning { timer.start(after: Self.gracePeriod) }
    }

    private func muteMissing() {
        timer.cancel()
        guard !missing.isEmpty else { return }
        // A mute that no guard knows of would outlive this process.
        if restorer.prepare(on: connection.mainloop, then: { [weak self] in self?.muteMissing() }) { return }
        let new = missing
        missing = []
        muted.formUnion(new)
        var ledger = DuckLedger(server: server, owner: connection.sync { $0.clientIndex } ?? .max)
        for stream in muted { ledger.enter(.lowered(.mute), for: stream) }
        restorer.note(ledger)
        connection.sync { connection in
            for stream in new { connection.setSinkInputMute(true, at: stream) }
        }
    }

    private func unmute() {
        timer.cancel()
        missing = []
        mutedByUser = nil
        let streams = muted
        muted = []
        unanswered += streams.count
        connection.sync { connection in
            for stream in streams {
                connection.setSinkInputMute(false, at: stream) { [weak self] in self?.unmuted($0) }
            }
        }
    }

    private func unmuted(_ result: Result<Void, PulseError>) {
        unanswered -= 1
        // One that has ended meanwhile is an error, and none of ours.
        if case .failure(let error) = result, error.code != .noSuchEntity { hasFailed = true }
        if isIdle {
            if hasFailed { _ = restorer.takeOver() } else { restorer.dismiss() }
            hasFailed = false
        }
        connection.mainloop.signal()
    }
}
