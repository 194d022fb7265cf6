import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite(.limited) struct ConnectionTests {
    @Test(arguments: HeadlessServer.Kind.allCases)
    func connectsAndCloses(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let states = Journal<PulseConnection.State>()
            let connection = try PulseConnection(name: "tests")
            await connection.setHandlers(state: { states.add($1) })
            #expect(await connection.state == .unconnected)
            try await connection.connect(to: server.address, timeout: .seconds(5))
            #expect(await connection.state == .ready)
            #expect(await connection.clientIndex != nil)
            #expect(await connection.serverAddress == server.address)
            await connection.close()
            await connection.close()
            #expect(states.all == [.ready, .closed])
            await #expect(throws: PulseError.self) { try await connection.sinks() }
            await #expect(throws: PulseError.self) { try await connection.connect(to: server.address) }
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func worksFromPlainThreads(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let address = server.address
            let names = try await offPool {
                let connection = try PulseConnection(name: "tests")
                return try connection.sync { c throws(PulseError) -> [String] in
                    try c.connectAndWait(to: address, timeout: .seconds(5))
                    let sinks = try c.answerAndWait("sinks") { c.sinks(completion: $0) }
                    return sinks.map(\.name)
                }
            }
            #expect(names == ["test_out"])
        }
    }

    @Test func refused() async throws {
        let connection = try PulseConnection(name: "tests")
        let states = Journal<PulseConnection.State>()
        await connection.setHandlers(state: { states.add($1) })
        let address = "unix:/nonexistent/\(UUID().uuidString)"
        let error = await #expect(throws: PulseError.self) {
            try await connection.connect(to: address, timeout: .seconds(5))
        }
        #expect(error?.code == .connectionRefused)
        #expect(states.all.count == 1, "told exactly once")
        #expect(await connection.state == error.map { .failed($0) })
    }

    @Test func malformedAddress() async throws {
        let connection = try PulseConnection(name: "tests")
        await #expect(throws: PulseError.self) {
            try await connection.connect(to: "no:such:thing", timeout: .seconds(5))
        }
    }

    /// Both servers hang up on the 65th connection.
    @Test(arguments: HeadlessServer.Kind.allCases)
    func fullServerIsExplained(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let loop = try Mainloop()
            var connections: [PulseConnection] = []
            var failure: PulseError?
            while failure == nil, connections.count < 80 {
                do {
                    connections.append(try await connected(to: server, mainloop: loop))
                } catch {
                    failure = error as? PulseError
                }
            }
            #expect(connections.count >= 60)
            #expect(failure?.code == .connectionTerminated)
            #expect(failure.map { "\($0)" }?.contains("full") == true)
            await connections.removeLast().close()
            try await waitUntil("room for one more") { (try? await connected(to: server, mainloop: loop)) != nil }
        }
    }

    /// A server that is stopped takes connections and answers nothing.
    @Test(.judges(.time(seconds: 2)), arguments: HeadlessServer.Kind.allCases)
    func waitingIsBounded(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let address = server.address
            let ready = try await connected(to: server)
            server.suspendProcess()
            defer { server.resumeProcess() }
            let start = ContinuousClock.now
            let plain = try await offPool { () -> PulseError? in
                let connection = try PulseConnection(name: "tests")
                return connection.sync { c in
                    do throws(PulseError) {
                        try c.connectAndWait(to: address, timeout: .milliseconds(200))
                        return nil
                    } catch { return error }
                }
            }
            #expect(plain?.code == .timeout)
            let asynchronous = await #expect(throws: PulseError.self) {
                try await PulseConnection(name: "tests").connect(to: address, timeout: .milliseconds(200))
            }
            #expect(asynchronous?.code == .timeout)
            let answer = try await offPool { () -> PulseError? in
                ready.sync { c in
                    do throws(PulseError) {
                        _ = try c.answerAndWait("sinks", timeout: .milliseconds(200)) { c.sinks(completion: $0) }
                        return nil
                    } catch { return error }
                }
            }
            #expect(answer == PulseError(.timeout, in: "sinks"))
            #expect(ContinuousClock.now - start < .seconds(2))
            server.resumeProcess()
            #expect(try await ready.sinks().count == 1, "the connection goes on")
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func oddPropertiesSurvive(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let odd: PropertyList = [
                "test.emoji": "🎧 \u{0301}é\u{202E}", "test.empty": "", "test.quotes": "\"a\" = 'b', {c}\n\\",
                "test.long": String(repeating: "ä", count: 4_000),
            ]
            let connection = try await connected(to: server, properties: odd)
            let index = try #require(await connection.clientIndex)
            #expect(
                try await connection.client(at: index).properties.values.filter { odd[$0.key] != nil } == odd.values)

            try await connection.updateProperties(["test.emoji": "𝄞", "test.new": "1"])
            try await waitUntil("the new values") {
                let list = try await connection.client(at: index).properties
                return list["test.emoji"] == "𝄞" && list["test.new"] == "1" && list["test.quotes"] == odd["test.quotes"]
            }
            switch kind {
            case .pulseAudio:
                try await connection.removeProperties(["test.new", "test.long"])
                let list = try await connection.client(at: index).properties
                #expect(list["test.new"] == nil && list["test.long"] == nil && list["test.emoji"] == "𝄞")
            case .pipeWire where server.isPipeWire(before: "1.0"):
                let error = await #expect(throws: PulseError.self) {
                    try await connection.removeProperties(["test.new"])
                }
                #expect(error?.code == .noSuchEntity)
            case .pipeWire:
                // Others still see it.
                try await connection.removeProperties(["test.new"])
            }
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func manyConnectionsLeaveNothingBehind(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            func cycle() async throws {
                let connection = try await connected(to: server)
                _ = try await connection.serverInfo()
                // Every other one just goes away.
                if Bool.random() { await connection.close() }
            }
            for _ in 0..<20 { try await cycle() }
            let before = try resources()
            for _ in 0..<300 { try await cycle() }
            try await waitUntil("files and threads as before: \(before), \(try resources())") {
                let now = try resources()
                return now.files <= before.files + 8 && now.threads <= before.threads + 8
            }
        }
    }

    /// Asynchronous calls and plain threads reach the same actor, one at a time.
    @Test(arguments: HeadlessServer.Kind.allCases)
    func bothDoorsExclude(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let counter = Counter(connection: try await connected(to: server))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<12 {
                    group.addTask {
                        for round in 0..<200 {
                            if (task + round).isMultiple(of: 2) {
                                await counter.add()
                            } else {
                                counter.sync { $0.add() }
                            }
                            if round.isMultiple(of: 50) { _ = try await counter.connection.serverInfo() }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await counter.count == 2_400)
        }
    }

    private actor Counter: MainloopActor {
        nonisolated let connection: PulseConnection
        nonisolated var mainloop: Mainloop { connection.mainloop }
        nonisolated var unownedExecutor: UnownedSerialExecutor { mainloop.asUnownedSerialExecutor() }
        private(set) var count = 0

        init(connection: PulseConnection) { self.connection = connection }

        func add() {
            let old = count
            count = old + 1
        }
    }
}
