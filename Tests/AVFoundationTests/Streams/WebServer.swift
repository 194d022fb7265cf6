import Foundation
import TestSupport

/// A request as it came.
struct WebRequest: Sendable {
    let path: String
    /// With the names in small letters.
    let headers: [String: String]

    /// The first byte that is asked for, and the last one.
    var range: (first: Int, last: Int?) {
        guard let value = headers["range"], value.hasPrefix("bytes=") else { return (0, nil) }
        let parts = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        return (Int(parts[0]) ?? 0, parts.count > 1 ? Int(parts[1]) : nil)
    }
}

/// The server's side of a connection.
struct WebConnection: Sendable {
    let socket: Int32

    /// Sends all of it; false when the other side has gone.
    @discardableResult
    func send(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Glibc.send(socket, bytes.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                done += count
            }
            return true
        }
    }

    @discardableResult
    func send(_ status: String, _ headers: [String] = []) -> Bool {
        send(Data((["HTTP/1.1 \(status)"] + headers + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8))
    }

    /// Returns when the other side has gone.
    func waitForEnd() {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) > 0 {}
    }
}

/// A web server on 127.0.0.1 that answers as a test wants, faults and all; each connection has a thread.
// SAFETY: everything mutable is guarded by `lock`.
final class WebServer: @unchecked Sendable {
    typealias Answer = @Sendable (WebRequest, WebConnection) -> Void

    private let lock = NSLock()
    private let listener: Int32
    private let port: UInt16
    private var answers: [String: Answer] = [:]
    private var log: [WebRequest] = []
    private var sockets: Set<Int32> = []
    private var isStopped = false
    /// Whether ``listener`` is open: later its number may be another socket's.
    private var isListening = true

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) + listen(listener, 16) + getsockname(listener, $0, &size)
            }
        }
        guard status == 0 else { throw SupportError("no web server: \(String(cString: strerror(errno)))") }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in accept() }.start()
    }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    /// Answers the requests for a path so from now on; others get 404.
    func on(_ path: String, _ answer: @escaping Answer) { lock.withLock { answers[path] = answer } }

    /// What was asked for so far.
    var requests: [WebRequest] { lock.withLock { log } }

    /// Connections that are open.
    var connections: Int { lock.withLock { sockets.count } }

    /// Takes no connection any more, and breaks those off that there are.
    func stop() {
        lock.withLock {
            guard !isStopped else { return }
            isStopped = true
            if isListening { shutdown(listener, Int32(SHUT_RDWR)) }
            for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    deinit { stop() }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            let isWanted = lock.withLock {
                if !isStopped { sockets.insert(socket) }
                return !isStopped
            }
            guard isWanted else {
                close(socket)
                break
            }
            Thread { [self] in
                serve(socket)
                lock.withLock { _ = sockets.remove(socket) }
                close(socket)
            }.start()
        }
        lock.withLock {
            isListening = false
            close(listener)
        }
    }

    private func serve(_ socket: Int32) {
        guard let request = read(socket) else { return }
        let answer = lock.withLock {
            log.append(request)
            return answers[request.path]
        }
        let connection = WebConnection(socket: socket)
        if let answer { answer(request, connection) } else { connection.send("404 Not Found", ["Content-Length: 0"]) }
    }

    private func read(_ socket: Int32) -> WebRequest? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(socket, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1 else { return nil }
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        return WebRequest(path: String(words[1]), headers: Dictionary(fields) { $1 })
    }
}

/// How a file is served.
struct WebFile: Sendable {
    let data: Data
    var type = "audio/wav"
    /// What is said beside.
    var headers: [String] = []
    /// Whether parts of it are given.
    var ranges = true
    /// What is said of its length; nil is the truth.
    var claimedLength: Int?
    /// Each connection is broken off after so many bytes.
    var dropsAfter: Int?
    /// Waits here, after so many bytes of the file.
    var gate: (at: Int, gate: Gate)?
    /// Bytes a second; nil as fast as it goes.
    var pace: Int?

    /// Answers a request.
    func answer(_ request: WebRequest, _ connection: WebConnection) {
        let total = claimedLength ?? data.count
        let first = ranges ? request.range.first : 0
        guard first < total else {
            connection.send("416 Range Not Satisfiable", ["Content-Range: bytes */\(total)", "Content-Length: 0"])
            return
        }
        let last = ranges ? min(request.range.last ?? total - 1, total - 1) : total - 1
        var headers = headers + ["Content-Type: \(type)", "Content-Length: \(last + 1 - first)"]
        if ranges { headers += ["Accept-Ranges: bytes", "Content-Range: bytes \(first)-\(last)/\(total)"] }
        guard connection.send(ranges ? "206 Partial Content" : "200 OK", headers) else { return }
        send(from: first, to: min(last + 1, data.count), connection)
    }

    private func send(from first: Int, to end: Int, _ connection: WebConnection) {
        let end = dropsAfter.map { min(end, first + $0) } ?? end
        var place = first
        while place < end {
            if let gate, place == gate.at { gate.gate.pass() }
            var next = min(end, place + 16_384)
            if let gate, place < gate.at { next = min(next, gate.at) }
            guard connection.send(data[place..<next]) else { return }
            // How a slow line is: nobody waits for this to be over.
            if let pace { usleep(UInt32((next - place) * 1_000_000 / pace)) }
            place = next
        }
    }
}

func withWebServer(_ body: (WebServer) async throws -> Void) async throws {
    let server = try WebServer()
    defer { server.stop() }
    try await body(server)
}
