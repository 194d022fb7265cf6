import TestSupport
import Testing

@testable import AudioFiles

@Suite("The head of an answer of HTTP", .limited)
struct AnswerHeadTests {
    @Test(
        "It says whether the body lasts until the end of the connection",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg", true), ("HTTP/1.0 206 Partial Content", true),
            ("HTTP/1.1 200 OK\r\nTRANSFER-encoding: chunked", false), ("HTTP/1.1 200\r\nContent-Length:7", false),
            ("HTTP/1.1 200 OK\r\nX-Content-Length: 7\r\nX: transfer-encoding", true), ("HTTP/1.1 404 Not Found", false),
            ("HTTP/1.1 302 Found\r\nLocation: /b", false), ("HTTP/1.1", false), ("", false),
        ])
    func bodies(text: String, endsWithConnection: Bool) throws {
        let bytes = Array((text + "\r\n\r\nbody\r\n\r\n").utf8)
        #expect(try #require(AnswerHead(bytes)).endsWithConnection == endsWithConnection)
        #expect(AnswerHead(Array((text + "\r\n").utf8)) == nil)
    }

    @Test(
        "The request for it names the host as the address does, and the rest of the address in its first line",
        arguments: [
            ("http://example.org", "/", "example.org"), ("http://example.org?a=b#c", "/?a=b", "example.org"),
            ("https://me:secret@[::1]:8443/a%20b?c", "/a%20b?c", "[::1]:8443"),
            ("http://example.org/a b\r\nX: é", "/a%20b%0D%0AX:%20%C3%A9", "example.org"),
        ])
    func requests(url: String, target: String, host: String) throws {
        let bytes = try #require(AnswerHead.request(for: url, userAgent: "Test"))
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.first == "GET \(target) HTTP/1.1" && lines.contains("Host: \(host)"))
        #expect(lines.suffix(2) == ["", ""] && lines.count == 8)
    }
}
