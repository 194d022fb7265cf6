import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport

/// The name that programs of this machine give as theirs.
let thisHost: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count)
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}()

/// A directory of a test server, fed by a connection of its own.
// SAFETY: the directory is only touched with the main loop's lock held.
final class LiveDirectory: @unchecked Sendable {
    let mainloop: Mainloop
    let connection: PulseConnection
    let directory: StreamDirectory
    let events = Journal<SubscriptionEvent>()

    init(on server: HeadlessServer) async throws {
        mainloop = try Mainloop()
        connection = PulseConnection(name: "directory", mainloop: mainloop)
        directory = StreamDirectory(connection: connection)
        try await connection.connect(to: server.address, timeout: .seconds(5))
        await connection.setHandlers(
            event: { [weak self] in
                self?.events.add($1)
                self?.directory.received($1)
            })
        try await connection.subscribe(StreamDirectory.mask)
        read { $0.start() }
        try await waitUntil("a current directory") { read(\.state) == .current }
    }

    /// Looks at the directory with the lock held.
    func read<T>(_ body: (StreamDirectory) -> T) -> T { mainloop.withLock { body(directory) } }

    /// Has `handler` called after changes, with the lock held.
    func observe(_ handler: @escaping @Sendable (StreamDirectory) -> Void) {
        _ = read { directory in directory.onChange { [unowned directory] in handler(directory) } }
    }

    /// Collects every stream in every state that it is seen in from now on.
    func allStreams() -> Journal<ServerStream> {
        let journal = Journal<ServerStream>()
        observe { for stream in $0.streams { journal.add(stream) } }
        return journal
    }

    /// Waits for a stream that fulfils a condition.
    func stream(where matches: (ServerStream) -> Bool) async throws -> ServerStream {
        var found: ServerStream?
        try await waitUntil("such a stream among \(read(\.streams))") {
            found = read(\.streams).first(where: matches)
            return found != nil
        }
        guard let found else { throw SupportError("no such stream") }
        return found
    }
}

/// Runs `body` with a directory of `server`.
func withDirectory(on server: HeadlessServer, _ body: (LiveDirectory) async throws -> Void) async throws {
    let directory = try await LiveDirectory(on: server)
    try await body(directory)
    await directory.connection.close()
}

/// Starts a server and runs `body` with its directory.
func withDirectory(
    _ kind: HeadlessServer.Kind, modules: [String] = [], _ body: (HeadlessServer, LiveDirectory) async throws -> Void
) async throws {
    try await withServer(kind, modules: modules) { server in
        try await withDirectory(on: server) { try await body(server, $0) }
    }
}
