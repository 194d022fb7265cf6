import Foundation
import Glibc
package import HeadlessServer

/// Stands between one client and a server, notes which commands the client sends, holds answers back, and has the server
/// refuse something.
///
/// It listens on TCP, so that neither side hands memory over beside the bytes. A packet of PulseAudio's protocol has
/// five big-endian words in front: its length, its channel (−1 for commands), an offset and flags; a command's content
/// is `L` and its number.
// SAFETY: everything mutable is guarded by `lock`, what holds answers back by `passable`.
package final class CountingProxy: @unchecked Sendable {
    /// `PA_COMMAND_PLAY_SAMPLE`.
    package static let playSample: UInt32 = 18
    /// `PA_COMMAND_CORK_PLAYBACK_STREAM`.
    package static let cork: UInt32 = 41
    /// `PA_COMMAND_FLUSH_PLAYBACK_STREAM`.
    package static let flush: UInt32 = 42
    /// `PA_COMMAND_GET_CARD_INFO_LIST`.
    package static let cards: UInt32 = 89
    /// `PA_COMMAND_FINISH_UPLOAD_STREAM`.
    package static let finishUpload: UInt32 = 17
    /// `PA_COMMAND_GET_SERVER_INFO`.
    package static let serverInfo: UInt32 = 20
    /// `PA_COMMAND_GET_SINK_INFO`.
    package static let sinkInfo: UInt32 = 21
    /// `PA_COMMAND_GET_SINK_INFO_LIST`.
    package static let sinkInfoList: UInt32 = 22
    /// `PA_COMMAND_GET_SOURCE_INFO`.
    package static let sourceInfo: UInt32 = 23
    /// The questions for devices: `PA_COMMAND_GET_SERVER_INFO` and those for sinks and sources, one or all.
    package static let aboutDevices = serverInfo...24
    /// `PA_COMMAND_SUBSCRIBE`.
    package static let subscribe: UInt32 = 35

    /// Where clients find it.
    package let address: String
    private var held: UInt32?
    private let refused: UInt32?
    private let listener: Int32
    private let path: String
    private let lock = NSLock()
    private let passable = NSCondition()
    private var holdsAnswers = false
    private var noted: [UInt32] = []
    private var sockets: [Int32] = []

    /// Waits for one client.
    ///
    /// - Parameters:
    ///   - held: The command whose answer, and what comes after it, is held back until ``release()``.
    ///   - refused: A short command that the server refuses: its first argument, a number, is made one that it takes from
    ///     nobody.
    package init(
        to server: HeadlessServer, holdingAnswerTo held: UInt32? = nil, refusing refused: UInt32? = nil
    ) throws {
        self.held = held
        self.refused = refused
        path = String(server.address.dropFirst("unix:".count))
        let listener = Self.socket(AF_INET)
        self.listener = listener
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutableBytes(of: &place) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
            return bind(listener, address, length) == 0 && listen(listener, 1) == 0
                && getsockname(listener, address, &length) == 0
        }
        guard bound else { throw SupportError("no port to listen on") }
        address = "tcp:127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
        Thread.detachNewThread { [self] in serve() }
    }

    deinit {
        // Not before: whoever is stopped shuts down what it has, by its number.
        for socket in sockets + [listener] { close(socket) }
    }

    /// A socket that no child inherits.
    private static func socket(_ domain: Int32) -> Int32 {
        Glibc.socket(domain, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// What the client has sent since it was asked to forget.
    package var commands: [UInt32] { lock.withLock { noted } }
    /// Forgets what the client has sent.
    package func forget() { lock.withLock { noted = [] } }

    /// Holds the next answer to a command back, and what comes after it, until ``release()``.
    package func hold(answerTo command: UInt32) { lock.withLock { held = command } }

    /// Passes no answer on any more; for good, unless ``release()`` is called.
    private func hold() { passable.withLock { holdsAnswers = true } }

    /// Passes on what was held back.
    package func release() {
        passable.withLock {
            holdsAnswers = false
            passable.broadcast()
        }
    }

    /// Ends, and with it the connection.
    package func stop() {
        release()
        shutdown(listener, Int32(SHUT_RDWR))
        for socket in lock.withLock({ sockets }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func serve() {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        let server = Self.socket(AF_UNIX)
        lock.withLock { sockets = [client, server] }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafeBytes(of: &place) { bytes in
            bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map { connect(server, $0, length) == 0 } ?? false
        }
        guard isConnected else { return }
        Thread.detachNewThread { self.pass(from: server, to: client) { _ in self.waitUntilPassable() } }
        var parser = PacketParser()
        pass(from: client, to: server) { bytes in
            let commands = parser.commands(in: bytes)
            if let refused = self.refused { bytes.spoil(refused) }
            if let held = self.lock.withLock({ self.held }), commands.contains(held) { self.hold() }
            self.lock.withLock { self.noted += commands }
        }
    }

    private func waitUntilPassable() {
        passable.withLock { while holdsAnswers { passable.wait() } }
    }

    private func pass(from source: Int32, to destination: Int32, _ look: (inout ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            var bytes = buffer[..<count]
            look(&bytes)
            var sent = 0
            while sent < count {
                let part = bytes[sent...].withUnsafeBytes {
                    send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard part > 0 else { return }
                sent += part
            }
        }
        shutdown(destination, Int32(SHUT_RDWR))
    }
}

extension ArraySlice<UInt8> {
    /// Makes the first argument of a command the largest number.
    ///
    /// Behind the command's own number stands that of the call, each with a letter in front. libpulse writes short
    /// commands at once, so that they are found whole.
    fileprivate mutating func spoil(_ command: UInt32) {
        let start = [UInt8(ascii: "L")] + (0..<4).map { UInt8(truncatingIfNeeded: command >> (24 - 8 * $0)) }
        guard count >= 15 else { return }
        for index in startIndex...(endIndex - 15) where self[index..<index + 5].elementsEqual(start) {
            for byte in index + 11..<index + 15 { self[byte] = .max }
        }
    }
}

/// Finds the commands in a stream of packets.
private struct PacketParser {
    private var pending: [UInt8] = []

    mutating func commands(in bytes: ArraySlice<UInt8>) -> [UInt32] {
        pending += bytes
        var found: [UInt32] = []
        while pending.count >= 20 {
            let length = Int(word(at: 0))
            guard pending.count >= 20 + length else { break }
            if word(at: 4) == .max, length >= 5, pending[20] == UInt8(ascii: "L") { found.append(word(at: 21)) }
            pending.removeFirst(20 + length)
        }
        return found
    }

    private func word(at index: Int) -> UInt32 {
        pending[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
