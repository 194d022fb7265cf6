package import PulseClient

/// A connection that looks at a server, once or again and again.
package struct ServerObserver: Sendable {
    /// The connection; ready, unless it was lost since.
    package let connection: PulseConnection

    /// Looks are at least so far apart, however fast things change.
    private static let pause = Duration.milliseconds(20)
    /// A process that is stopped, or goes on, tells nobody.
    private static let longestPause = Duration.seconds(1)

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - name: What to be called.
    ///   - server: The address; nil looks where every client looks.
    ///   - properties: More about us.
    package init(name: String, server: String? = nil, properties: PropertyList = [:]) async throws(PulseError) {
        connection = try PulseConnection(name: name, properties: properties)
        try await connection.connect(to: server, timeout: .seconds(2))
    }

    /// Calls `body` with what there is now, and again after each change, until it returns false.
    ///
    /// Throws when the server is gone.
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
