import Foundation
package import HeadlessServer

/// A socket in the file system that others can connect to, until it is closed; the file stays.
package func listeningSocket(at path: String) throws -> Int32 {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
    guard isBound, listen(listener, 16) == 0 else {
        close(listener)
        throw SupportError("no socket at \(path)")
    }
    return listener
}

/// A sound server that takes connections and never says a word.
package final class SilentServer: Sendable {
    private let folder: URL?
    private let path: String
    private let listener: Int32

    /// Listens in a folder of its own.
    package init() throws {
        let own = FileManager.default.temporaryDirectory.appendingPathComponent("silent-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
        folder = own
        path = own.appendingPathComponent("native").path
        listener = try listeningSocket(at: path)
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    }

    /// Listens in the place of a server that was killed.
    package init(inPlaceOf server: HeadlessServer) throws {
        folder = nil
        path = String(server.address.dropFirst("unix:".count))
        try FileManager.default.removeItem(atPath: path)
        listener = try listeningSocket(at: path)
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(listener)
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// For `PULSE_SERVER`.
    package var address: String { "unix:" + path }

    /// Blocks until somebody has connected; false if nobody comes.
    package func waitForVisitor() -> Bool {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 30_000) == 1
    }

    /// How many have connected since the last call, whether they have waited or not.
    package func takeVisitors() -> Int {
        var count = 0
        while true {
            let visitor = accept(listener, nil, nil)
            guard visitor >= 0 else { return count }
            close(visitor)
            count += 1
        }
    }
}
