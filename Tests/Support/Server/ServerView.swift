internal import HeadlessServer
internal import Locks
internal import PulseClient

/// Connections of a test to its server: one that asks, and one that changes things as a mixer does.
///
/// PipeWire passes changes of its defaults, and of a stream's target, to no other client while a client connects (its
/// metadata module does so up to 1.6), and to none ever after where two clients connect at the same moment (0.3.65). So
/// a test that asks with a process of its own again and again hides them from the session that it judges. Who has
/// changed a default is told of it before it is so; therefore there are two.
package actor ServerView {
    private static let open = Guarded<[String: ServerView]>([:])
    /// The loop of all views.
    private static let mainloop = Result { () throws(PulseError) in try Mainloop() }

    /// The view of a server, until ``close(_:)``.
    static func of(_ server: HeadlessServer) -> ServerView {
        open.withLock { views in
            if let view = views[server.address] { return view }
            let view = ServerView(address: server.address)
            views[server.address] = view
            return view
        }
    }

    /// Closes the view of a server that is about to be stopped, if there is one.
    static func close(_ server: HeadlessServer) {
        guard let view = open.withLock({ $0.removeValue(forKey: server.address) }) else { return }
        Task { await view.close() }
    }

    /// The property by which a list of clients shows a view's connections.
    package static let mark = "test.view"

    private let address: String
    private var asking: PulseConnection?
    private var changing: PulseConnection?

    private init(address: String) { self.address = address }

    /// The name of the default sink or source, as `what` says; nil without one.
    func defaultName(of what: String) async throws -> String? {
        let info = try await ask { try await $0.serverInfo() }
        return what == "sink" ? info.defaultSink : info.defaultSource
    }

    /// Makes a sink or source the default; the server may refuse.
    func setDefault(_ what: String, _ name: String) async throws {
        try await change { connection in
            if what == "sink" {
                try await connection.setDefaultSink(name)
            } else {
                try await connection.setDefaultSource(name)
            }
        }
    }

    /// Reads something over the connection that asks.
    func ask<Answer: Sendable>(_ question: @Sendable (PulseConnection) async throws -> Answer) async throws -> Answer {
        let connection = try await connected(asking)
        asking = connection
        // While nobody waits for a change yet.
        changing = try await connected(changing)
        return try await question(connection)
    }

    /// Does something over the connection that changes.
    func change<Answer: Sendable>(_ action: @Sendable (PulseConnection) async throws -> Answer) async throws -> Answer {
        let connection = try await connected(changing)
        changing = connection
        return try await action(connection)
    }

    /// A connection, a new one after a restart of the server.
    private func connected(_ former: PulseConnection?) async throws -> PulseConnection {
        if let former, await former.state == .ready { return former }
        let connection = PulseConnection(
            name: "test", properties: [Self.mark: "yes"], mainloop: try Self.mainloop.get())
        try await connection.connect(to: address, timeout: .seconds(10))
        // A client of PipeWire's is still connecting, as far as others are concerned, until it knows the defaults. A server
        // may have none.
        _ = await soon {
            let info = try await connection.serverInfo()
            return !info.isPipeWire || info.defaultSink.map { !$0.hasPrefix("@") } ?? false
        }
        return connection
    }

    private func close() async {
        for connection in [asking, changing] { await connection?.close() }
        (asking, changing) = (nil, nil)
    }
}
