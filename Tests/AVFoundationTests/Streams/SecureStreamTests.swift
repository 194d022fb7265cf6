import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

/// A server of HTTPS with a certificate of its own making, which gives one sound.
private final class SecureServer {
    let certificate: URL
    let url: URL
    private let folder: URL
    private let process: ChildProcess
    private static let program = URL(fileURLWithPath: "/usr/bin/openssl")

    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

    /// The certificate is for an address, which need not be that of the server.
    init(_ lab: AVPlayerLab, certificateFor address: String, _ sound: Data) async throws {
        folder = lab.server.directory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appendingPathComponent("certificate.pem")
        let key = folder.appendingPathComponent("key.pem")
        let maker = try ChildProcess(
            Self.program,
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
                "subjectAltName=IP:\(address)", "-keyout", key.path, "-out", certificate.path,
            ])
        guard try await maker.wait().status == 0 else { throw SupportError("no certificate: \(maker.errorText)") }
        let head = "HTTP/1.0 200 OK\r\nContent-Type: audio/wav\r\nContent-Length: \(sound.count)\r\n\r\n"
        let file = folder.appendingPathComponent("a.wav")
        try (Data(head.utf8) + sound).write(to: file)
        // It gives files as they are, with the head in them.
        process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "-C", folder.path, Self.program.path, "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path,
                "-key", key.path, "-HTTP",
            ])
        let line = try await process.line { $0.hasPrefix("ACCEPT ") }.text
        guard let port = line.split(separator: ":").last, let url = URL(string: "https://127.0.0.1:\(port)/a.wav")
        else {
            throw SupportError("no port in \(line)")
        }
        self.url = url
    }

    /// Leads from a path of this server to somewhere else.
    func redirect(_ path: String, to place: String) throws -> URL {
        let head = "HTTP/1.0 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
        try Data(head.utf8).write(to: folder.appendingPathComponent(path))
        return url.deletingLastPathComponent().appendingPathComponent(path)
    }
}

@Suite(
    "AVPlayer's streams over HTTPS", .serialized, .limited,
    .enabled(if: SecureServer.isAvailable, "needs openssl"))
struct SecureStreamTests {
    @Test(
        "A certificate that nobody trusts is an error of its own; one that the app trusts is none",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func trust(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let server = try await SecureServer(lab, certificateFor: "127.0.0.1", lab.counter(1).wavData)
            let item = lab.stream(server.url)
            let player = lab.player(item)
            try await waitUntil("the failure", timeout: hangLimit) { item.status == .failed }
            let error = try #require(item.error as? NSError)
            #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorServerCertificateUntrusted, "\(error)")
            var limits = AVPlayerLab.limits
            limits.certificates = server.certificate.path
            let trusted = lab.stream(server.url, limits: limits)
            player.replaceCurrentItem(with: trusted)
            let ends = EndNews(of: [trusted])
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { ends.all == [1] || trusted.status == .failed }
            #expect(trusted.error == nil)
            #expect(runs(try await lab.counted()) == [1...lab.rate])
        }
    }

    @Test("A certificate of another server is not trusted, whoever has signed it")
    func otherServer() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let server = try await SecureServer(lab, certificateFor: "127.0.0.2", lab.counter(1).wavData)
            var limits = AVPlayerLab.limits
            limits.certificates = server.certificate.path
            let item = lab.stream(server.url, limits: limits)
            let player = lab.player(item)
            try await waitUntil("the failure", timeout: hangLimit) { item.status != .unknown }
            #expect((item.error as? NSError)?.code == NSURLErrorServerCertificateUntrusted)
            withExtendedLifetime(player) {}
        }
    }

    @Test("A trusted server that leads nowhere is not reported as one that is not trusted")
    func leadsNowhere() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let server = try await SecureServer(lab, certificateFor: "127.0.0.1", lab.counter(1).wavData)
            var limits = AVPlayerLab.limits
            limits.certificates = server.certificate.path
            let player = lab.player(nil)
            for url in [
                try server.redirect("round", to: "/round"),
                try server.redirect("nobody", to: "https://nobody.invalid/a.wav"),
            ] {
                let item = lab.stream(url, limits: limits)
                player.replaceCurrentItem(with: item)
                try await waitUntil("the failure of \(url)", timeout: hangLimit) { item.status != .unknown }
                let error = try #require(item.error as? NSError)
                #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorNetworkConnectionLost, "\(error)")
            }
        }
    }
}
