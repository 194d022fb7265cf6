/// The head of a server's answer, and the request for it.
struct AnswerHead {
    /// The most bytes of a head.
    static let most = 16_384
    private static let end: [UInt8] = [13, 10, 13, 10]

    private let lines: [Substring]

    /// Reads a head from the first bytes of an answer; nil as long as its end is missing.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: Self.end) }) else { return nil }
        lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    }

    /// Whether the body behind it lasts until the end of the connection (RFC 9112, section 6.3).
    var endsWithConnection: Bool {
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[1].hasPrefix("2") else { return false }
        return !lines.dropFirst().contains { line in
            ["transfer-encoding", "content-length"].contains(line.prefix { $0 != ":" }.lowercased())
        }
    }

    /// The request for an address; nil where it has no host.
    static func request(for url: String, userAgent: String) -> [UInt8]? {
        guard let server = URLAuthority(of: url), let scheme = url.firstRange(of: "://") else { return nil }
        let target = url[scheme.upperBound...].drop { !"/?#".contains($0) }.prefix { $0 != "#" }
        let path = (target.hasPrefix("/") ? "" : "/") + escaped(target)
        let fields = [
            "Host: \(server.name)", "User-Agent: \(userAgent)", "Accept: */*", "Range: bytes=0-", "Connection: close",
        ]
        return Array((["GET \(path) HTTP/1.1"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// Bytes that no request has in its first line are written as numbers, as FFmpeg writes them.
    private static func escaped(_ target: Substring) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = target.utf8.flatMap { byte -> [UInt8] in
            (0x21...0x7E).contains(byte) ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
