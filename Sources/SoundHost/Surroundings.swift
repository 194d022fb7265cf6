internal import PulseClient
internal import SessionPolicy

/// What programs outside the library do, for as long as that matters to the session.
///
/// While the session is idle, and lowers nobody on behalf of others, nothing is listened to but claims: a process that
/// plays nothing does not wake up for every stream of the machine.
// SAFETY: only touched with the main loop's lock held.
final class Surroundings: @unchecked Sendable {
    let directory: StreamDirectory
    private let connection: PulseConnection
    private let board: ClaimBoard
    /// What is listened to at all times.
    private let always: SubscriptionMask
    private var isListening = false

    private static let whileNeeded: SubscriptionMask = [.client, .sinkInput, .sourceOutput, .sink, .source, .server]

    init(connection: PulseConnection, board: ClaimBoard, always: SubscriptionMask) {
        self.connection = connection
        self.board = board
        self.always = always
        directory = StreamDirectory(connection: connection)
        directory.onChange { [weak self] in self?.changed() }
        connection.sync { $0.subscribe(always) { _ in } }
    }

    /// Something happened on the server.
    func received(_ event: SubscriptionEvent) { directory.received(event) }

    /// Begins or stops to listen, as claims and verdicts want it.
    func verdictsChanged() {
        let isNeeded = board.claim.state != .idle
        if isNeeded == isListening { return }
        isListening = isNeeded
        if isNeeded {
            connection.sync { $0.subscribe(always.union(Self.whileNeeded)) { _ in } }
            directory.start()
        } else {
            connection.sync { $0.subscribe(always) { _ in } }
            directory.stop()
            board.isForeignMainSoundHeard = false
        }
    }

    private func changed() {
        let participants = board.arbitration.participants
        board.isForeignMainSoundHeard = directory.streams.contains {
            $0.isMainSound && $0.participant(among: participants) == nil
        }
    }
}
