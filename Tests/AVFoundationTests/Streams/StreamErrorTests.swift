import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's streams that cannot be played", .serialized, .limited)
struct StreamErrorTests {
    /// Plays an item until it fails.
    private func failure(
        _ lab: AVPlayerLab, _ url: URL, limits: StreamLimits = AVPlayerLab.limits
    ) async throws -> NSError {
        let item = lab.stream(url, limits: limits)
        let player = lab.player(item)
        player.play()
        try await waitUntil("the failure of \(url)", timeout: hangLimit) { item.status == .failed && player.rate == 0 }
        return try #require(item.error as? NSError)
    }

    @Test("What a server answers is the error of the item", arguments: HeadlessServer.Kind.allCases)
    func answers(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            for (status, code) in [
                ("403 Forbidden", NSURLErrorNoPermissionsToReadFile),
                ("401 Unauthorized", NSURLErrorUserAuthenticationRequired),
                ("500 Internal Server Error", NSURLErrorBadServerResponse),
            ] {
                web.on("/\(code).wav") { $1.send(status, ["Content-Length: 0"]) }
                let error = try await failure(lab, web.url("/\(code).wav"))
                #expect(error.domain == NSURLErrorDomain && error.code == code, "\(status): \(error)")
            }
            let missing = try await failure(lab, web.url("/nothing.mp3"))
            #expect(missing.domain == NSURLErrorDomain && missing.code == NSURLErrorFileDoesNotExist)
            #expect((missing.userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.path == "/nothing.mp3")
            web.on("/page") { request, connection in
                let text = Data(String(repeating: "<p>No sound.</p>\n", count: 2000).utf8)
                WebFile(data: text, type: "text/html").answer(request, connection)
            }
            let page = try await failure(lab, web.url("/page"))
            #expect(page.domain == AVFoundationErrorDomain, "\(page)")
            #expect(page.code == AVError.Code.fileFormatNotRecognized.rawValue)
            web.on("/cut") { _, connection in connection.send(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)) }
            _ = try await failure(lab, web.url("/cut"))
            let asset = AVURLAsset(url: web.url("/nothing.mp3"))
            await #expect(throws: NSError.self) { try await asset.load(.duration) }
            #expect(asset.duration == .zero && !asset.isPlayable)
            web.stop()
            let refused = try await failure(lab, web.url("/a.wav"))
            #expect(refused.code == NSURLErrorCannotConnectToHost, "\(refused)")
            #expect(lab.monitor.soFar().soundRange(threshold: -60) == nil)
        }
    }

    @Test("A server that says nothing is given up", arguments: HeadlessServer.Kind.allCases)
    func silence(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            web.on("/silent.wav") { $1.waitForEnd() }
            let error = try await failure(lab, web.url("/silent.wav"), limits: AVPlayerLab.impatient)
            #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorTimedOut, "\(error)")
        }
    }

    @Test(
        "Nobody waits for a silent server: neither seeks, nor whoever lets go",
        arguments: [HeadlessServer.Kind.pulseAudio])
    func letGo(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            web.on("/silent.wav") { $1.waitForEnd() }
            var limits = AVPlayerLab.limits
            limits.silence = 3600
            limits.opening = 3600
            do {
                let player = lab.player(lab.stream(web.url("/silent.wav"), limits: limits))
                player.play()
                try await waitUntil("the request", timeout: hangLimit) { web.requests.count == 1 }
                #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
                #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
                player.pause()
                player.replaceCurrentItem(with: nil)
            }
            try await waitUntil("the end of the connection", timeout: hangLimit) { web.connections == 0 }
        }
    }

    @Test(
        "Redirects are followed, but not to files, and not for ever", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func redirects(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let file = WebFile(data: lab.counter(1).wavData)
            web.on("/b.wav") { file.answer($0, $1) }
            web.on("/a.wav") { $1.send("302 Found", ["Location: /b.wav", "Content-Length: 0"]) }
            web.on("/round") { $1.send("302 Found", ["Location: /round", "Content-Length: 0"]) }
            let secret = try lab.file(lab.sine(440, seconds: 1))
            web.on("/file") { $1.send("302 Found", ["Location: \(secret.absoluteString)", "Content-Length: 0"]) }
            #expect(try await failure(lab, web.url("/file")).domain == NSURLErrorDomain)
            #expect(try await failure(lab, web.url("/round")).domain == NSURLErrorDomain)
            #expect(lab.monitor.soFar().soundRange(threshold: -60) == nil)
            let player = lab.player(lab.stream(web.url("/a.wav")))
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...lab.rate])
            #expect(Set(web.requests.map(\.path)) == ["/file", "/round", "/a.wav", "/b.wav"])
        }
    }
}
