internal import HeadlessServer
internal import Locks
internal import PulseClient

/// A connection to a test's server for the questions of ``Pactl``, one for all of them.
///
/// PipeWire passes changes of its defaults to no other client while a client connects (its metadata module does so up
/// to 1.6), so a test that asks with a process of its own again and again hides them from the session that it judges.
/// A process for each question would also cost more than the rest of many tests.
actor ServerView {
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

    private let address: String
    private var connection: PulseConnection?

    private init(address: String) { self.address = address }

    /// The connection, a new one after a restart of the server.
    func connected() async throws -> PulseConnection {
        if let connection, await connection.state == .ready { return connection }
        let connection = PulseConnection(name: "test", mainloop: try Self.mainloop.get())
        try await connection.connect(to: address, timeout: .seconds(10))
        self.connection = connection
        return connection
    }

    private func close() async {
        await connection?.close()
        connection = nil
    }
}
