import Foundation
import HeadlessServer
import PulseClient

/// A program that subscribes to all changes of clients and ignores them.
func lookOn() throws {
    let connection = try PulseConnection(name: "onlooker")
    try connection.sync { connection throws(PulseError) in try connection.connectAndWait(to: nil) }
    connection.sync { $0.subscribe(.client) { _ in } }
    tell("ready")
    while readLine() != nil {}
}

/// The server's own time until a changed client property is notified and can be read, beside idle programs: the lower
/// bound of every verdict.
struct Floor {
    let kind: HeadlessServer.Kind
    let clients: Int
    let count: Int

    func run() throws {
        let server = try HeadlessServer.start(kind)
        defer { server.stop() }
        let crowd = try Crowd(clients - 1, as: "onlooker", on: server)
        let speaker = try Speaker(on: server)
        var times: [UInt64] = []
        for round in 0..<count {
            // As long as between two activations.
            usleep(100_000)
            times.append(try speaker.say("\(round)"))
        }
        withExtendedLifetime(crowd) {}
        Row.print(kind, "the server alone: said -> read, \(clients) that do nothing", times)
    }
}

/// A client that changes its property and waits until the change can be read back, as an activation does.
// SAFETY: everything mutable is only touched with the loop's lock held.
private final class Speaker: @unchecked Sendable {
    private static let property = "bench.word"
    private let connection: PulseConnection
    private var word = ""
    private var heard: UInt64?

    init(on server: HeadlessServer) throws {
        connection = try PulseConnection(name: "speaker")
        try connection.sync { connection throws(PulseError) in try connection.connectAndWait(to: server.address) }
        connection.sync { connection in
            connection.setHandlers(event: { [weak self] _, event in self?.changed(event.index) })
            connection.subscribe(.client) { _ in }
        }
    }

    private func changed(_ index: UInt32) {
        connection.sync { connection in
            guard index == connection.clientIndex else { return }
            connection.client(at: index) { [weak self] answer in self?.read(answer) }
        }
    }

    private func read(_ answer: Result<Client, PulseError>) {
        guard case .success(let client) = answer, client.properties[Self.property] == word else { return }
        heard = heard ?? now()
        connection.mainloop.signal()
    }

    func say(_ new: String) throws -> UInt64 {
        let start = now()
        connection.sync { connection in
            word = new
            heard = nil
            connection.updateProperties([Self.property: new])
        }
        let end = connection.mainloop.withLock {
            connection.mainloop.wait(timeout: .seconds(10)) { heard != nil } ? heard : nil
        }
        guard let end else { throw BenchError(description: "the server does not answer") }
        return end - start
    }
}
