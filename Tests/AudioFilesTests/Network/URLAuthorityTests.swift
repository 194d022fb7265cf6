import TestSupport
import Testing

@testable import AudioFiles

@Suite("The server in an address", .limited)
struct URLAuthorityTests {
    @Test(
        "Host and port are found, whatever stands around them",
        arguments: [
            ("https://example.org/a.mp3", "example.org", nil, "example.org:443"),
            ("https://example.org:8443/a.mp3", "example.org", "8443", "example.org:8443"),
            ("https://example.org:?a=b:c@d", "example.org", nil, "example.org:443"),
            ("https://[::1]/a.mp3", "::1", nil, "[::1]:443"),
            ("https://[2001:db8::7]:8443#a", "2001:db8::7", "8443", "[2001:db8::7]:8443"),
            ("crypto+https://me:secret@[::1]/a:b", "::1", nil, "[::1]:443"),
            ("https://me:secret@example.org:80", "example.org", "80", "example.org:80"),
        ] as [(String, String, String?, String)])
    func parts(url: String, host: String, port: String?, place: String) throws {
        let server = try #require(URLAuthority(of: url))
        #expect(server.host == host && server.port == port)
        #expect(server.place(defaultPort: 443) == place)
    }

    @Test("An address without a server has none", arguments: ["a.mp3", "https://", "https:///a.mp3", ""])
    func none(url: String) { #expect(URLAuthority(of: url) == nil) }
}
