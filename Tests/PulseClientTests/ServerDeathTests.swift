import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite(.limited) struct ServerDeathTests {
    /// All that waits for an answer ends once; streams end before their connection; a connector finds the new server.
    @Test(.judges(.time(seconds: 1)), arguments: HeadlessServer.Kind.allCases)
    func everythingEndsOnce(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let order = Journal<String>()
            let answers = Journal<Int>()
            let connection = try await connected(to: server)
            let events = Journal<StreamEvent>()
            let stream = try await playing(.sine(seconds: 1), on: connection, thenSilence: true, journal: events)
            await stream.setHandlers(
                request: nil, event: { if case .stateChanged(.failed) = $1 { order.add("stream") } })
            await connection.setHandlers(state: { if case .failed = $1 { order.add("connection") } })

            // A frozen server leaves the questions unanswered until it is killed.
            server.suspendProcess()
            for question in 0..<20 {
                connection.sync { c in c.sinks { _ in answers.add(question) } }
                stream.sync { s in s.updateTiming { _ in answers.add(100 + question) } }
            }
            let suspended = Task { try await connection.sinkInputs() }
            let start = ContinuousClock.now
            server.kill()
            try await order.wait(for: "the end") { $0 == "connection" }
            #expect(ContinuousClock.now - start < atOnce, "killing by the supervisor takes some of it")
            #expect(order.all == ["stream", "connection"])
            #expect(answers.all.sorted() == Array(0..<20) + Array(100..<120))
            await #expect(throws: PulseError.self) { try await suspended.value }
            guard case .failed(let error) = await connection.state else { return #expect(Bool(false), "not failed") }
            #expect(error.code == .connectionTerminated)
            #expect(error.explanation == nil, "it was not full: it was there")
        }
    }

    @Test(.judges(.time(seconds: 1)), arguments: HeadlessServer.Kind.allCases)
    func failureIsSeenAtOnce(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            let ends = Journal<ContinuousClock.Instant>()
            await connection.setHandlers(state: { if case .failed = $1 { ends.add(.now) } })
            let process = try #require(server.processIDs.last)
            let start = ContinuousClock.now
            kill(process, SIGKILL)
            try await ends.wait(for: "the end") { _ in true }
            #expect(try #require(ends.all.first) - start < atOnce)
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func connectorFindsTheNewServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let loop = try Mainloop()
            let connectors = Journal<PulseConnection>()
            let delays = Journal<Duration>()
            let connector = PulseConnector(name: "tests", server: server.address, mainloop: loop)
            server.kill()
            connector.sync { connector in
                connector.start(
                    ready: { connectors.add($1) },
                    failure: { _, error, delay in
                        #expect(error.code == .connectionRefused)
                        delays.add(delay)
                    })
            }
            try await delays.wait(for: "three attempts") { $0 == .milliseconds(80) }
            #expect(await connector.isRunning)
            try await offPool { try server.restart() }
            try await connectors.wait(for: "a connection") { _ in true }
            #expect(delays.all.prefix(3) == [.milliseconds(20), .milliseconds(40), .milliseconds(80)])
            #expect(await connector.isRunning == false)
            let connection = try #require(connectors.all.first)
            _ = try await connection.serverInfo()
            #expect(connectors.all.count == 1)
        }
    }

    @Test func connectorCanBeCancelled() async throws {
        let delays = Journal<Duration>()
        let connector = try PulseConnector(
            name: "tests", server: "unix:/nonexistent", mainloop: Mainloop(),
            policy: ReconnectPolicy(first: .milliseconds(1), limit: .milliseconds(1)))
        connector.sync { $0.start(ready: { _, _ in }, failure: { delays.add($2) }) }
        try await waitUntil("some attempts") { delays.all.count > 3 }
        await connector.cancel()
        let count = delays.all.count
        // The loop has a chance to go wrong: a hundred trips through it.
        for _ in 0..<100 { #expect(await connector.isRunning == false) }
        #expect(delays.all.count == count)
    }

    /// A frozen server takes connections and does not answer: an attempt must end all the same.
    @Test(arguments: HeadlessServer.Kind.allCases)
    func connectorGivesUpOnAFrozenServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connections = Journal<PulseConnection>()
            let errors = Journal<PulseError>()
            let connector = try PulseConnector(
                name: "tests", server: server.address, mainloop: Mainloop(), attemptTimeout: .milliseconds(100))
            server.suspendProcess()
            connector.sync { $0.start(ready: { connections.add($1) }, failure: { _, error, _ in errors.add(error) }) }
            try await errors.wait(for: "a timeout") { $0.code == .timeout }
            server.resumeProcess()
            try await connections.wait(for: "a connection") { _ in true }
        }
    }
}
