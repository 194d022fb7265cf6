package import PulseClient

/// A connection that reads snapshots of a server, once or after each change.
package struct ServerObserver: Sendable {
    /// The connection; ready, unless it was lost since.
    package let connection: PulseConnection

    /// The least time between two snapshots.
    private static let pause = Duration.milliseconds(20)
    /// The longest time between two snapshots: the server does not report that a process was stopped or continued.
    private static let longestPause = Duration.seconds(1)

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
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await connection.setHandlers(
            state: { _, _ in change.finish() }, event: { _, _ in change.yield() })
        try await connection.subscribe([.client, .sinkInput, .sourceOutput, .sink, .source, .server])
        let clock = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.longestPause)
                change.yield()
            }
        }
        defer { clock.cancel() }
        change.yield()
        for await _ in changes {
            guard await body(try await ServerSnapshot.read(connection)) else { return }
            try? await Task.sleep(for: Self.pause)
        }
        throw PulseError(.connectionTerminated, in: "pa_context_subscribe")
    }

    /// Closes the connection.
    package func close() async { await connection.close() }
}
