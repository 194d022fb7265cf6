internal import Locks
package import PulseClient

/// A connection that reads snapshots of a server, once or after each change.
package struct ServerObserver: Sendable {
    /// The connection; ready, unless it was lost since.
    package let connection: PulseConnection

    /// The times between the snapshots of an observer.
    package struct Pace: Sendable {
        /// The least time between two snapshots.
        let pause: Duration
        /// The longest time between two snapshots; nil for a look after changes only.
        ///
        /// The server does not report that a process was stopped or continued.
        let longestPause: Duration?
        /// The time after the last change at which is looked once more; nil for no such look.
        ///
        /// PipeWire may tell of a change before it answers with it.
        let settling: Duration?

        /// For people who look on.
        package static let live = Pace(pause: .milliseconds(20), longestPause: .seconds(1), settling: nil)
        /// For a log, which must not wake a machine on which nothing happens, and tells what happened as exactly as it
        /// can.
        package static let changesOnly = Pace(
            pause: .milliseconds(5), longestPause: nil, settling: .milliseconds(250))
    }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - name: The client's name.
    ///   - server: The server's address; nil for libpulse's default.
    ///   - properties: Further properties of the client.
    package init(name: String, server: String? = nil, properties: PropertyList = [:]) async throws(PulseError) {
        connection = try PulseConnection(name: name, properties: properties)
        try await connection.connect(to: server, timeout: .seconds(2))
    }

    /// Calls `body` with a snapshot now and after each change, until it returns false; throws when the server is gone.
    package func follow(_ body: @Sendable (ServerSnapshot) async -> Bool) async throws(PulseError) {
        try await follow(.live) { snapshot, _ in await body(snapshot) }
    }

    /// Calls `body` as ``follow(_:)`` does, with the seconds since the server told of the first change that the snapshot
    /// shows; 0 for a snapshot without a change.
    package func follow(
        _ pace: Pace, _ body: @Sendable (ServerSnapshot, Double) async -> Bool
    ) async throws(PulseError) {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let clock = ContinuousClock()
        let firstChange = Guarded<ContinuousClock.Instant?>(nil)
        await connection.setHandlers(
            state: { _, _ in change.finish() },
            event: { _, _ in
                firstChange.withLock { $0 = $0 ?? clock.now }
                change.yield()
            })
        try await connection.subscribe([.client, .sinkInput, .sourceOutput, .sink, .source, .server])
        let ticks = pace.longestPause.map { pause in
            Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: pause)
                    change.yield()
                }
            }
        }
        var lastLook: Task<Void, any Error>?
        defer {
            ticks?.cancel()
            lastLook?.cancel()
        }
        change.yield()
        for await _ in changes {
            let told = firstChange.withLock { first in
                defer { first = nil }
                return first
            }
            let snapshot = try await ServerSnapshot.read(connection)
            let age = told.map { $0.duration(to: clock.now) / .seconds(1) } ?? 0
            guard await body(snapshot, age) else { return }
            if told != nil, let settling = pace.settling {
                lastLook?.cancel()
                lastLook = Task {
                    try await Task.sleep(for: settling)
                    change.yield()
                }
            }
            try? await Task.sleep(for: pace.pause)
        }
        throw PulseError(.connectionTerminated, in: "pa_context_subscribe")
    }

    /// Closes the connection.
    package func close() async { await connection.close() }
}
